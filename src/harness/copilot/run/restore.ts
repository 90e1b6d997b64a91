import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../../../domain/errors'
import type { CliPlace } from '../../../domain/harness/harness-run'
import { forkOf } from './fork'
import { transcriptPath } from './place'

/**
 * Writes a session's events where the CLI looks for them; it makes all else beside them anew. Never over a file that differs, unless that
 * is a beginning of the new one.
 *
 * @throws `invalid` another file
 * @throws `conflict` a file is there that differs; it is unchanged
 */
export async function restore(
  place: CliPlace,
  sessionId: string,
  files: AsyncIterable<{ name: string; bytes: Uint8Array }>,
): Promise<void> {
  const path = transcriptPath(place, sessionId)
  const parts: Uint8Array[] = []
  for await (const { name, bytes } of files) {
    if (name !== `${sessionId}.jsonl` && name !== `${sessionId}/${sessionId}.jsonl`)
      throw new AppError('invalid', `${JSON.stringify(name.slice(0, 200))} is not a file of a session.`, {
        hint: `The file is ${sessionId}.jsonl.`,
      })
    parts.push(bytes)
  }
  if (parts.length === 0) throw new AppError('invalid', `The session ${sessionId} has no events to restore.`)
  const whole = Buffer.concat(parts)
  if (existsSync(path)) {
    const old = readFileSync(path)
    const length = Math.min(old.length, whole.length)
    if (!old.subarray(0, length).equals(whole.subarray(0, length)))
      throw new AppError('conflict', `${path} differs from the record.`, {
        hint: 'The file is unchanged. To restore the conversation from the record, move the file away.',
      })
    if (old.length >= whole.length) return
  }
  writeWhole(path, whole)
}

/**
 * Makes a session of a copy of another one's events: the CLI loads it as its own, and makes all else beside it anew.
 *
 * @param copy  a file of events
 * @throws `invalid` it is none
 * @throws `conflict` there is a session of this id
 */
export function writeFork(place: Pick<CliPlace, 'root'>, sessionId: string, copy: string): void {
  const path = transcriptPath(place, sessionId)
  if (existsSync(path)) throw new AppError('conflict', `There is a session ${sessionId} already.`)
  writeWhole(path, forkOf(readFileSync(copy), sessionId, new Date()))
}

function writeWhole(path: string, whole: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = join(dirname(path), `.${crypto.randomUUID()}.tmp`)
  try {
    writeFileSync(draft, whole, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}
