/** Takes the lines of a forgotten session out of a manifest: they hold what its agents were asked. */
import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { appendLine } from '../../util/append-line'

/**
 * Puts a file without the session's lines in place. A process that appends meanwhile finds that the old file lost its name and appends to
 * the new one; what came in before that is carried over.
 *
 * @throws the system's error when the file can't be read or replaced; one that is not there is fine
 */
export function dropSession(path: string, session: string): void {
  let old: number
  try {
    old = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  try {
    if (!fstatSync(old).isFile()) return
    const before = readFrom(old, 0)
    const kept = without(before, session)
    if (kept.length === before.length) return
    const draft = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}`
    writeSynced(draft, kept)
    try {
      renameSync(draft, path)
    } catch (error) {
      rmSync(draft, { force: true })
      throw error
    }
    const late = without(readFrom(old, before.length), session)
    if (late.length > 0) appendLine(path, late)
  } finally {
    closeSync(old)
  }
}

function readFrom(file: number, offset: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - offset))
  let length = 0
  while (length < bytes.length) {
    const count = readSync(file, bytes, length, bytes.length - length, offset + length)
    if (count === 0) break
    length += count
  }
  return bytes.subarray(0, length)
}

/** Line by line as bytes: what is no line of ours stays as it is. */
function without(bytes: Buffer, session: string): Buffer {
  const kept: Buffer[] = []
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(10, from)
    const end = newline < 0 ? bytes.length : newline + 1
    const line = bytes.subarray(from, end)
    if (!isOf(line, session)) kept.push(line)
    from = end
  }
  return Buffer.concat(kept)
}

function isOf(line: Buffer, session: string): boolean {
  if (!line.includes(session)) return false
  try {
    const said: unknown = JSON.parse(line.toString('utf8'))
    return typeof said === 'object' && said !== null && 'session_id' in said && said.session_id === session
  } catch {
    return false
  }
}

function writeSynced(path: string, bytes: Buffer): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
