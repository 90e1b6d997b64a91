import type { AgentName } from '../../ids'

/**
 * Which of several tasks a worker gets. Whether a worker may take a task at all is decided before (capabilities, folders, permissions).
 * This decides the order, and which tasks wait because their share already has its part.
 */

/** The share that a task counts for. '' = none. */
export interface Share {
  /** The person who asked for it, or for the task from which it came. */
  user: string
  /** Its repository, else its folder. */
  project: string
}

/** A share as tasks and sets keep it; `null` = of nobody in particular. */
export const shareText = ({ user, project }: Share): string | null =>
  user === '' && project === '' ? null : JSON.stringify([user, project])

export function readShare(text: string | null): Share {
  const [user = '', project = ''] = text === null || text === '' ? [] : (JSON.parse(text) as string[])
  return { user, project }
}

/** Runs at once; 0 = as many as there is room for. */
export interface PlacementLimits {
  perUser: number
  perProject: number
  perAgent: number
}
export const NO_LIMITS: PlacementLimits = Object.freeze({ perUser: 0, perProject: 0, perAgent: 0 })
export const hasLimits = (limits: PlacementLimits): boolean => Object.values(limits).some((most) => most > 0)

/** Tasks in progress of one share by one agent CLI. */
export interface Running {
  share: string | null
  /** `null` = it is not known. */
  agentCli: AgentName | null
  count: number
}

/** How much runs, of each user, project and agent CLI. */
export class RunningCounts {
  readonly #counts = new Map<string, number>()

  constructor(running: Iterable<Running>) {
    for (const { share, agentCli, count } of running) {
      const { user, project } = readShare(share)
      for (const key of [`user ${user}`, `project ${project}`, `agent ${agentCli ?? ''}`])
        this.#counts.set(key, (this.#counts.get(key) ?? 0) + count)
    }
  }

  of(what: 'user' | 'project' | 'agent', name: string): number {
    return this.#counts.get(`${what} ${name}`) ?? 0
  }
}

/** A task that may be taken. */
export interface Candidate {
  priority: number
  /** It is assigned or offered to this worker. */
  isOwn: boolean
  share: string | null
  /** The agent CLI that would run it. */
  agentCli: AgentName | null
  /** The worker has its repository. */
  isNear: boolean
}

/** Why a task has to wait, for a person; `null` = it need not. Names of nobody have no limit. */
export function limitInTheWay(
  { share, agentCli }: Pick<Candidate, 'share' | 'agentCli'>,
  counts: RunningCounts,
  { perUser, perProject, perAgent }: PlacementLimits,
): string | null {
  const { user, project } = readShare(share)
  const each = [
    ['user', user, perUser],
    ['project', project, perProject],
    ['agent', agentCli ?? '', perAgent],
  ] as const
  for (const [what, name, most] of each) {
    if (most === 0 || name === '') continue
    const count = counts.of(what, name)
    if (count >= most) return `${count} of at most ${most} tasks of ${what} ${name} run`
  }
  return null
}

/**
 * The order: the higher priority, then tasks assigned to the worker, then the user with fewer runs, then the project with fewer runs, then
 * tasks whose repository the worker has. Equal ones go by age.
 *
 * So users of one priority have equal parts of the fleet, whatever each has queued, and each user's projects have equal parts of that.
 */
export function compareCandidates(a: Candidate, b: Candidate, counts: RunningCounts): number {
  const [ofA, ofB] = [readShare(a.share), readShare(b.share)]
  return (
    b.priority - a.priority ||
    Number(b.isOwn) - Number(a.isOwn) ||
    counts.of('user', ofA.user) - counts.of('user', ofB.user) ||
    counts.of('project', ofA.project) - counts.of('project', ofB.project) ||
    Number(b.isNear) - Number(a.isNear)
  )
}

/** Those that may go now, in groups of equal ones, the first ones first. */
export function inGroups<T extends Candidate>(
  candidates: readonly T[],
  counts: RunningCounts,
  limits: PlacementLimits,
): T[][] {
  const free = candidates.filter((one) => limitInTheWay(one, counts, limits) === null)
  const sorted = free.toSorted((a, b) => compareCandidates(a, b, counts))
  const groups: T[][] = []
  for (const one of sorted) {
    const last = groups.at(-1)
    const isEqual = last?.[0] !== undefined && compareCandidates(last[0], one, counts) === 0
    if (isEqual) last.push(one)
    else groups.push([one])
  }
  return groups
}
