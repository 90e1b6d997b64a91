import { join } from 'node:path'
import { AppError } from '../../../domain/errors'
import type { CliPlace } from '../../../domain/harness/harness-run'
import { uuidOf } from '../../json-lines/json-value'
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
  rolloutOf(root, checkedId(sessionId)) ?? newPath(root, checkedId(sessionId))

function newPath(root: string, id: string): string {
  const began = new Date(timeOfId(id) ?? 0)
  const two = (value: number) => String(value).padStart(2, '0')
  // Folders and names have the time of the machine.
  const day = [String(began.getFullYear()), two(began.getMonth() + 1), two(began.getDate())]
  const time = [began.getHours(), began.getMinutes(), began.getSeconds()].map(two)
  return join(root, 'sessions', ...day, `rollout-${day.join('-')}T${time.join('-')}-${id}.jsonl`)
}

/** Who has the thread open; see `codexPresence`. */
export function openedBy({ root }: Pick<CliPlace, 'root'>, sessionId: string): { pid: number; kind: string } | null {
  const held = holderOf(root, sessionId)
  return held === null ? null : { pid: held.pid, kind: 'codex' }
}
