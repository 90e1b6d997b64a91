import { lengthOf } from '../length-words'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time-units'
import type { SessionStatus } from './session'
import type { SessionSignals } from './session-store'

/**
 * Where a session is, and what says so. Nothing else decides it.
 *
 * Three kinds of signs are weighed: what the agent said last (`activity`: hooks, transcript and stream lines), whether its
 * process lives (looked at on its own host), and when its files last told something.
 *
 * 1. The agent said that the session ended, and nothing newer: **ended**.
 * 2. Its process is gone, and nothing newer was heard: **ended** when its turn was over or its last word was a text, else **lost**. A sign of life that
 *    is newer than the look at the process wins: the session was resumed, perhaps on another host.
 * 3. Its process lives: what the agent said last counts, however long ago. A tool may run for hours.
 * 4. Nothing is known of its process (an old CLI, an import, another host): unknown counts as alive for a while, then the
 *    silence decides: **lost** in the middle of a turn or of a question, **ended** after it.
 *
 * An idle session that goes on writing is **running**: a background agent is at work in it.
 *
 * Times in the future (another host's clock) count as now; missing and impossible ones as unknown. The longer a session is
 * silent, the more over it is: with the same signals it never comes back to life.
 *
 * @param now  milliseconds since the epoch
 */
export function sessionStatus(signals: SessionSignals, now: number): { status: SessionStatus; statusEvidence: string } {
  const view = viewOf(signals, isTime(now) ? now : 0)
  const status = decide(view)
  return { status, statusEvidence: evidenceOf(view, status) }
}

/** The status alone, for callers with many sessions: wording the evidence takes longer than weighing it. */
export const bareStatus = (signals: SessionSignals, now: number): SessionStatus =>
  decide(viewOf(signals, isTime(now) ? now : 0))

const decide = (view: View): SessionStatus => endedByReport(view) ?? endedByProcess(view) ?? present(view)

/**
 * Silence in the middle of a turn, with no process known. The longest a CLI is silent by its own limits is 10 minutes for a
 * tool and about as long for retries of a model request; an hour leaves room for those who raised them.
 */
const WORKING_SILENCE_MS = HOUR_MS
/** Silence after a finished turn, with no process known: a working day may pass before the person goes on. */
const IDLE_SILENCE_MS = 8 * HOUR_MS
/** Silence after a question, with no process known: it may be answered the next morning, after a long weekend it is not. */
const WAITING_SILENCE_MS = DAY_MS
/** A session without a sign of life for this long is over by every rule, unless its process is there. */
export const LONGEST_SILENCE_MS = Math.max(WORKING_SILENCE_MS, IDLE_SILENCE_MS, WAITING_SILENCE_MS)
/** Without a word about turns, a session that told something within this time is at work. */
const NEWS_MS = 2 * MINUTE_MS
/** The last lines of a turn are written a moment after its end was announced; what comes later is new work. */
const AFTERMATH_MS = 15_000
/** An announcement of the turn's end may overtake or trail that of the session's end by this much. */
const LATE_WORD_MS = 5_000
/**
 * A file that grew at about the time of its last event is news of now. One that grew long after was imported, and its growth
 * tells when we came by.
 */
export const GROWTH_IS_NEWS_MS = MINUTE_MS

/** Whether a fact was recorded soon after it happened, so that it shows a session at work and not its history. */
export const isNews = (toldAt: number, recordedAt: number): boolean =>
  toldAt > 0 && recordedAt > 0 && recordedAt - toldAt <= GROWTH_IS_NEWS_MS

interface View {
  now: number
  activity: SessionSignals['activity']
  activityAt: number | null
  activityEvidence: string
  endedAt: number | null
  endReason: string | null
  process: 'alive' | 'gone' | 'unknown'
  processId: number | null
  processAt: number | null
  lastEventAt: number | null
  /** When the files last grew with something new; `null` = never seen. */
  grewAt: number | null
  /** The newest of all signs but the process. */
  heardAt: number | null
}

function viewOf(signals: SessionSignals, now: number): View {
  const time = (at: number | null): number | null => (at !== null && isTime(at) ? Math.min(at, now) : null)
  const activityAt = time(signals.activityAt)
  const lastEventAt = time(signals.lastEventAt)
  const processAt = time(signals.processAt)
  const grewAt = newsOf(time(signals.fileGrewAt), lastEventAt)
  const spokeAt = latest(activityAt, lastEventAt)
  const isOutlived = spokeAt !== null && processAt !== null && spokeAt > processAt
  const isKnown = signals.processState === 'alive' || (signals.processState === 'gone' && !isOutlived)
  return {
    now,
    activity: signals.activity,
    activityAt,
    activityEvidence: signals.activityEvidence || (signals.activity ?? ''),
    endedAt: time(signals.endedAt),
    endReason: signals.endReason,
    process: isKnown ? (signals.processState ?? 'unknown') : 'unknown',
    processId: signals.processId,
    processAt,
    lastEventAt,
    grewAt,
    heardAt: latest(spokeAt, grewAt),
  }
}

