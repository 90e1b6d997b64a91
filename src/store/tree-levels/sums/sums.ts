/** Adds up the sums of entries. */
import { addCosts, type Cost, NO_COST } from '../../../domain/cost/price'
import type { TreeRollup } from '../../../domain/overview/tree-level'
import { modelUsage } from '../../record/model-usage'
import type { UsageColumns } from '../../session/reads/usage-totals'
import { isoTime, type ReadContext } from '../../sql/read-context'

/** A roll-up while it grows. */
export interface Sum {
  running: number
  blocked: number
  needs: number
  tokens: number
  unknownAgents: number
  cost: Cost
  lastEventAt: number
}

export const newSum = (): Sum => ({
  running: 0,
  blocked: 0,
  needs: 0,
  tokens: 0,
  unknownAgents: 0,
  cost: NO_COST,
  lastEventAt: 0,
})

export function addSum(to: Sum, part: Readonly<Sum>): void {
  to.running += part.running
  to.blocked += part.blocked
  to.needs += part.needs
  to.tokens += part.tokens
  to.unknownAgents += part.unknownAgents
  to.cost = addCosts(to.cost, part.cost)
  to.lastEventAt = Math.max(to.lastEventAt, part.lastEventAt)
}

/** The sum of some messages of one model. */
export function addUsage(to: Sum, row: UsageColumns, costOf: ReadContext['costOf']): void {
  to.tokens += row.input + row.output + row.cache_read + row.cache_creation
  to.cost = addCosts(to.cost, costOf(modelUsage(row)))
}

export const toRollup = (sum: Readonly<Sum>): TreeRollup => ({
  running: sum.running,
  blocked: sum.blocked,
  needs: sum.needs,
  tokens: sum.tokens,
  unknownAgents: sum.unknownAgents,
  ...sum.cost,
  lastEventAt: sum.lastEventAt === 0 ? null : isoTime(sum.lastEventAt),
})
