import { type BudgetRow, periodAt } from '../../domain/budget/budget'
import type { BudgetCount } from '../../domain/budget/budget-store'
import { addCosts, type Cost, NO_COST } from '../../domain/cost/price'
import { addUsage, NO_USAGE, type Usage } from '../../domain/cost/usage'
import { UTC } from '../../domain/cost/zone-days'
import { isAppError } from '../../domain/errors'
import type { Store } from '../../domain/store'

type Reads = Pick<Store, 'budgets' | 'costs'>

/** Counts what each budget used in this period: by the sums that `lode cost list` gives. Reads alone. */
export async function countBudgets(reads: Reads, now: number): Promise<BudgetCount[]> {
  const counts: BudgetCount[] = []
  for (const row of await reads.budgets.rows()) {
    const { since, until } = periodAt(row, now)
    const { usage, ...cost } = await usedBy(reads, row, since)
    const used = row.unit === 'usd' ? (cost.costUsd ?? 0) : tokensOf(usage)
    const isEstimate = row.unit === 'usd' && (cost.isEstimate || cost.costUsd === null)
    counts.push({ name: row.name, key: row.key, used, usedUntil: until, isEstimate })
  }
  return counts
}

async function usedBy(reads: Reads, row: BudgetRow, since: number | null): Promise<Cost & { usage: Usage }> {
  if (row.taskId !== null) {
    const costs = await reads.costs.ofTasks(await reads.budgets.tree(row.taskId))
    return [...costs.values()].reduce(
      (sum, each) => ({ usage: addUsage(sum.usage, each.usage), ...addCosts(sum, each) }),
      {
        usage: NO_USAGE,
        ...NO_COST,
      },
    )
  }
  const request = {
    ...(since !== null && { since }),
    ...(row.project !== null && { project: row.project }),
    ...(row.agentCli !== null && { agent: row.agentCli }),
    timeZone: UTC,
  }
  try {
    if (row.subagent === null) return (await reads.costs.sum({ ...request, by: 'agent', limit: 1 })).total
    const { rows } = await reads.costs.sum({ ...request, by: 'subagent', key: `agent:${row.subagent}`, limit: 1 })
    return rows[0] ?? { usage: NO_USAGE, ...NO_COST }
  } catch (error) {
    // Its project's last session was forgotten.
    if (isAppError(error) && error.code === 'not_found') return { usage: NO_USAGE, ...NO_COST }
    throw error
  }
}

const tokensOf = ({ inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens }: Usage): number =>
  inputTokens + outputTokens + cacheReadTokens + cacheCreationTokens
