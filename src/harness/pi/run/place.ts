import { join } from 'node:path'
import { AppError } from '../../../domain/errors'
import type { CliPlace } from '../../../domain/harness/harness-run'
import { headOf, namesIn } from '../../../util/files/quiet-looks'
import { isRecord } from '../../json-lines/json-value'
import { sessionOf } from '../classify'
import { mayHold } from '../reach/presence'
import { resolved, sessionFolder } from '../session-folder'

/**
 * Where the CLI keeps this session for this working directory, or would keep it. It works in the folder that the file's first line names,
 * wherever it is started: a file of another folder is none for this one.
 */
export function transcriptPath(place: CliPlace, sessionId: string): string {
  const folder = join(place.root, sessionFolder(place))
  const found = namesIn(folder)
    .filter((name) => sessionOf(name) === checkedId(sessionId))
    .map((name) => join(folder, name))
    .find((path) => headerOf(headBytes(path))?.cwd === resolved(place.cwd))
  return found ?? join(folder, `1970-01-01T00-00-00-000Z_${checkedId(sessionId)}.jsonl`)
}

/** Bytes of a first line: it names two paths. */
const HEAD_BYTES = 32 * 1_024

/** What the first line of a session's file says; `null` = it is none. */
export function headerOf(bytes: Uint8Array): { cwd: string; timestamp: string } | null {
  try {
    const end = bytes.indexOf(10)
    const header: unknown = JSON.parse(new TextDecoder().decode(end === -1 ? bytes : bytes.subarray(0, end)))
    if (!isRecord(header) || header.type !== 'session') return null
    const { cwd, timestamp } = header
    return typeof cwd === 'string' && typeof timestamp === 'string' ? { cwd, timestamp } : null
  } catch {
    return null
  }
}

/** An id that may become part of a path, and that the CLI takes. @throws `invalid` */
export function checkedId(id: string): string {
  if (/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$/.test(id)) return id
  throw new AppError('invalid', `${JSON.stringify(id.slice(0, 100))} is not a session ID of Pi.`, {
    hint: 'Give letters, digits, `.`, `_` and `-`.',
  })
}

export const headBytes = (path: string): Uint8Array => headOf(path, HEAD_BYTES)

/** The process that may have the session open: the CLI keeps no list of its processes. See `mayHold`. */
export function openedBy({ root, cwd }: CliPlace, sessionId: string): { pid: number; kind: string } | null {
  const pid = mayHold({ root, cwd: resolved(cwd) }, transcriptPath({ root, cwd }, sessionId))
  return pid === null ? null : { pid, kind: 'pi' }
}
