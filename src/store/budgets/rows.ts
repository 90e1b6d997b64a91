import type { BudgetRow } from '../../domain/budget/budget'
import type { BudgetHold } from '../../domain/budget/budget-store'
import { columnsOf } from '../sql/columns'

export const BUDGET = columnsOf<BudgetRow>()('budgets', {
  named: { key: 'id' },
  kept: { isEstimate: 'flag' },
  without: [],
})

export const HOLD = columnsOf<BudgetHold>()('budget_holds', {
  named: { taskKey: 'task_id' },
  kept: {},
  without: [],
})
