/** What a task left on the branch of its worktree, on the server's machine. */

export interface WorkCommit {
  id: string
  title: string
  /** ISO 8601. */
  at: string
}

export interface TaskWork {
  branch: string
  /** The commit that it began at. */
  base: string
  /** The branch that it is compared with and merged into. */
  into: string
  /** Commits that it has and `into` has not, and the other way round. */
  ahead: number
  behind: number
  /** Its worktree; `null` = it is gone, and the branch alone is left. */
  path: string | null
  /** Files that are in no commit. */
  uncommitted: string[]
  /** Since `base`, newest first; at most `WORK_LIMITS.commits`. */
  commits: WorkCommit[]
  /** What changed since `base`, as git writes it. */
  patch: string
  /** The patch is longer. */
  isCut: boolean
}

export const WORK_LIMITS = { commits: 100, patch: 1_000_000 } as const
