import type { AttemptId, TaskId, TaskKey } from '../ids'
import type { Awaitable } from '../port'

/**
 * The state of a task's worktree after a turn: its commits that no remote has, and what is in no commit. The server keeps the newest one,
 * so that the task goes on in the same files on another machine, and a person gets them anywhere.
 */
export interface WorkCopy {
  taskId: TaskId
  attemptId: AttemptId
  /** A commit that holds all files; its parent is `head`. */
  commit: string
  /** Where the worktree's branch was. */
  head: string
  /** The commit that the task's branch began at. */
  base: string
  /** The repository's remote, from which all that the copy builds on can be fetched. */
  remote: string
  /** The random name of the machine that it comes from. */
  hostName: string | null
  /** Bytes of the Git bundle. */
  size: number
  /** The first changed files that it does not hold: they look like secrets, or are too large. */
  leftOut: string[]
  /** ISO 8601. */
  takenAt: string
}

export const WORK_COPY_LIMITS = Object.freeze({
  /** Bytes of a bundle. */
  bytes: 64 * 2 ** 20,
  /** Bytes of one request. */
  partBytes: 2 * 2 ** 20,
  /** Bytes of one file that is in no commit. */
  fileBytes: 10 * 2 ** 20,
  /** Names of `leftOut`, and characters of each. */
  leftOut: 20,
  name: 200,
})

/** A part of a bundle, with what it is a part of. */
export interface WorkCopyPart extends Omit<WorkCopy, 'taskId' | 'attemptId' | 'takenAt'> {
  /** Where `bytes` begin. */
  offset: number
  bytes: Uint8Array
}

export interface WorkCopyTx {
  /**
   * Keeps a part if it is the next one. The last one makes the copy the task's newest, and those of this and of former attempts go.
   *
   * @returns bytes that are kept now
   */
  append(task: TaskKey, attemptNumber: number, part: WorkCopyPart): Awaitable<number>
}

export interface WorkCopyReads {
  /** The newest whole one of a task; without one, that of its parent. */
  newest(task: TaskId): Promise<WorkCopy | undefined>
  /** The part that begins at `offset`; `undefined` = another copy has taken its place. */
  part(copy: Pick<WorkCopy, 'taskId' | 'commit'>, offset: number): Promise<Uint8Array | undefined>
}
