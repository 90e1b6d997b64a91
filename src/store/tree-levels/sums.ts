/** Adding up what entries come to. */
import type { TreeRollup } from '../../domain/tree-level'
import { isoTime, type ReadContext } from '../read-context'
import { modelUsage, type UsageColumns } from '../usage-totals'

/** A roll-up while it grows. */
export interface Sum {
  running: number
  blocked: number
  needs: number
  tokens: number
  costUsd: number
  /** Something in it has a price, or has none. */
  isPriced: boolean
  isUnpriced: boolean
  lastEventAt: number
}

export const newSum = (): Sum => ({
  running: 0,
  blocked: 0,
  needs: 0,
  tokens: 0,
  costUsd: 0,
  isPriced: false,
  isUnpriced: false,
  lastEventAt: 0,
})

export function addSum(to: Sum, part: Readonly<Sum>): void {
  to.running += part.running
  to.blocked += part.blocked
  to.needs += part.needs
  to.tokens += part.tokens
  to.costUsd += part.costUsd
  to.isPriced ||= part.isPriced
  to.isUnpriced ||= part.isUnpriced
  to.lastEventAt = Math.max(to.lastEventAt, part.lastEventAt)
}

/** What some messages of one model come to. */
export function addUsage(to: Sum, row: UsageColumns, costOf: ReadContext['costOf']): void {
  const cost = costOf(modelUsage(row))
  to.tokens += row.input + row.output + row.cache_read + row.cache_creation
  if (cost === null) to.isUnpriced = true
  else {
    to.isPriced = true
    to.costUsd += cost
  }
}

export const toRollup = (sum: Readonly<Sum>): TreeRollup => ({
  running: sum.running,
  blocked: sum.blocked,
  needs: sum.needs,
  tokens: sum.tokens,
  costUsd: sum.isUnpriced && !sum.isPriced ? null : sum.costUsd,
  lastEventAt: sum.lastEventAt === 0 ? null : isoTime(sum.lastEventAt),
})
