import { budgetState, limitAt } from '../../domain/budget/budget'
import type { TaskId } from '../../domain/ids'
import { NEED_KINDS, type NeedKind } from '../../domain/overview/need'
import type { OverviewReads, WeighedRun, WeighedTask } from '../../domain/overview/overview-store'
import type { StatusSettings } from '../../domain/overview/shown-status'
import { sessionStatus } from '../../domain/session/session-status'
import { MINUTE_MS } from '../../domain/time-units'
import type { NeedDraft } from './scene'
import { OLD_MS, type Scene, type SceneSession } from './scene'
import { CLAIM_GRACE_MS, untaken } from './untaken'
import { isoTime } from './words'

/** A session may read what its agents answered for this long after its turn. */
const READS_SOON_MS = 5 * MINUTE_MS

/** Everything that needs a person, the most urgent first, dismissed or not. */
export async function needsOf(reads: OverviewReads, scene: Scene, settings: StatusSettings): Promise<NeedDraft[]> {
  const lost = lostTasks(scene)
  const found = [
    ...questions(scene),
    ...waiting(scene),
    ...failures(scene),
    ...budgets(scene),
    ...requests(scene),
    ...stuck(scene, new Set(lost.flatMap(({ task }) => task?.id ?? []))),
    ...lost,
    ...(await untaken(reads, scene, lost)),
    ...(await withoutContinued(reads, [...lostSessions(scene), ...unread(scene)])),
    ...messages(scene, settings),
  ]
  return found.sort(
    (a, b) =>
      NEED_KINDS.indexOf(a.kind) - NEED_KINDS.indexOf(b.kind) ||
      (a.kind === 'question' ? a.since - b.since : b.since - a.since) ||
      (a.id < b.id ? -1 : 1),
  )
}

/** A need that was put off, with when it needs somebody again, in milliseconds. */
export type SnoozedDraft = NeedDraft & { until: number }

/** Takes out what a person dismissed or put off. A question stays: whoever it is about waits for the answer. */
export async function undismissed(
  reads: OverviewReads,
  needs: readonly NeedDraft[],
  now: number,
): Promise<{ open: NeedDraft[]; snoozed: SnoozedDraft[] }> {
  const dismissed = await reads.dismissed(
    needs.map(({ id }) => id),
    now,
  )
  const isOpen = ({ id, kind }: NeedDraft): boolean => kind === 'question' || !dismissed.has(id)
  const snoozed = needs.flatMap((need): SnoozedDraft[] => {
    const until = isOpen(need) ? null : (dismissed.get(need.id)?.until ?? null)
    return until === null ? [] : [{ ...need, until }]
  })
  return { open: needs.filter(isOpen), snoozed: snoozed.sort((a, b) => a.until - b.until) }
}

const place = (session: SceneSession | undefined) =>
  session === undefined ? null : { key: session.key, id: session.id }

const questions = (scene: Scene): NeedDraft[] =>
  scene.questions.map((question) => {
    const task = scene.openTasks.find(({ id }) => id === question.taskId) ?? null
    const session = task?.sessionId ? scene.session(task.sessionId) : undefined
    return {
      kind: 'question',
      id: `question:${question.id}`,
      since: Date.parse(question.askedAt),
      evidence: `question ${question.id} is open; ${question.default} at ${question.deadline}`,
      task,
      session: place(session),
      question,
    }
  })

/** The question reports a run's session; in a terminal it waits for a person. */
const waiting = (scene: Scene): NeedDraft[] =>
  scene.sessions.flatMap((session) =>
    session.status !== 'waiting' || session.isOfTask || session.isImported
      ? []
      : [ofSession('waiting', session, session.signals.activityAt)],
  )

function ofSession(kind: 'waiting' | 'stuck' | 'lost', session: SceneSession, at: number | null): NeedDraft {
  return {
    kind,
    id: `${kind}:${session.id}:${at ?? 0}`,
    since: at ?? 0,
    evidence: session.statusEvidence,
    task: session.task !== null && session.isOfTask ? session.task : null,
    session: place(session),
  }
}

/** A task that failed since what it depends on did comes back with that one. */
const failures = (scene: Scene): NeedDraft[] =>
  scene.finishedTasks.flatMap((task): NeedDraft[] => {
    const { status, finishedAt, failureClass, isTakenUp, attempt } = task
    const isOwn = status === 'failed' && failureClass !== 'dependency_failed' && !isTakenUp
    if (!isOwn || finishedAt === null || finishedAt < scene.now - OLD_MS) return []
    const by = attempt === null ? 'before any attempt' : `attempt ${attempt.number} ${attempt.outcome ?? 'is over'}`
    // The run itself ended well then.
    const how = failureClass === 'agent' ? 'the agent reported a failure' : failureClass?.replaceAll('_', ' ')
    return [
      {
        kind: 'failure',
        id: `failure:${task.id}:${finishedAt}`,
        since: finishedAt,
        evidence: how === undefined ? by : `${by}, ${how}`,
        task,
        session: place(task.sessionId === null ? undefined : scene.session(task.sessionId)),
      },
    ]
  })

/** Another one in each period, and when its limit was raised and is reached again. */
const budgets = (scene: Scene): NeedDraft[] =>
  scene.budgets.flatMap((budget): NeedDraft[] => {
    if (budgetState(budget, scene.now) !== 'over') return []
    return [
      {
        kind: 'budget',
        id: `budget:${budget.name}:${budget.usedUntil ?? 'ever'}:${limitAt(budget, scene.now)}`,
        since: budget.overSince ?? scene.now,
        evidence: `the record, counted at ${isoTime(budget.countedAt ?? scene.now)}`,
        task: null,
        session: null,
        budget,
      },
    ]
  })

