import type { BudgetCount } from '../../domain/budget/budget-store'
import type { Caller } from '../../domain/task/worker-protocol'
import { partsOf, type TokenServiceOptions } from '../tokens/token-unit'
import { inUnit, SYSTEM, type TaskParts } from '../unit/unit'
import { allowMore, type PutBudget, putBudget, removeBudget, takeCounts } from './budgets'

/** The use cases of budgets over a store. It holds no state: several may run over one database. */
export const createBudgetService = (options: TokenServiceOptions): BudgetService => new BudgetUseCases(partsOf(options))

class BudgetUseCases {
  private readonly parts: TaskParts

  constructor(parts: TaskParts) {
    this.parts = parts
  }

  /** Again with the same name changes it. */
  put(caller: Caller, input: PutBudget): Promise<void> {
    return inUnit(this.parts, caller, (unit) => putBudget(unit, input))
  }

  remove(caller: Caller, name: string): Promise<void> {
    return inUnit(this.parts, caller, (unit) => removeBudget(unit, name))
  }

  allow(caller: Caller, name: string, more: number | undefined): Promise<void> {
    return inUnit(this.parts, caller, (unit) => allowMore(unit, name, more))
  }

  /** What `countBudgets` gave. */
  takeCounts(counts: BudgetCount[]): Promise<void> {
    return inUnit(this.parts, SYSTEM, (unit) => takeCounts(unit, counts))
  }
}

/**
 * Every use case that writes budgets. Each is one unit of work; arguments and answers are JSON values.
 *
 * Errors all methods may throw: `not_found`, `invalid`, `too_large`, `forbidden`.
 */
export type BudgetService = Pick<BudgetUseCases, keyof BudgetUseCases>
