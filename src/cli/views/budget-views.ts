import type { Answers } from '../../api/contract/operations'
import { amountInWords, type BudgetUnit } from '../../domain/budget/budget'
import { AppError } from '../../domain/errors'
import { localTime, plural } from '../print/measures'
import { table } from '../print/table'
import type { ViewSettings } from './session/session-views'

type Budget = Answers['budgets']['list']['budgets'][number]
type UsageWindow = Answers['budgets']['list']['usageWindows'][number]
type UsageLimit = Answers['budgets']['list']['usageLimits'][number]

export const budgetTable = (budgets: readonly Budget[], { columns }: ViewSettings): string =>
  table(
    budgets,
    [
      { title: 'NAME', cell: (b) => b.name, max: 24 },
      { title: 'USED', cell: (b) => used(b), align: 'right' },
      { title: 'LIMIT', cell: (b) => amountInWords(b.most + b.extra, b.unit), align: 'right' },
      { title: 'PER', cell: (b) => b.period },
      { title: 'THEN', cell: (b) => b.action },
      { title: 'STATE', cell: (b) => state(b) },
      { title: 'OF', cell: (b) => scope(b), flexible: 12 },
    ],
    columns,
  )

/** `daily: $5.02 of $20.00 per day, then park; within`. */
export const budgetLine = (b: Budget): string =>
  `${b.name}: ${used(b)} of ${amountInWords(b.most + b.extra, b.unit)}${b.period === 'ever' ? '' : ` per ${b.period}`}, then ${b.action}; ${state(b)}`

export const usageLimitLine = ({ agentName, agentCli, until }: UsageLimit): string =>
  `${agentCli === null ? agentName : `${agentCli} of ${agentName}`} reached a usage limit, until ${until}.`

/** `claude-code: 42 % of 5 h used, until ...`. */
export const usageWindowLine = ({ agentCli, window, usedPercent, resetsAt }: UsageWindow): string =>
  `${agentCli}: ${usedPercent} % of ${window} used${resetsAt === null ? '' : `, begins anew ${localTime(resetsAt)}`}`

const used = (b: Budget): string =>
  b.used === null ? '?' : `${b.isEstimate ? '~' : ''}${amountInWords(b.used, b.unit)}`

const state = ({ state: found, heldTasks }: Budget): string =>
  heldTasks.length === 0 ? found : `${found}, ${plural(heldTasks.length, 'task')} waiting`

const scope = ({ projectName, agentCli, subagent, taskId }: Budget): string =>
  [projectName, agentCli, subagent === null ? null : `sub-agents ${subagent}`, taskId].filter(Boolean).join(', ') ||
  'everything'

const FACTORS = { '': 1, k: 1_000, m: 1_000_000, g: 1_000_000_000 } as const

/** `20`, `2.50`, `$5`; of tokens also `500k`, `20M`. @throws `invalid` */
export function parseAmount(option: string, text: string, unit: BudgetUnit): number {
  const found = (unit === 'usd' ? /^\$?(\d{1,9}(?:\.\d{1,6})?)()$/ : /^(\d{1,15}(?:\.\d{1,6})?)([kmg]?)$/i).exec(text)
  if (found === null)
    throw new AppError('invalid', `${option} must be an amount${unit === 'usd' ? ' in dollars' : ' of tokens'}.`, {
      hint: unit === 'usd' ? 'Write it as 20 or 2.50.' : 'Write it as 500000, 500k or 20M.',
    })
  const [, number = '', factor = ''] = found
  const amount = Number(number) * FACTORS[factor.toLowerCase() as keyof typeof FACTORS]
  return unit === 'usd' ? amount : Math.round(amount)
}
