import type { BudgetRow } from '../../domain/budget/budget'
import type { SessionId, SessionKey, TaskId } from '../../domain/ids'
import type {
  OverviewReads,
  UntakenTasks,
  WaitingMessage,
  WaitingRequest,
  WeighedRun,
  WeighedSession,
  WeighedTask,
} from '../../domain/overview/overview-store'
import { lastActivityAt, mayBeStuck, type StatusSettings, shownSession } from '../../domain/overview/shown-status'
import type { ShownSessionStatus } from '../../domain/session/session'
import { sessionStatus } from '../../domain/session/session-status'
import type { Question } from '../../domain/task/task'
import { isFinal } from '../../domain/task/task'
import { DAY_MS, MINUTE_MS } from '../../domain/time-units'

/** What went wrong before that is known, or nobody's concern any more. */
export const OLD_MS = 7 * DAY_MS
/** The longest that a session is taken for alive by its silence alone (`domain/session/session-status.ts`), with room. */
const SILENCE_MS = DAY_MS
/** Rows of one sort that are weighed, the newest: beyond it counts are too small, and no list is that long. */
const MAX_ROWS_OF_A_SORT = 2_000
/** What a session says after its task ended is a person's who went on with it, but for the last lines of the run. */
const AFTERMATH_MS = MINUTE_MS

/** A session with what follows from its row. Times in milliseconds. */
export interface SceneSession extends WeighedSession {
  status: ShownSessionStatus
  statusEvidence: string
  /** Its newest word or line; `null` = none. */
  heardAt: number | null
  /** The task whose conversation it is or was. */
  task: WeighedTask | null
  /** The task reports it: it is not reported by itself. */
  isOfTask: boolean
}

/** Everything that needs, runs and results are worked out from. */
export interface Scene {
  now: number
  sessions: readonly SceneSession[]
  session(id: SessionId): SceneSession | undefined
  /** In progress, or waiting after a loss. */
  openTasks: readonly WeighedTask[]
  finishedTasks: readonly WeighedTask[]
  /** Unread and in the background, none older than `OLD_MS`. */
  unread: readonly WeighedRun[]
  questions: readonly Question[]
  /** Tasks of which one is open. */
  asking: ReadonlySet<TaskId>
  requests: readonly WaitingRequest[]
  messages: readonly WaitingMessage[]
  budgets: readonly BudgetRow[]
  /** The task of a run's session, or of a session that is not weighed. */
  taskOf(session: SessionId): WeighedTask | null
}

/** @param finishedSince  milliseconds; what finished before is not looked at but for what went wrong */
export async function readScene(
  reads: OverviewReads,
  now: number,
  settings: StatusSettings,
  finishedSince: number,
): Promise<Scene> {
  const [openTasks, finishedTasks, unread, questions, requests, messages, budgets] = await Promise.all([
    reads.openTasks(MAX_ROWS_OF_A_SORT),
    reads.finishedTasks(Math.min(finishedSince, now - OLD_MS), MAX_ROWS_OF_A_SORT),
    reads.unreadRuns(now - OLD_MS, MAX_ROWS_OF_A_SORT),
    reads.questions(now, MAX_ROWS_OF_A_SORT),
    reads.requests(MAX_ROWS_OF_A_SORT),
    reads.messages(MAX_ROWS_OF_A_SORT),
    reads.budgets(),
  ])
  const weighed = await reads.sessions({
    heardSince: Math.min(finishedSince, now - SILENCE_MS),
    openSince: now - OLD_MS,
    also: openTasks.flatMap(({ sessionId }) => sessionId ?? []),
    limit: MAX_ROWS_OF_A_SORT,
  })
  const ofTasks = [...weighed, ...unread.map((run) => ({ id: run.sessionId, hasTask: run.hasTask }))]
  const tasks = await reads.tasksOf([...new Set(ofTasks.flatMap(({ id, hasTask }) => (hasTask ? [id] : [])))])
  const taskOf = (id: SessionId): WeighedTask | null => speaker(tasks.get(id) ?? [])
  const asking = new Set(questions.map(({ taskId }) => taskId))
  const judged = weighed.map((session) => {
    const task = taskOf(session.id)
    const heardAt = lastActivityAt(session.signals, now)
    const hasQuestion = task?.sessionId === session.id && asking.has(task.id)
    return { ...session, ...sessionStatus(session.signals, now), heardAt, task, hasQuestion }
  })
  const works = await reads.sessionWork(
    judged.filter((one) => !one.hasQuestion && mayBeStuck(one.status, one.heardAt, now, settings)),
  )
  const sessions = judged.map(({ hasQuestion, ...session }): SceneSession => {
    const status = shownSession(session.status, hasQuestion, works.get(session.key), settings)
    return { ...session, status, isOfTask: isReported(session.task, session.heardAt) }
  })
  const byId = new Map(sessions.map((session) => [session.id, session]))
  return {
    now,
    sessions,
    session: (id) => byId.get(id),
    openTasks,
    finishedTasks,
    unread,
    questions,
    asking,
    requests,
    messages,
    budgets,
    taskOf,
  }
}

/** Among several tasks that had a conversation, the one that has it now. They come newest first. */
function speaker(tasks: readonly WeighedTask[]): WeighedTask | null {
  return (
    tasks.find(({ status }) => status === 'in_progress') ??
    tasks.find(({ status }) => !isFinal(status)) ??
    tasks[0] ??
    null
  )
}

function isReported(task: WeighedTask | null, heardAt: number | null): boolean {
  if (task === null) return false
  return task.finishedAt === null || (heardAt ?? 0) <= task.finishedAt + AFTERMATH_MS
}

/** A need before its texts are read. Times in milliseconds. */
export type NeedDraft = {
  /** Names this occasion. */
  id: string
  since: number
  evidence: string
  task: WeighedTask | null
  session: { key: SessionKey; id: SessionId } | null
} & (
  | { kind: 'question'; question: Question }
  | { kind: 'waiting' | 'stuck' | 'lost' | 'failure' }
  | { kind: 'request'; request: WaitingRequest }
  | { kind: 'untaken'; group: UntakenTasks }
  | { kind: 'unread'; run: WeighedRun }
  | { kind: 'message'; message: WaitingMessage }
  | { kind: 'budget'; budget: BudgetRow }
)
