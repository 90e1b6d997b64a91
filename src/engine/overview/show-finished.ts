import { costIn } from '../../domain/cost/price'
import type { FinishedOutcome } from '../../domain/overview/need'
import type { Finished } from '../../domain/overview/overview'
import type { OverviewReads, WeighedRun, WeighedTask } from '../../domain/overview/overview-store'
import type { SubagentStatus } from '../../domain/session/session'
import type { Scene, SceneSession } from './scene'
import { runTitle, sessionTitle } from './show-needs'
import { cutAt, isoTime, maybeIso } from './words'

/** Something that is over. Times in milliseconds. */
export type FinishedDraft = { at: number; outcome: FinishedOutcome } & (
  | { kind: 'task'; task: WeighedTask }
  | { kind: 'session'; session: SceneSession }
  | { kind: 'subagent'; run: WeighedRun }
)

/** Characters of what something answered. */
const TEXT = 500

/** What ended since, the newest first. @param ended  runs whose end was reported since */
export function finishedOf(scene: Scene, ended: readonly WeighedRun[], since: number): FinishedDraft[] {
  const tasks = scene.finishedTasks.flatMap((task): FinishedDraft[] => {
    const { status, finishedAt } = task
    const isOver = status === 'completed' || status === 'failed' || status === 'cancelled'
    return isOver && finishedAt !== null && finishedAt > since
      ? [{ kind: 'task', task, at: finishedAt, outcome: status }]
      : []
  })
  const sessions = scene.sessions.flatMap((session): FinishedDraft[] => {
    const { status, isOfTask, heardAt, signals } = session
    if ((status !== 'ended' && status !== 'lost') || isOfTask || signals.lastEventAt === null) return []
    // The process was gone some time before: only its last sign is certain.
    return heardAt !== null && heardAt > since ? [{ kind: 'session', session, at: heardAt, outcome: status }] : []
  })
  // An end that follows from the session's own end stands in no row of ends.
  const runs = new Map([...ended, ...scene.unread].map((run) => [`${run.subagentKey} ${run.number}`, run]))
  const agents = [...runs.values()].flatMap((run): FinishedDraft[] => {
    const outcome = OUTCOME[run.status]
    return outcome !== undefined && run.endedAt !== null && run.endedAt > since
      ? [{ kind: 'subagent', run, at: run.endedAt, outcome }]
      : []
  })
  return [...tasks, ...sessions, ...agents].sort((a, b) => b.at - a.at)
}

const OUTCOME: Partial<Record<SubagentStatus, FinishedOutcome>> = {
  completed: 'completed',
  failed: 'failed',
  killed: 'cancelled',
  ended: 'ended',
  lost: 'lost',
}

export async function showFinished(
  reads: OverviewReads,
  scene: Scene,
  drafts: readonly FinishedDraft[],
  taskCosts: ReturnType<OverviewReads['taskCosts']>,
): Promise<Finished[]> {
  const sessions = drafts.flatMap((draft) => (draft.kind === 'session' ? [draft.session.key] : []))
  const runs = drafts.flatMap((draft) => (draft.kind === 'subagent' ? [draft.run] : []))
  const [taskFaces, costsOfTasks, sessionFaces, words, costs, runFaces] = await Promise.all([
    reads.taskFaces(drafts.flatMap((draft) => (draft.kind === 'task' ? [draft.task.key] : []))),
    taskCosts,
    reads.sessionFaces([...new Set([...sessions, ...runs.map(({ sessionKey }) => sessionKey)])]),
    reads.lastWords(sessions),
    reads.costs(sessions),
    reads.runFaces(runs),
  ])
  return drafts.map((draft): Finished => {
    const { kind, outcome } = draft
    const at = isoTime(draft.at)
    if (draft.kind === 'task') {
      const face = taskFaces.get(draft.task.key) ?? null
      const text = outcome === 'completed' ? face?.output : (face?.failureReason ?? face?.reason)
      return {
        kind,
        title: face?.title ?? draft.task.id,
        project: face?.project ?? null,
        taskId: draft.task.id,
        sessionId: draft.task.sessionId,
        issueId: face?.issueId ?? null,
        subagentId: null,
        outcome,
        agentCli: face?.agentCli ?? null,
        at,
        startedAt: maybeIso(face?.startedAt ?? null),
        text: beginning(text ?? null),
        ...costIn(costsOfTasks.get(draft.task.key)),
      }
    }
    if (draft.kind === 'session') {
      const { key, id } = draft.session
      const face = sessionFaces.get(key) ?? null
      return {
        kind,
        title: sessionTitle(id, face),
        project: face?.project ?? null,
        taskId: null,
        sessionId: id,
        issueId: face?.issueId ?? null,
        subagentId: null,
        outcome,
        agentCli: face?.agentCli ?? null,
        at,
        startedAt: maybeIso(face?.startedAt ?? null),
        text: beginning(words.get(key) ?? null),
        ...costIn(costs.get(key)),
      }
    }
    const { run } = draft
    const session = sessionFaces.get(run.sessionKey) ?? null
    const face = runFaces.get(`${run.subagentKey} ${run.number}`) ?? null
    return {
      kind,
      title: runTitle(run, face),
      project: session?.project ?? null,
      taskId: scene.taskOf(run.sessionId)?.id ?? null,
      sessionId: run.sessionId,
      issueId: session?.issueId ?? null,
      subagentId: run.subagentId,
      outcome,
      agentCli: session?.agentCli ?? null,
      at,
      startedAt: maybeIso(run.startedAt),
      text: beginning(face?.result ?? null),
      ...costIn(face),
    }
  })
}

const beginning = (text: string | null): string | null => (text === null || text === '' ? null : cutAt(text, TEXT).text)
