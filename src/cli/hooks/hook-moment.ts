import type { RecallMoment } from '../../domain/recall/recall'
import { MINUTE_MS } from '../../domain/time-units'
import { Claims } from './first-claim'

/** A moment at which an agent is given its state. */
export interface Moment {
  moment: RecallMoment
  sessionId: string
  /** The prompt that was current; '' where the CLI doesn't say. */
  promptId: string
  /** The CLI's process, where it is known: each start of it is a moment of its own. */
  cli?: string
}

/**
 * Hooks of one moment begin at once, and the CLI waits for all of them. Where nothing else tells two moments apart, this much
 * time does.
 */
const SAME_MOMENT_MS = 5_000
/**
 * The same where the process of the CLI is known: a busy machine may start one of its hooks much later than another. A conversation that
 * the same process opens again within this time still holds its reminder.
 */
const SAME_START_MS = MINUTE_MS

/** How a conversation begins in a process. */
export const STARTS = ['startup', 'resume', 'fork'] as const

const shortHash = (text: string): string => Bun.hash(text).toString(36)

const nameOfStart = (moment: string, sessionId: string, cli: string | undefined): string =>
  `${moment}-${shortHash(sessionId)}${cli === undefined ? '' : `-${shortHash(cli)}`}`

/** Whether a hook of a start was heard: of this process of the CLI, where that is known. Not for runs. */
export function isStartHeard(folder: string, sessionId: string, cli: string | undefined): boolean {
  const claims = new Claims(folder)
  return STARTS.some((moment) => claims.newest(nameOfStart(moment, sessionId, cli)).number > 0)
}

/**
 * Whether this process is the one to answer. However often hooks are installed (by the person, a plugin, the run), each moment of an agent
 * gets one answer. No payload names its moment, so earlier claims decide:
 *
 * - A run has one process: its start is one, and a start that comes later is of an agent that the run itself started.
 * - Elsewhere each process of the CLI starts a session once within a minute; where the process is not known, within seconds.
 * - A compaction is over with the `compact` that follows it. One that failed has none; then a new prompt, or time, decides.
 * - Otherwise time.
 *
 * @param folder  of the run when `isRun`, else of whatever the agent works on
 * @throws the system's error when the folder can't be written
 */
export function isFirstToAnswer(folder: string, isRun: boolean, hook: Moment): boolean {
  const { moment, sessionId, promptId, cli } = hook
  const claims = new Claims(folder)
  const isStart = STARTS.some((one) => one === moment)
  if (isRun && isStart) return claims.take('start', 1, sessionId)

  const session = shortHash(sessionId)
  const name = isStart ? nameOfStart(moment, sessionId, cli) : `${moment}-${session}`
  const newest = claims.newest(name)
  if (moment === 'precompact') {
    // Numbered together with the ends of compactions, so that each end finds its beginning.
    const ended = claims.newest(`compact-${session}`).number
    const isSame = newest.number > ended && newest.note === promptId && newest.ageMs < SAME_MOMENT_MS
    return !isSame && claims.take(name, Math.max(newest.number, ended) + 1, promptId)
  }
  if (moment === 'compact') {
    const begun = claims.newest(`precompact-${session}`).number
    if (begun > newest.number) return claims.take(name, begun, promptId)
  }
  const sameMs = isStart && cli !== undefined ? SAME_START_MS : SAME_MOMENT_MS
  return newest.ageMs >= sameMs && claims.take(name, newest.number + 1, promptId)
}
