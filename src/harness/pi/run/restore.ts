import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../domain/errors'
import type { CliPlace } from '../../../domain/harness/harness-run'
import { sessionOf } from '../classify'
import { resolved, sessionFolder } from '../session-folder'
import { checkedId, headBytes, headerOf } from './place'

/**
 * Writes a session's file where the CLI looks for it, under the name that it would have given it. The file is the owner's alone. One that
 * is there is replaced only if it is a beginning of the new one; one that is the same, or goes on behind it, is left.
 *
 * @throws `invalid` there is no file of the session among these, or it is none of the CLI's
 * @throws `conflict` a file is there that differs, or the session belongs to another folder; nothing was changed
 */
export async function restore(
  place: CliPlace,
  sessionId: string,
  files: AsyncIterable<{ name: string; bytes: Uint8Array }>,
): Promise<void> {
  const folder = join(place.root, sessionFolder(place))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const draft = join(folder, `.${crypto.randomUUID()}.tmp`)
  try {
    await write(draft, checkedId(sessionId), files)
    const header = headerOf(headBytes(draft))
    if (header === null) throw new AppError('invalid', `The session ${sessionId} has no file of Pi to restore.`)
    // The CLI works in the folder that the file names: a run would change files of another one.
    if (header.cwd !== resolved(place.cwd))
      throw new AppError('conflict', `The session ${sessionId} belongs to the folder ${header.cwd}.`, {
        hint: 'Continue in a copy instead.',
      })
    const name = `${header.timestamp.replace(/[^0-9TZ-]/g, '-')}_${sessionId}.jsonl`
    if (sessionOf(name) === null) throw new AppError('invalid', `The session ${sessionId} does not say when it began.`)
    const present = readdirSync(folder).find((each) => sessionOf(each) === sessionId) ?? name
    if (isWanted(join(folder, present), draft)) await rename(draft, join(folder, present))
  } finally {
    await rm(draft, { force: true })
  }
}

async function write(
  path: string,
  sessionId: string,
  files: AsyncIterable<{ name: string; bytes: Uint8Array }>,
): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    for await (const { name, bytes } of files) {
      if (name !== `${sessionId}.jsonl` && sessionOf(name) !== sessionId)
        throw new AppError('invalid', `${JSON.stringify(name.slice(0, 200))} is not the file of the session.`, {
          hint: `The file is ${sessionId}.jsonl.`,
        })
      await handle.appendFile(bytes)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Whether the new file says more than what is in its place. @throws `conflict` */
function isWanted(path: string, draft: string): boolean {
  if (!existsSync(path)) return true
  const [old, fresh] = [readFileSync(path), readFileSync(draft)]
  const length = Math.min(old.length, fresh.length)
  if (old.subarray(0, length).equals(fresh.subarray(0, length))) return fresh.length > old.length
  throw new AppError('conflict', `${path} differs from the record.`, {
    hint: 'The file is unchanged. To restore the conversation from the record, move the file away.',
  })
}
