import { costIn } from '../../domain/cost/price'
import { NO_USAGE } from '../../domain/cost/usage'
import type { Running } from '../../domain/overview/overview'
import type { OverviewReads, SessionWork, WeighedTask } from '../../domain/overview/overview-store'
import { shownWork } from '../../domain/overview/shown-status'
import type { Scene, SceneSession } from './scene'
import { sessionTitle } from './show-needs'
import { callLine, maybeIso } from './words'

/** A task at work, or a session that lives without one. */
export interface RunningDraft {
  task: WeighedTask | null
  session: SceneSession | null
  /** When its newest sign was, in milliseconds. */
  at: number
}

/** What is at work before what waits for its next turn, the newest activity first. */
export function runningOf(scene: Scene): RunningDraft[] {
  const atWork = scene.openTasks.filter(({ status }) => status === 'in_progress')
  const tasks = atWork.map((task): RunningDraft => {
    const session = task.sessionId === null ? undefined : scene.session(task.sessionId)
    return { task, session: session ?? null, at: Math.max(session?.heardAt ?? 0, task.attempt?.startedAt ?? 0) }
  })
  const sessions = scene.sessions.flatMap((session): RunningDraft[] =>
    session.isOfTask || session.status === 'ended' || session.status === 'lost'
      ? []
      : [{ task: null, session, at: session.heardAt ?? 0 }],
  )
  const rank = ({ task, session }: RunningDraft): number => (task === null && session?.status === 'idle' ? 1 : 0)
  return [...tasks, ...sessions].sort((a, b) => rank(a) - rank(b) || b.at - a.at)
}

export async function showRunning(
  reads: OverviewReads,
  scene: Pick<Scene, 'asking'>,
  drafts: readonly RunningDraft[],
  taskCosts: ReturnType<OverviewReads['taskCosts']>,
): Promise<Running[]> {
  const sessions = drafts.flatMap(({ session }) => session ?? [])
  const [taskFaces, costs, sessionFaces, works] = await Promise.all([
    reads.taskFaces(drafts.flatMap(({ task }) => task?.key ?? [])),
    taskCosts,
    reads.sessionFaces(sessions.map(({ key }) => key)),
    reads.sessionWork(sessions),
  ])
  return drafts.map(({ task, session, at }): Running => {
    const own = task === null ? null : (taskFaces.get(task.key) ?? null)
    const face = session === null ? null : (sessionFaces.get(session.key) ?? null)
    const work = session === null ? null : (works.get(session.key) ?? null)
    // Another attempt may have worked in another conversation, and an earlier task in this one.
    const cost = task === null ? work : (costs.get(task.key) ?? null)
    return {
      kind: task === null ? 'session' : 'task',
      title: own?.title ?? (session === null ? '' : sessionTitle(session.id, face)),
      project: own?.project ?? face?.project ?? null,
      taskId: task?.id ?? null,
      sessionId: session?.id ?? task?.sessionId ?? null,
      issueId: own?.issueId ?? face?.issueId ?? null,
      taskStatus: task === null ? null : shownWork(task.status, scene.asking.has(task.id)),
      sessionStatus: session?.status ?? null,
      statusEvidence: session?.statusEvidence ?? own?.reason ?? '',
      agentName: own?.agentName ?? null,
      agentCli: face?.agentCli ?? own?.agentCli ?? null,
      host: own?.host ?? face?.host ?? null,
      model: face?.model ?? own?.model ?? null,
      startedAt: maybeIso(own?.startedAt ?? face?.startedAt ?? null),
      lastEventAt: session === null || at === 0 ? null : maybeIso(session.heardAt),
      doing: doingOf(session, work),
      todos: work?.todos ?? null,
      runningAgents: work?.runningAgents ?? 0,
      usage: cost?.usage ?? NO_USAGE,
      ...costIn(cost),
    }
  })
}

/** A call that nobody answered in a session that stands still was left open. */
function doingOf(session: SceneSession | null, work: SessionWork | null): string | null {
  if (work === null) return null
  const isAtWork = session !== null && session.status !== 'idle'
  if (isAtWork && work.newestCall !== null) return callLine(work.newestCall)
  return work.todos?.current ?? null
}
