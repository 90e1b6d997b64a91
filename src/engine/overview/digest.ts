import type { CostRow } from '../../domain/cost/cost'
import { NO_COST } from '../../domain/cost/price'
import { UTC } from '../../domain/cost/zone-days'
import type { AgentName, SessionKey } from '../../domain/ids'
import { type Digest, type DigestItem, type DigestProject, firstSentence } from '../../domain/overview/digest'
import type { StatusSettings } from '../../domain/overview/shown-status'
import { readTreeId } from '../../domain/overview/tree-id'
import type { Store } from '../../domain/store'
import { needsOf, undismissed } from './needs'
import { ofAgent } from './of-agent'
import { readScene } from './scene'
import { finishedOf, showFinished } from './show-finished'
import { showNeeds } from './show-needs'

/** Items of a project that are listed, of each sort. */
const LISTED = 20
/** What ended is looked at: the newest. */
const MOST_ENDED = 1_000
/** The usual is worked out over a time that is this many times as long as the digest's, before it. */
const USUAL_SPANS = 4
const MOST_PROJECTS = 200

/** What went on since a time, by repository. @param asked  `since` in milliseconds; `agent`: only what is of this agent CLI */
export async function readDigest(
  { overview: reads, costs }: Pick<Store, 'overview' | 'costs'>,
  now: number,
  settings: StatusSettings,
  { since, agent }: { since: number; agent?: AgentName | undefined },
): Promise<Digest> {
  const span = Math.max(1, now - since)
  const sumOf = (from: number, until: number) =>
    costs.sum({
      by: 'project',
      since: from,
      until,
      timeZone: UTC,
      limit: MOST_PROJECTS,
      ...(agent !== undefined && { agent }),
    })
  const [scene, spent, before] = await Promise.all([
    readScene(reads, now, settings, since),
    sumOf(since, now),
    sumOf(since - USUAL_SPANS * span, since),
  ])
  const isOf = ofAgent(scene, agent)
  const over = finishedOf(scene, [], since)
    .filter((draft) => draft.kind !== 'subagent' && draft.outcome !== 'cancelled' && isOf.finished(draft))
    .slice(0, MOST_ENDED)
  const all = await needsOf(reads, scene, settings)
  const { open } = await undismissed(reads, all.filter(isOf.need), now)
  const heard = scene.sessions.filter(
    ({ heardAt, agentCli }) => (heardAt ?? 0) >= since && (agent === undefined || agentCli === agent),
  )
  const keys = heard.map(({ key }) => key)
  const tasks = over.flatMap((draft) => (draft.kind === 'task' ? [draft.task.key] : []))
  const [finished, needs, faces, edits] = await Promise.all([
    showFinished(reads, scene, over, reads.taskCosts(tasks)),
    showNeeds(reads, scene, open.slice(0, MOST_ENDED)),
    reads.sessionFaces(keys),
    reads.edits(keys, since),
  ])
  const projects = new Map<string | null, DigestProject>()
  const of = (project: string | null): DigestProject => {
    const name = nameOf(project)
    const found = projects.get(name) ?? {
      name,
      done: [],
      failed: [],
      more: 0,
      needs: 0,
      edits: 0,
      cost: NO_COST,
      usualUsd: null,
    }
    projects.set(name, found)
    return found
  }
  // What was imported was never seen at work: how it ended is history, and no failure.
  const isFailed = (at: number): boolean => {
    const draft = over[at]
    const isImported = draft?.kind === 'session' && draft.session.isImported
    return draft?.outcome === 'failed' || (draft?.outcome === 'lost' && !isImported)
  }
  for (const [place, { title, text, taskId, sessionId, agentCli, at, project }] of finished.entries()) {
    const item: DigestItem = { title, text: firstSentence(text), taskId, sessionId, agentCli, at }
    const found = of(project)
    const list = isFailed(place) ? found.failed : found.done
    if (list.length < LISTED) list.push(item)
    else found.more++
  }
  for (const { project } of needs) of(project).needs++
  for (const key of keys) of(projectOf(faces, key)).edits += edits.get(key) ?? 0
  for (const row of spent.rows) of(projectOfCost(row)).cost = { costUsd: row.costUsd, isEstimate: row.isEstimate }
  for (const row of before.rows) {
    const { costUsd } = row
    const found = projects.get(nameOf(projectOfCost(row)))
    if (found !== undefined && costUsd !== null) found.usualUsd = costUsd / USUAL_SPANS
  }
  const list = [...projects.values()].sort(
    (a, b) =>
      (b.cost.costUsd ?? 0) - (a.cost.costUsd ?? 0) ||
      weight(b) - weight(a) ||
      ((a.name ?? '') < (b.name ?? '') ? -1 : 1),
  )
  const count = (pick: (project: DigestProject) => number): number => list.reduce((sum, one) => sum + pick(one), 0)
  return {
    since: new Date(since).toISOString(),
    until: new Date(now).toISOString(),
    projects: list,
    total: {
      done: finished.filter((_, place) => !isFailed(place)).length,
      failed: finished.filter((_, place) => isFailed(place)).length,
      needs: open.length,
      edits: count((one) => one.edits),
      costUsd: spent.total.costUsd,
      isEstimate: spent.total.isEstimate,
      usualUsd:
        before.total.messages === 0 || before.total.costUsd === null ? null : before.total.costUsd / USUAL_SPANS,
    },
  }
}

const projectOfCost = ({ key, label }: CostRow): string | null => {
  const place = readTreeId(key)
  return place?.kind === 'project' && place.key === null ? null : label
}

const weight = ({ done, failed, needs, edits }: DigestProject): number => done.length + failed.length + needs + edits

const projectOf = (faces: ReadonlyMap<SessionKey, { project: string | null }>, key: SessionKey): string | null =>
  faces.get(key)?.project ?? null

/** Clones and worktrees of a repository go by its name. */
function nameOf(project: string | null): string | null {
  const name =
    project === null ? '' : project.replace(/\/+$/, '').slice(project.replace(/\/+$/, '').lastIndexOf('/') + 1)
  return name === '' ? null : name
}
