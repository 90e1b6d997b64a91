import { join } from 'node:path'
import { AppError } from '../../../domain/errors'
import type { CliPlace } from '../../../domain/harness/harness-run'
import { isRecord, parsedJson, recordOf, timeOf, uuidOf } from '../../json-lines/json-value'
import { threadOf } from '../classify'
import { rolloutOf } from '../files'
import { holderOf } from '../reach/presence'
import { timeOfId } from '../rollout/carry'

/** An id that the CLI takes for one: anything else would begin a new thread. @throws `invalid` */
export function checkedId(id: string): string {
  const found = uuidOf(id)
  if (found !== undefined) return found
  throw new AppError('invalid', `${JSON.stringify(id.slice(0, 100))} is not a thread ID.`, { hint: 'Give a UUID.' })
}

/** Where the CLI keeps this thread; one that it does not have, where it would have put it: by the day and time in its id. */
export const transcriptPath = ({ root }: Pick<CliPlace, 'root'>, sessionId: string): string =>
  rolloutOf(root, checkedId(sessionId)) ?? newPath(root, checkedId(sessionId), null)

/**
 * The same for a thread that is written back: where it was, if that is known, as the record knows it by this name; else by the time that it
 * says itself.
 *
 * @param recorded  the path of its rollout, or its name alone
 */
export function restoredPath(root: string, id: string, recorded: string, bytes: Uint8Array): string {
  const thread = checkedId(id)
  return rolloutOf(root, thread) ?? formerPath(root, thread, recorded) ?? newPath(root, thread, beganAt(bytes))
}

/** The folder of a day, where it was in one; else that of its name, as the CLI of today looks nowhere else. */
const FORMER =
  /(?:^|[/\\])(?:(\d{4})[/\\](\d\d)[/\\](\d\d)[/\\])?(rollout-(\d{4})-(\d\d)-(\d\d)T[\d-]{8}-[0-9a-f-]{36}\.jsonl)$/

/** `null` = this is the name of no rollout of the thread. */
function formerPath(root: string, thread: string, recorded: string): string | null {
  const [, year, month, day, name, ...named] = FORMER.exec(recorded) ?? []
  if (name === undefined || threadOf(name) !== thread) return null
  const folder = year === undefined || month === undefined || day === undefined ? named : [year, month, day]
  return join(root, 'sessions', ...folder, name)
}

/** The time in the thread's first line, from which the CLI made its name; `null` = none is there. */
function beganAt(bytes: Uint8Array): number | null {
  const end = bytes.indexOf(NEWLINE)
  const first = parsedJson(new TextDecoder().decode(end === -1 ? bytes : bytes.subarray(0, end)))
  return isRecord(first) ? timeOf(recordOf(first.payload)?.timestamp) : null
}

const NEWLINE = 10

function newPath(root: string, id: string, at: number | null): string {
  const began = new Date(at ?? timeOfId(id) ?? 0)
  const two = (value: number) => String(value).padStart(2, '0')
  // Folders and names have the time of the machine.
  const day = [String(began.getFullYear()), two(began.getMonth() + 1), two(began.getDate())]
  const time = [began.getHours(), began.getMinutes(), began.getSeconds()].map(two)
  return join(root, 'sessions', ...day, `rollout-${day.join('-')}T${time.join('-')}-${id}.jsonl`)
}

/** The process that has the thread open; see `codexPresence`. */
export function openedBy({ root }: Pick<CliPlace, 'root'>, sessionId: string): { pid: number; kind: string } | null {
  const held = holderOf(root, sessionId)
  return held === null ? null : { pid: held.pid, kind: 'codex' }
}
