import { AppError } from '../../domain/errors'
import type { AgentName, FeedSeq, SessionId, SubagentId, TaskId } from '../../domain/ids'
import type { NeedKind } from '../../domain/overview/need'
import type { Finished, Need, Running } from '../../domain/overview/overview'
import type { StatusSettings } from '../../domain/overview/shown-status'
import type { NeedPlaces } from '../../domain/overview/tree-level'
import type { Store } from '../../domain/store'
import { causesOf, countCauses } from './causes'
import { countByKind, needsOf, undismissed } from './needs'
import { ofAgent } from './of-agent'
import type { NeedDraft } from './scene'
import { readScene } from './scene'
import { finishedOf, showFinished } from './show-finished'
import { firstOf, showNeeds } from './show-needs'
import { runningOf, showRunning } from './show-running'

/** What needs a person, what runs and what finished. */
export interface OverviewAnswer {
  feedSeq: FeedSeq
  counts: { needs: Partial<Record<NeedKind, number>>; snoozed: number; running: number; finished: number }
  needs: Need[]
  /** For each cause of these needs, how many needs have it, listed or not. */
  causes: { cause: string; count: number }[]
  /** The first to wake first. */
  snoozed: Need[]
  running: Running[]
  finished: Finished[]
}

/** The reads that it takes. */
export type OverviewSource = Pick<Store, 'overview' | 'feed'>

/** Ended runs that are weighed. */
const MAX_RUNS = 2_000

/**
 * @param asked  `since`: what finished after it, in milliseconds; `limit`: of each list; `agent`: only what is of this agent CLI; `cause`:
 *   only such needs, and the other lists are empty; `skip`: leaves out the first this many needs. Counts count all
 */
export async function readOverview(
  { overview: reads, feed }: OverviewSource,
  now: number,
  settings: StatusSettings,
  asked: {
    since: number
    limit: number
    agent?: AgentName | undefined
    cause?: string | undefined
    skip?: number | undefined
  },
): Promise<OverviewAnswer> {
  // Before the rows: a follower from here hears of a change twice rather than never.
  const feedSeq = await feed.head()
  const { since, limit } = asked
  const [scene, ended] = await Promise.all([readScene(reads, now, settings, since), reads.endedRuns(since, MAX_RUNS)])
  const isOf = ofAgent(scene, asked.agent)
  const all = await needsOf(reads, scene, settings)
  const { open: needs, snoozed } = await undismissed(reads, all.filter(isOf.need), now)
  const running = runningOf(scene).filter(isOf.running)
  const finished = finishedOf(scene, ended, since).filter(isOf.finished)
  const others = asked.cause === undefined ? limit : 0
  const [atWork, over] = [running.slice(0, others), finished.slice(0, others)]
  const causes = await causesOf(reads, [...needs, ...snoozed.slice(0, others)])
  const skip = asked.skip ?? 0
  const listed = needs
    .filter(({ id }) => asked.cause === undefined || causes.get(id) === asked.cause)
    .slice(skip, skip + limit)
  const countOf = countCauses(needs, causes)
  const tasks = [...atWork, ...over].flatMap((draft) =>
    'task' in draft && draft.task !== null ? [draft.task.key] : [],
  )
  const costs = reads.taskCosts([...new Set(tasks)])
  const [shownNeeds, shownSnoozed, shownRunning, shownFinished] = await Promise.all([
    showNeeds(reads, scene, listed, causes),
    showNeeds(reads, scene, snoozed.slice(0, others), causes),
    showRunning(reads, scene, atWork, costs),
    showFinished(reads, scene, over, costs),
  ])
  return {
    feedSeq,
    counts: { needs: countByKind(needs), snoozed: snoozed.length, running: running.length, finished: finished.length },
    needs: shownNeeds,
    causes: [...new Set(shownNeeds.flatMap(({ cause }) => cause ?? []))].map((cause) => ({
      cause,
      count: countOf(cause),
    })),
    snoozed: shownSnoozed,
    running: shownRunning,
    finished: shownFinished,
  }
}

/** How many needs there are of each kind. */
export async function countNeeds(
  { overview: reads }: Pick<Store, 'overview'>,
  now: number,
  settings: StatusSettings,
): Promise<Partial<Record<NeedKind, number>>> {
  const scene = await readScene(reads, now, settings, now)
  return countByKind((await undismissed(reads, await needsOf(reads, scene, settings), now)).open)
}

/** Where in the tree of all work the needs stand: each once, at its task, else at its session. Requests from outside stand nowhere. */
export async function needPlaces(
  { overview: reads }: Pick<Store, 'overview'>,
  now: number,
  settings: StatusSettings,
): Promise<NeedPlaces> {
  const scene = await readScene(reads, now, settings, now)
  const tasks = new Map<TaskId, number>()
  const sessions = new Map<SessionId, number>()
  const subagents: { session: SessionId; subagent: SubagentId }[] = []
  for (const need of (await undismissed(reads, await needsOf(reads, scene, settings), now)).open) {
    const task = need.kind === 'question' ? need.question.taskId : (need.task ?? firstOf(need))?.id
    if (task !== undefined) tasks.set(task, (tasks.get(task) ?? 0) + 1)
    else if (need.session !== null) sessions.set(need.session.id, (sessions.get(need.session.id) ?? 0) + 1)
    if (need.kind === 'unread') subagents.push({ session: need.run.sessionId, subagent: need.run.subagentId })
  }
  const counted = <Id>(counts: Map<Id, number>) => [...counts].map(([id, count]) => ({ id, count }))
  return { tasks: counted(tasks), sessions: counted(sessions), subagents }
}

/**
 * Whether this need may be taken off the list. One that was taken off already is fine, whether it is there or not.
 *
 * @throws `not_found`  nothing of this id needs anybody now
 * @throws `conflict`   a question, which is answered and not dismissed
 */
export async function checkDismissal(
  { overview: reads }: Pick<Store, 'overview'>,
  id: string,
  now: number,
  settings: StatusSettings,
): Promise<void> {
  if ((await reads.dismissed([id], now)).has(id)) return
  const scene = await readScene(reads, now, settings, now)
  const need: NeedDraft | undefined = (await needsOf(reads, scene, settings)).find((one) => one.id === id)
  if (need === undefined)
    throw new AppError('not_found', 'This need does not exist or is already over.', {
      hint: 'Run `lode status` to see what needs you.',
    })
  if (need.kind === 'question')
    throw new AppError('conflict', "A question can't be dismissed, only answered.", {
      hint: `Answer it with \`lode question answer ${need.question.id} allow\`, or deny instead of allow.`,
    })
}
