import type { FileHandle } from 'node:fs/promises'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '../../../domain/errors'
import type { CliPlace } from '../../../domain/harness/harness-run'
import { checkedId, transcriptPath } from './place'

/** What a conversation has in its own folder. */
const SUBAGENT_FILE = /^subagents\/(?:workflows\/\w[\w.-]{0,127}\/)?agent-[\w.-]{1,128}\.(?:jsonl|meta\.json)$/
/** Where 2.0.x put a sub-agent's lines: beside the main transcript. */
const FLAT_FILE = /^agent-[\w.-]{1,128}\.jsonl$/

interface Staged {
  path: string
  temporary: string
  size: number
}

/**
 * Writes a conversation's files where the CLI looks for them in this working directory.
 *
 * Names are those of an export: `<session>.jsonl` for the main transcript, `<session>/subagents/agent-….jsonl` (or `….meta.json`)
 * for the rest; the leading `<session>/` may be left out. Items of one name that follow one another are pieces of one file. All is written beside
 * its place, flushed, and then renamed, the main transcript last: without it the CLI sees nothing. Files are the owner's alone.
 *
 * A file that is there is replaced only if it is a beginning of the new one; one that is the same, or goes on behind it, is left.
 * An existing description of a sub-agent (`.meta.json`) is kept.
 *
 * @throws `invalid` a name that is none of these, or no main transcript
 * @throws `conflict` a file is there that differs; nothing was changed
 */
export async function restore(
  place: CliPlace,
  sessionId: string,
  files: AsyncIterable<{ name: string; bytes: Uint8Array }>,
): Promise<void> {
  const main = transcriptPath(place, checkedId(sessionId))
  const staged: Staged[] = []
  try {
    await stage(main, sessionId, files, staged)
    if (!staged.some((file) => file.path === main))
      throw new AppError('invalid', `The conversation ${sessionId} has no main transcript to restore.`)
    const wanted: Staged[] = []
    for (const file of staged) if (await isWanted(file)) wanted.push(file)
    wanted.sort((a, b) => Number(a.path === main) - Number(b.path === main))
    for (const file of wanted) {
      await rename(file.temporary, file.path)
      await syncFolder(dirname(file.path))
    }
  } finally {
    for (const file of staged) await rm(file.temporary, { force: true })
  }
}

async function stage(
  main: string,
  sessionId: string,
  files: AsyncIterable<{ name: string; bytes: Uint8Array }>,
  staged: Staged[],
): Promise<void> {
  let current: FileHandle | undefined
  try {
    for await (const { name, bytes } of files) {
      const path = pathOf(main, sessionId, name)
      let file = staged.find((other) => other.path === path)
      if (file && file !== staged.at(-1))
        throw new AppError('invalid', `The pieces of ${JSON.stringify(name)} are not contiguous.`)
      if (!file) {
        if (current) await finish(current)
        current = undefined
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        file = { path, temporary: join(dirname(path), `.${crypto.randomUUID()}.tmp`), size: 0 }
        staged.push(file)
        current = await open(file.temporary, 'wx', 0o600)
      }
      if (current) await writeAll(current, bytes, file.size)
      file.size += bytes.length
    }
  } finally {
    if (current) await finish(current)
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten
  }
}

async function finish(handle: FileHandle): Promise<void> {
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function pathOf(main: string, sessionId: string, name: string): string {
  const own = name.startsWith(`${sessionId}/`) ? name.slice(sessionId.length + 1) : name
  if (own === `${sessionId}.jsonl`) return main
  if (SUBAGENT_FILE.test(own)) return join(main.slice(0, -'.jsonl'.length), own)
  if (FLAT_FILE.test(name)) return join(dirname(main), name)
  throw new AppError('invalid', `${JSON.stringify(name.slice(0, 200))} is not a file of a conversation.`, {
    hint: `Files are ${sessionId}.jsonl and ${sessionId}/subagents/agent-….jsonl.`,
  })
}

const PIECE_BYTES = 1024 * 1024

/** Whether the new file says more than what is in its place. @throws `conflict` */
async function isWanted(file: Staged): Promise<boolean> {
  const present = await openOld(file.path)
  if (!present) return true
  try {
    if (file.path.endsWith('.meta.json')) return false
    const old = (await present.stat()).size
    const fresh = await open(file.temporary, 'r')
    const same = await isSame(present, fresh, Math.min(old, file.size)).finally(() => fresh.close())
    if (!same)
      throw new AppError('conflict', `${file.path} differs from the record.`, {
        hint: 'The file is unchanged. To restore the conversation from the record, move the file away.',
      })
    return file.size > old
  } finally {
    await present.close()
  }
}

async function openOld(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

async function isSame(a: FileHandle, b: FileHandle, length: number): Promise<boolean> {
  const left = Buffer.alloc(Math.min(PIECE_BYTES, length))
  const right = Buffer.alloc(left.length)
  for (let at = 0; at < length; ) {
    const want = Math.min(left.length, length - at)
    const [x, y] = await Promise.all([a.read(left, 0, want, at), b.read(right, 0, want, at)])
    const got = Math.min(x.bytesRead, y.bytesRead)
    if (got === 0 || !left.subarray(0, got).equals(right.subarray(0, got))) return false
    at += got
  }
  return true
}

/** So that the new name, too, survives a power loss. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
