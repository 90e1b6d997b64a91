import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../../../domain/errors'
import type { CliPlace, RestoredPiece } from '../../../domain/harness/harness-run'
import { packedNow, readEither } from '../../../util/files/packed-file'
import { isDocumentName, threadOf } from '../classify'
import { checkedId, restoredPath } from './place'

/**
 * Writes a thread's rollout, and those of the threads that it launched, to where the CLI looks for them, under the names that they had. A
 * file that is there is replaced only if it is a beginning of the new one; one that is the same, or goes on behind it, is left. One that is
 * packed comes back plain, as the CLI itself does it with a thread that goes on.
 *
 * @throws `invalid` a name that is none of an export; `conflict` a file differs, or can't be unpacked; nothing was changed
 */
export async function restore(place: CliPlace, sessionId: string, files: AsyncIterable<RestoredPiece>): Promise<void> {
  const parts = new Map<string, { recorded: string; bytes: Uint8Array[] }>()
  for await (const { name, bytes, recordedAt = name } of files) {
    const thread = name === `${sessionId}.jsonl` ? checkedId(sessionId) : isDocumentName(name) ? null : threadOf(name)
    if (thread === null)
      throw new AppError('invalid', `${JSON.stringify(name.slice(0, 200))} is not a file of a thread.`, {
        hint: 'Files are the rollouts of an export.',
      })
    const part = parts.get(thread) ?? { recorded: recordedAt, bytes: [] }
    part.bytes.push(bytes)
    parts.set(thread, part)
  }
  if (!parts.has(sessionId)) throw new AppError('invalid', `The conversation ${sessionId} has no rollout to restore.`)
  const wanted: Wanted[] = []
  for (const [thread, part] of parts) {
    const bytes = Buffer.concat(part.bytes)
    const news = await newsFor(restoredPath(place.root, thread, part.recorded, bytes), bytes)
    if (news !== null) wanted.push(news)
  }
  // Its own last: without it the CLI finds nothing.
  for (const { path, bytes, packed } of wanted.reverse()) {
    writeWhole(path, bytes)
    if (packed !== null) rmSync(packed, { force: true })
  }
}

interface Wanted {
  path: string
  bytes: Uint8Array
  /** Takes the place of this file, which says no more. */
  packed: string | null
}

/** Writes a rollout back that is not there. @returns whether it did */
export function restoreMissing(place: Pick<CliPlace, 'root'>, thread: string, bytes: Uint8Array): boolean {
  const path = restoredPath(place.root, thread, '', bytes)
  if (existsSync(path) || packedNow(path) !== null) return false
  writeWhole(path, bytes)
  return true
}

/** What is to be written; `null` = the file in its place says as much or more. @throws `conflict` */
async function newsFor(path: string, bytes: Buffer): Promise<Wanted | null> {
  const packed = packedNow(path)
  if (packed === null && !existsSync(path)) return { path, bytes, packed }
  const old = await readEither(path).catch((error: Error) => {
    throw differs(packed ?? path, `can't be read: ${error.message}`)
  })
  const length = Math.min(old.length, bytes.length)
  if (!old.subarray(0, length).equals(bytes.subarray(0, length)))
    throw differs(packed ?? path, 'differs from the record')
  if (bytes.length > old.length) return { path, bytes, packed }
  return packed === null ? null : { path, bytes: old, packed }
}

const differs = (path: string, why: string): AppError =>
  new AppError('conflict', `${path} ${why}.`, {
    hint: 'The file is unchanged. To restore the conversation from the record, move the file away.',
  })

function writeWhole(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = join(dirname(path), `.${crypto.randomUUID()}.tmp`)
  try {
    writeFileSync(draft, bytes, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}
