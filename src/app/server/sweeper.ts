import type { Store } from '../../domain/store'
import type { IssueService } from '../../engine/issues/issue-service'
import { KEPT_MS, type NeedService } from '../../engine/overview/need-service'
import { LOOK_SHARE } from '../../engine/tasks/runs/sweep'
import type { TaskService } from '../../engine/tasks/task-service'
import type { TodoService } from '../../engine/todos/todo-service'
import { AWAY_AFTER_MS } from '../../engine/unit/agent-presence'
import type { Logger } from '../../util/log'
import { startUpkeep } from '../../util/upkeep-loop'

/** Often enough that a lease of 15 s is not kept 7 % longer than it should be. */
const SWEEP_MS = 1_000
/** Sweeps between two looks at who holds issues: their grace is counted in minutes. */
const CLAIMS_EVERY = 10
/** Sweeps between two looks for to-dos that are to be closed, while nothing changes. */
const PROMOTED_EVERY = 5
/** Sweeps between two looks for to-dos and dismissals that are too old to be kept. */
const OLD_ROWS_EVERY = 3_600

export interface SweeperOptions {
  store: Store
  tasks: TaskService
  issues: IssueService
  todos: TodoService
  needs: NeedService
  config: { closePromoted: boolean; retentionDays: number | null; leaseMs: number }
  log: Logger
}

/**
 * Lets what waits for time happen: leases, due tasks, offers, questions. One statement asks the database whether there is anything, and
 * nothing else touches it otherwise. Among several servers, the first to see it sweeps.
 */
export function startSweeper({ store, tasks, issues, todos, needs, config, log }: SweeperOptions): () => Promise<void> {
  const lookMs = Math.floor(config.leaseMs * LOOK_SHARE)
  let turn = 0
  let isChanged = true
  const stopHearing = store.feed.onChange(() => {
    isChanged = true
  })
  const stop = startUpkeep({
    everyMs: SWEEP_MS,
    log,
    failure: 'upkeep of tasks failed; trying again',
    async check() {
      if (await store.tasks.isSweepDue(lookMs, AWAY_AFTER_MS)) await tasks.sweep()
      if (turn % CLAIMS_EVERY === 0 && (await store.issues.claims()).length > 0) await issues.sweep()
      const mayClose = config.closePromoted && (isChanged || turn % PROMOTED_EVERY === 0)
      isChanged = false
      if (mayClose && (await store.todos.promotionsToClose(1)).length > 0) await todos.settle()
      if (config.retentionDays !== null && turn % OLD_ROWS_EVERY === 0) {
        const { sessions } = await todos.dropOld(config.retentionDays)
        if (sessions > 0) log.info('removed to-dos by todos.retentionDays', { sessions, days: config.retentionDays })
      }
      if (turn % OLD_ROWS_EVERY === 0 && (await store.overview.hasDismissedBefore(Date.now() - KEPT_MS)))
        await needs.sweep()
      turn++
    },
  })
  return async () => {
    stopHearing()
    await stop()
  }
}
