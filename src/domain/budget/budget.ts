import { readTimeZone, type TimeZone, UTC, ZoneDays } from '../cost/zone-days'
import type { AgentName, TaskId } from '../ids'

/**
 * What happens when a budget is used up. A person hears of it in any case.
 *
 * - `warn`  nothing else
 * - `ask`   its tasks begin no further turn until a person allows more, or the next period begins
 * - `park`  the same, and its runs are stopped where they are
 */
export const BUDGET_ACTIONS = ['warn', 'ask', 'park'] as const
export type BudgetAction = (typeof BUDGET_ACTIONS)[number]

/** For how long a budget lasts: a day or a month of its time zone, or for ever. */
export const BUDGET_PERIODS = ['day', 'month', 'ever'] as const
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number]

/** What a budget is counted in. `tokens`: all of them, those of the prompt cache too, as `lode cost list` adds them up. */
export const BUDGET_UNITS = ['usd', 'tokens'] as const
export type BudgetUnit = (typeof BUDGET_UNITS)[number]

export const BUDGET_LIMITS = Object.freeze({
  /** Budgets at once. */
  budgets: 100,
  most: { usd: 1_000_000, tokens: 1_000_000_000_000_000 },
})

/** From this part of the limit on, a person hears that it is nearly used up. */
export const NEAR_SHARE = 0.8

/** The usage that counts: it must match all given fields. A task counts with all tasks below it, and stands alone. */
export interface BudgetScope {
  /** A project's key in the tree. */
  project: string | null
  agentCli: AgentName | null
  /** The type of a sub-agent. */
  subagent: string | null
  taskId: TaskId | null
}

/** A row of `budgets`. Times in milliseconds. */
export interface BudgetRow extends BudgetScope {
  key: number
  name: string
  period: BudgetPeriod
  /** The time zone of its days and months. */
  zone: string
  unit: BudgetUnit
  /** The limit. */
  most: number
  action: BudgetAction
  /** What a person allowed beyond the limit, until `extraUntil`; there `null` = for ever. */
  extra: number
  extraUntil: number | null
  /** What was used in the period that ends at `usedUntil`, as the record told at `countedAt`; `null` = not counted yet. */
  used: number | null
  usedUntil: number | null
  /** Dollars only: a part is an estimate, or has no price and is left out. */
  isEstimate: boolean
  countedAt: number | null
  /** Since when it is used up; `null` = it is not. */
  overSince: number | null
  createdAt: number
}

/** A budget as the API gives it. Times are ISO 8601. */
export interface Budget extends BudgetScope {
  name: string
  /** What people call the project. */
  projectName: string | null
  period: BudgetPeriod
  zone: string
  unit: BudgetUnit
  most: number
  /** What a person allowed beyond it in this period. */
  extra: number
  action: BudgetAction
  /** In this period; `null` = not counted yet. */
  used: number | null
  isEstimate: boolean
  state: BudgetState
  /** When the period ends; `null` = never. */
  periodUntil: string | null
  countedAt: string | null
  /** Tasks that wait for it. */
  heldTasks: TaskId[]
  createdAt: string
}

/** That the provider of an agent CLI refuses a worker's runs, as its CLI said. */
export interface UsageLimit {
  agentName: string
  /** If the worker has several agent CLIs: the one that met the limit; `null` = the worker has one. */
  agentCli: AgentName | null
  /** When its window begins anew, by the CLI's word. ISO 8601. */
  until: string
}

/**
 * - `within`  something is left
 * - `near`    more than `NEAR_SHARE` is used
 * - `over`    it is used up
 */
export const BUDGET_STATES = ['within', 'near', 'over'] as const
export type BudgetState = (typeof BUDGET_STATES)[number]

/** The limit with what a person allowed. */
export const limitAt = ({ most, extra, extraUntil }: Pick<BudgetRow, 'most' | 'extra' | 'extraUntil'>, now: number) =>
  most + (extraUntil === null || extraUntil > now ? extra : 0)

/** How a budget stands, as far as it was counted. What was counted in a period that is over says nothing. */
export function budgetState(
  row: Pick<BudgetRow, 'most' | 'extra' | 'extraUntil' | 'used' | 'usedUntil'>,
  now: number,
): BudgetState {
  const { used, usedUntil } = row
  if (used === null || (usedUntil !== null && usedUntil <= now)) return 'within'
  const limit = limitAt(row, now)
  return used >= limit ? 'over' : used >= limit * NEAR_SHARE ? 'near' : 'within'
}

/** Whether its tasks may begin no further turn. */
export const isHolding = (row: BudgetRow, now: number): boolean =>
  row.action !== 'warn' && budgetState(row, now) === 'over'

/** The period that it is, in milliseconds: from `since` up to but not including `until`; `null` = without end. */
export function periodAt(
  { period, zone }: Pick<BudgetRow, 'period' | 'zone'>,
  now: number,
): { since: number | null; until: number | null } {
  if (period === 'ever') return { since: null, until: null }
  const days = new ZoneDays(readZone(zone))
  const [year = 0, month = 1, day = 1] = days.dayAt(now).split('-').map(Number)
  const from = Date.UTC(year, month - 1, period === 'day' ? day : 1)
  const to = period === 'day' ? Date.UTC(year, month - 1, day + 1) : Date.UTC(year, month, 1)
  return { since: days.beginOf(dayOf(from)), until: days.beginOf(dayOf(to)) }
}

const readZone = (zone: string): TimeZone => readTimeZone(zone) ?? UTC
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** `$5.00`, `1,200,000 tokens`. */
/** Before this part of a period is over, its pace says nothing. */
const FORECAST_FROM_SHARE = 0.05

/** The period's total at its pace so far; `null` = it has no end, or it is too early to say. */
export function forecastAt(
  { period, zone, used }: Pick<Budget, 'period' | 'zone' | 'used'>,
  now: number,
): number | null {
  const { since, until } = periodAt({ period, zone }, now)
  if (since === null || until === null || used === null) return null
  const share = (now - since) / (until - since)
  return share < FORECAST_FROM_SHARE ? null : used / share
}

export const amountInWords = (amount: number, unit: BudgetUnit): string =>
  unit === 'usd' ? `$${amount.toFixed(2)}` : `${Math.round(amount).toLocaleString('en-US')} tokens`

/** `$5.02 of $5.00 today`. */
export function standingInWords(
  row: Pick<BudgetRow, 'period' | 'unit' | 'used' | 'isEstimate' | 'most' | 'extra' | 'extraUntil'>,
  now: number,
): string {
  const used = `${row.isEstimate ? 'about ' : ''}${amountInWords(row.used ?? 0, row.unit)}`
  return `${used} of ${amountInWords(limitAt(row, now), row.unit)}${PERIOD_WORDS[row.period]}`
}

const PERIOD_WORDS = { day: ' today', month: ' this month', ever: '' } as const satisfies Record<BudgetPeriod, string>