/** What a `Date` can hold. */
function isTime(at: number): boolean {
  return Math.abs(at) <= 8_640_000_000_000_000
}

function newsOf(grewAt: number | null, lastEventAt: number | null): number | null {
  if (grewAt === null || lastEventAt === null) return grewAt
  return grewAt - lastEventAt <= GROWTH_IS_NEWS_MS ? grewAt : null
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b)
}

/** Milliseconds since `at`; endless when it is unknown. */
function since(view: View, at: number | null): number {
  return at === null ? Number.POSITIVE_INFINITY : view.now - at
}

function endedByReport(view: View): SessionStatus | undefined {
  if (view.activity === 'ended') return 'ended'
  if (view.endedAt === null) return undefined
  if (view.activity === null) return since(view, view.lastEventAt) >= since(view, view.endedAt) ? 'ended' : undefined
  const isTrailing = view.activity === 'idle' && (view.activityAt ?? 0) - view.endedAt < LATE_WORD_MS
  const isBackAlive = view.process === 'alive' && (view.processAt ?? 0) > view.endedAt
  return isTrailing && !isBackAlive ? 'ended' : undefined
}

function endedByProcess(view: View): SessionStatus | undefined {
  if (view.process !== 'gone') return undefined
  return isCutShort(view) ? 'lost' : 'ended'
}

/**
 * Whether the last word leaves a turn or a question open. Versions before about 2.1.30 write no stop reason: a text that
 * nothing followed was their answer.
 */
function isCutShort(view: View): boolean {
  if (view.activity === 'waiting') return true
  return view.activity === 'working' && !view.activityEvidence.endsWith(':text')
}

function present(view: View): SessionStatus {
  const isAlive = view.process === 'alive'
  const silence = since(view, view.heardAt)
  switch (view.activity) {
    case 'working':
      if (isAlive || silence < WORKING_SILENCE_MS) return 'running'
      return isCutShort(view) ? 'lost' : 'ended'
    case 'waiting':
      return isAlive || silence < WAITING_SILENCE_MS ? 'waiting' : 'lost'
    case 'idle':
      if (goesOn(view)) return 'running'
      return isAlive || silence < IDLE_SILENCE_MS ? 'idle' : 'ended'
    default:
      if (view.lastEventAt !== null && silence < NEWS_MS) return 'running'
      return isAlive || silence < (view.lastEventAt === null ? NEWS_MS : IDLE_SILENCE_MS) ? 'idle' : 'ended'
  }
}

/** Whether an idle session's files report work that began after its turn was over, and is not long ago. */
function goesOn(view: View): boolean {
  const { activityAt, lastEventAt } = view
  if (activityAt === null || lastEventAt === null) return false
  return lastEventAt - activityAt > AFTERMATH_MS && since(view, lastEventAt) < NEWS_MS
}

/** e.g. `hook:Stop 12 s ago, process 4711 alive`; the newest sign first. */
function evidenceOf(view: View, status: SessionStatus): string {
  const parts = [signOf(view, status)]
  const pid = view.processId === null ? 'process' : `process ${view.processId}`
  if (view.process === 'alive') parts.push(`${pid} alive`)
  else if (view.process === 'gone') parts.push(`${pid} gone${ago(view, view.processAt)}`)
  else if (status === 'lost') parts.push('no process found')
  else if (status === 'ended' && view.activity !== 'ended') parts.push('recorded only')
  return parts.join(', ')
}

function signOf(view: View, status: SessionStatus): string {
  if (status === 'ended' && view.endedAt !== null && view.activity !== 'ended') {
    return `end (${view.endReason ?? 'no reason given'})${ago(view, view.endedAt)}`
  }
  const report = view.activity === null ? null : `${view.activityEvidence}${ago(view, view.activityAt)}`
  const isNewer = since(view, view.heardAt) < since(view, view.activityAt) - AFTERMATH_MS
  if (report !== null && !isNewer) return report
  const sign = view.heardAt === null ? 'nothing heard' : newestSign(view)
  return report === null ? sign : `${sign}, ${report}`
}

function newestSign(view: View): string {
  return view.heardAt === view.lastEventAt
    ? `last event${ago(view, view.heardAt)}`
    : `file grew${ago(view, view.heardAt)}`
}

/** ` 12 s ago`; empty when the time is unknown. */
function ago(view: View, at: number | null): string {
  return at === null ? '' : ` ${lengthOf(view.now - at)} ago`
}
