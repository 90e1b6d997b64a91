/** Which issue a task means by an id: ids are unique within a tracker alone. */
import type { IssueKey, TaskId } from '../ids'
import type { Issue } from './task'

/** Where a task works. Folders are absolute; `null` = not known. */
export interface TaskPlace {
  /** The working directory asked for. */
  dir: string | null
  /** The project's folder. */
  project: string | null
}

/** The task that is at work on an issue. */
export interface TaskAtWork {
  id: TaskId
  /** The agent that has it. */
  agentName: string | null
}

/** The issue that a task serves. */
export interface ServedIssue extends Issue {
  key: IssueKey
}

/**
 * The issue that a task's issue id means, of all issues with that id: the one of the nearest tracker around the folder asked for, else
 * around its project, else the only one in its project, else the only one at all. An id that several trackers elsewhere have means none of
 * them.
 *
 * @param candidates  every issue with the id, with the path of its tracker's file; `null` = it is in no folder
 * @returns more than one only where machines have a tracker in the same folder, each its own
 */
export function issuesMeant<Candidate extends { path: string | null }>(
  { dir, project }: TaskPlace,
  candidates: readonly Candidate[],
): readonly Candidate[] {
  for (const place of [dir, project]) {
    const around = candidates.filter(({ path }) => place !== null && path !== null && isIn(place, folderOf(path)))
    if (around.length === 0) continue
    const nearest = Math.max(...around.map(depthOf))
    return around.filter((candidate) => depthOf(candidate) === nearest)
  }
  const below = candidates.filter(({ path }) => project !== null && path !== null && isIn(path, project))
  const left = below.length > 0 ? below : candidates
  return left.length === 1 ? left : []
}

/** The project's folder: the file stands in one of its own there. */
const folderOf = (path: string): string => path.replace(/\/[^/]*\/[^/]*$/, '')

const depthOf = ({ path }: { path: string | null }): number => folderOf(path ?? '').length

const isIn = (path: string, folder: string): boolean =>
  `${path}/`.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
