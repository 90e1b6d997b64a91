import type { Store } from '../../domain/store'
import type { BudgetService } from '../../engine/budgets/budget-service'
import { countBudgets } from '../../engine/budgets/count'
import type { Logger } from '../../util/log'
import { startUpkeep } from '../../util/upkeep-loop'

/** How late a budget may be that is used up. */
const COUNT_MS = 2_000
/** Whether there is a budget by now is asked this often. */
const NO_BUDGET_MS = 6_000
/** Periods begin by time alone. */
const UNCHANGED_MS = 30_000
/** Counting takes at most this share of the time: a long record is counted less often. */
const SHARE = 1 / 10

export interface BudgetUpkeepOptions {
  store: Store
  budgets: BudgetService
  log: Logger
}

/** Counts the budgets as the record grows. Without a budget it costs one small read a look. */
export function startBudgetUpkeep({ store, budgets, log }: BudgetUpkeepOptions): () => Promise<void> {
  let seenHead: unknown
  let countedAt = 0
  let notBefore = 0
  return startUpkeep({
    everyMs: COUNT_MS,
    quietMs: NO_BUDGET_MS,
    log,
    failure: 'budgets could not be counted; trying again',
    async check() {
      const now = Date.now()
      if (now < notBefore) return true
      if ((await store.budgets.rows()).length === 0) return false
      const head = await store.feed.head()
      if (head === seenHead && now - countedAt < UNCHANGED_MS) return true
      await budgets.takeCounts(await countBudgets(store, now))
      seenHead = head
      countedAt = now
      const took = Date.now() - now
      notBefore = now + took / SHARE
      return true
    },
  })
}
