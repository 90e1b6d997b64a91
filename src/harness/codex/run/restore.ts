import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../../../domain/errors'
import type { CliPlace } from '../../../domain/harness/harness-run'
import { isDocumentName, threadOf } from '../classify'
import { checkedId, transcriptPath } from './place'

/**
 * Writes a thread's rollout, and those of the threads that it launched, to where the CLI looks for them. A file that is there is replaced
 * only if it is a beginning of the new one; one that is the same, or goes on behind it, is left.
 *
 * @throws `invalid` a name that is none of an export; `conflict` a file differs, nothing was changed
 */
export async function restore(
  place: CliPlace,
  sessionId: string,
  files: AsyncIterable<{ name: string; bytes: Uint8Array }>,
): Promise<void> {
  const parts = new Map<string, Uint8Array[]>()
  for await (const { name, bytes } of files) {
    const thread = name === `${sessionId}.jsonl` ? checkedId(sessionId) : isDocumentName(name) ? null : threadOf(name)
    if (thread === null)
      throw new AppError('invalid', `${JSON.stringify(name.slice(0, 200))} is not a file of a thread.`, {
        hint: 'Files are the rollouts of an export.',
      })
    parts.set(thread, [...(parts.get(thread) ?? []), bytes])
  }
  if (!parts.has(sessionId)) throw new AppError('invalid', `The conversation ${sessionId} has no rollout to restore.`)
  const wanted = [...parts].map(([thread, bytes]) => ({
    path: transcriptPath(place, thread),
    bytes: Buffer.concat(bytes),
  }))
  // Its own last: without it the CLI finds nothing.
  for (const { path, bytes } of wanted.filter(isNews).reverse()) writeWhole(path, bytes)
}

/** Writes a rollout back that is not there. @returns whether it did */
export function restoreMissing(place: Pick<CliPlace, 'root'>, thread: string, bytes: Uint8Array): boolean {
  const path = transcriptPath(place, thread)
  if (existsSync(path)) return false
  writeWhole(path, bytes)
  return true
}

/** Whether the new file says more than the one in its place. @throws `conflict` */
function isNews({ path, bytes }: { path: string; bytes: Uint8Array }): boolean {
  const old = existsSync(path) ? readFileSync(path) : null
  if (old === null) return true
  const length = Math.min(old.length, bytes.length)
  if (!old.subarray(0, length).equals(bytes.subarray(0, length)))
    throw new AppError('conflict', `${path} differs from the record.`, {
      hint: 'The file is unchanged. To restore the conversation from the record, move the file away.',
    })
  return bytes.length > old.length
}

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