const requests = (scene: Scene): NeedDraft[] =>
  scene.requests.map((request) => ({
    kind: 'request',
    id: request.consentTo === null ? `request:${request.id}` : `consent:${request.consentTo}`,
    since: request.receivedAt,
    evidence:
      request.consentTo === null
        ? `new in the inbox, from ${request.source}`
        : `${request.consentTo} is to work on it and waits for your consent`,
    task: null,
    session: null,
    request,
  }))

/** A run that asks a person, or whose worker is gone, is reported. */
function stuck(scene: Scene, lost: ReadonlySet<TaskId>): NeedDraft[] {
  const reported = new Set([...lost, ...scene.questions.map(({ taskId }) => taskId)])
  return scene.sessions.flatMap((session) => {
    const { status, heardAt, task, isOfTask, isImported } = session
    const isReported = isOfTask ? task?.status !== 'in_progress' || reported.has(task.id) : isImported
    return status !== 'stuck' || isReported ? [] : [ofSession('stuck', session, heardAt)]
  })
}

/** Attempts without a sign of life: the lease is over and nobody swept it, or it was, and nobody took the task up. */
function lostTasks(scene: Scene): NeedDraft[] {
  return scene.openTasks.flatMap((task): NeedDraft[] => {
    const at = lostAt(task, scene.now)
    const { attempt } = task
    if (at === null || attempt === null || at < scene.now - OLD_MS) return []
    const how = attempt.endedAt === null ? 'its lease expired' : 'its worker went silent'
    return [
      {
        kind: 'lost',
        id: `lost:${task.id}:${attempt.number}`,
        since: at,
        evidence: `attempt ${attempt.number}: ${how} at ${isoTime(at)}`,
        task,
        session: place(task.sessionId === null ? undefined : scene.session(task.sessionId)),
      },
    ]
  })
}

function lostAt({ status, attempt }: WeighedTask, now: number): number | null {
  if (attempt === null) return null
  const { leaseExpiresAt, leaseMs, endedAt, outcome } = attempt
  if (status === 'in_progress')
    return leaseExpiresAt !== null && now - leaseExpiresAt > Math.max(leaseMs, CLAIM_GRACE_MS) ? leaseExpiresAt : null
  return outcome === 'lost' && endedAt !== null && now - endedAt > CLAIM_GRACE_MS ? endedAt : null
}

const lostSessions = (scene: Scene): NeedDraft[] =>
  scene.sessions.flatMap((session) =>
    session.status !== 'lost' || session.isOfTask || session.isImported || (session.heardAt ?? 0) < scene.now - OLD_MS
      ? []
      : [ofSession('lost', session, session.heardAt)],
  )

/** A session that is over, or that stands still. If its task goes on, it is reported when it does. */
const unread = (scene: Scene): NeedDraft[] =>
  scene.unread.flatMap((run): NeedDraft[] => {
    const reportedAt = run.endedAt ?? run.startedAt
    const at = reportedAt === null ? null : Math.min(reportedAt, scene.now)
    const task = scene.taskOf(run.sessionId)
    if (run.isRead || (run.status !== 'completed' && run.status !== 'failed')) return []
    if (at === null || at < scene.now - OLD_MS || (task !== null && task.finishedAt === null)) return []
    if (run.isImported && task === null) return []
    if (readsSoon(run, scene.now)) return []
    return [
      {
        kind: 'unread',
        id: `unread:${run.sessionId}:${run.subagentId}:${run.number}`,
        since: at,
        evidence: `${run.status} (${run.statusEvidence}), not read`,
        task,
        session: { key: run.sessionKey, id: run.sessionId },
        run,
      },
    ]
  })

function readsSoon({ signals }: WeighedRun, now: number): boolean {
  const { status } = sessionStatus(signals, now)
  if (status === 'running' || status === 'waiting') return true
  if (status !== 'idle') return false
  return now - Math.max(signals.activityAt ?? 0, signals.lastEventAt ?? 0) < READS_SOON_MS
}

/** A session that went on from another one has what it left. */
async function withoutContinued(reads: OverviewReads, needs: readonly NeedDraft[]): Promise<NeedDraft[]> {
  const keys = [...new Set(needs.flatMap(({ session }) => session?.key ?? []))]
  const continued = await reads.continued(keys)
  return needs.filter(({ session }) => session === null || !continued.has(session.key))
}

/** A session at work gets what waits for it with its next step. */
const messages = (scene: Scene, { stuckAfterMs }: StatusSettings): NeedDraft[] =>
  scene.messages.flatMap((message): NeedDraft[] => {
    const { session, createdAt } = message
    const isAtWork = session !== null && sessionStatus(session.signals, scene.now).status === 'running'
    if (isAtWork && scene.now - createdAt < stuckAfterMs) return []
    return [
      {
        kind: 'message',
        id: `message:${message.id}`,
        since: createdAt,
        evidence: `waits for ${message.to}, which nobody reads`,
        task: null,
        session: session === null ? null : { key: session.key, id: session.id },
        message,
      },
    ]
  })

/** How many there are of each kind. */
export function countByKind(needs: readonly NeedDraft[]): Partial<Record<NeedKind, number>> {
  const counts: Partial<Record<NeedKind, number>> = {}
  for (const { kind } of needs) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
