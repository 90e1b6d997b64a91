import { AppError } from '../domain/errors'
import type { Attempt, Task } from '../domain/task/task'
import { type TaskWork, WORK_LIMITS } from '../domain/task/task-work'
import type { TaskBranches } from '../engine/services'

/** Branches of tasks whose worktrees are on this machine; git and what calls it are loaded at first use. */
export function taskBranches(hostName: string): TaskBranches {
  const open = async (task: Task, attempts: readonly Attempt[]) => {
    const work = await import('../worker/workplace/task-branch')
    const elsewhere = new AppError('not_found', `The files of task ${task.id} are not on the server's machine.`, {
      hint: `Run 'lode task diff ${task.id}' in a clone of its repository.`,
    })
    const far = { repository: '/', copy: () => Promise.reject(elsewhere), bundleOf: () => Promise.reject(elsewhere) }
    return { work, found: await work.findTaskBranch(task, attempts, hostName, undefined, far) }
  }
  const still = (task: Task, attempts: readonly Attempt[]) => {
    if (attempts.some(({ isLive }) => isLive))
      throw new AppError('conflict', `Task ${task.id} is running.`, { hint: 'Wait for its end, or pause it first.' })
  }
  return {
    async look(task, attempts): Promise<TaskWork> {
      const { work, found } = await open(task, attempts)
      const [patch, commits] = await Promise.all([
        work.patchOf(found, false),
        work.commitsOf(found, WORK_LIMITS.commits),
      ])
      const { branch, base, into, ahead, behind, path, uncommitted } = found
      const isCut = patch.length > WORK_LIMITS.patch
      return {
        ...{ branch, base, into, ahead, behind, path, uncommitted, commits },
        patch: patch.slice(0, WORK_LIMITS.patch).toWellFormed(),
        isCut,
      }
    },
    async merge(task, attempts, isCommitted) {
      still(task, attempts)
      const { work, found } = await open(task, attempts)
      const hasRest = isCommitted && found.uncommitted.length > 0
      if (hasRest) await work.commitRest(found, task.title.replace(/\s+/g, ' ').slice(0, 200))
      return await work.mergeTaskBranch(hasRest ? { ...found, uncommitted: [], ahead: found.ahead + 1 } : found)
    },
    async drop(task, attempts) {
      still(task, attempts)
      const { work, found } = await open(task, attempts)
      await work.dropTaskBranch(found)
    },
  }
}
