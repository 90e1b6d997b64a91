import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Answers } from '#api/contract/operations/index'
import { amountInWords, BUDGET_ACTIONS, BUDGET_PERIODS, type BudgetUnit, forecastAt } from '#domain/budget/budget'
import { ownTimeZone } from '#domain/cost/zone-days'
import { Button } from '../../components/ui/button'
import { ErrorCard } from '../../components/ui/error-card'
import { Select, TextField } from '../../components/ui/field'
import { client } from '../../lib/api'
import { counted } from '../../lib/format'
import { visibleText } from '../../lib/visible-text'

type Budget = Answers['budgets']['list']['budgets'][number]

interface BudgetsProps {
  /** Whether the form for another one is open. */
  isAdding: boolean
  /** Called when the form is done. */
  onAdded(): void
}

/** The budgets with what is used of each, and a form for another one. */
export function Budgets({ isAdding, onAdded }: BudgetsProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['costs', 'budgets'],
    queryFn: ({ signal }) => client.budgets.list({ signal }),
  })
  const [failure, setFailure] = useState<unknown>(null)
  const change = async (act: Promise<unknown>) => {
    try {
      await act
      setFailure(null)
    } catch (thrown) {
      setFailure(thrown)
    }
    await refetch()
  }
  if (data === undefined) return error === null ? null : <ErrorCard error={error} onRetry={() => void refetch()} />
  if (
    ![data.budgets, data.usageWindows, data.usageLimits].some(({ length }) => length > 0) &&
    !isAdding &&
    failure === null
  )
    return null
  return (
    <section aria-label="Budgets" className="shrink-0 border-b border-line px-4 py-2 text-xs">
      {failure === null ? null : <ErrorCard error={failure} />}
      <ul>
        {data.budgets.map((budget) => (
          <BudgetLine key={budget.name} budget={budget} onChange={change} />
        ))}
        {data.usageWindows.map(({ agentCli, window, usedPercent, resetsAt }) => (
          <li key={`${agentCli} ${window}`} className={usedPercent >= 90 ? 'py-1 text-need' : 'py-1'}>
            {visibleText(agentCli)}: {usedPercent} % of its window of {window} is used
            {resetsAt === null ? '' : `, until ${new Date(resetsAt).toLocaleString()}`}.
          </li>
        ))}
        {data.usageLimits.map(({ agentName, agentCli, until }) => (
          <li key={`${agentName} ${agentCli}`} className="py-1 text-need">
            {visibleText(agentCli === null ? agentName : `${agentCli} of ${agentName}`)} reached a usage limit, until{' '}
            {new Date(until).toLocaleString()}.
          </li>
        ))}
      </ul>
      {isAdding ? <NewBudget onChange={change} onAdded={onAdded} /> : null}
    </section>
  )
}

interface LineProps {
  budget: Budget
  onChange(act: Promise<unknown>): Promise<void>
}

function BudgetLine({ budget, onChange }: LineProps) {
  const { name, unit, used, most, extra, period, action, state, isEstimate, heldTasks } = budget
  const limit = most + extra
  const forecast = state === 'over' ? null : forecastAt(budget, Date.now())
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1">
      <b className="font-semibold text-ink">{visibleText(name)}</b>
      <meter className="w-24" min={0} max={limit} value={Math.min(used ?? 0, limit)} aria-label={`Used of ${name}`} />
      <span className={state === 'within' ? 'text-ink-2' : 'text-need'}>
        {used === null ? '?' : `${isEstimate ? 'about ' : ''}${amountInWords(used, unit)}`} of{' '}
        {amountInWords(limit, unit)}
        {PERIOD_WORDS[period]}
      </span>
      {forecast === null ? null : (
        <span className={forecast > limit ? 'text-need' : 'text-ink-3'}>
          at this pace {amountInWords(forecast, unit)}
        </span>
      )}
      <span className="text-ink-3">{scopeOf(budget)}</span>
      <span className="text-ink-3">then {action}</span>
      {heldTasks.length === 0 ? null : <span className="text-need">{counted(heldTasks.length, 'task')} waiting</span>}
      {state === 'over' && action !== 'warn' ? (
        <Button act="budgets.allow" look="main" onClick={() => void onChange(client.budgets.allow(name, {}))}>
          Allow {amountInWords(most, unit)} more
        </Button>
      ) : null}
      <Button act="budgets.remove" look="quiet" onClick={() => void onChange(client.budgets.remove(name))}>
        Remove
      </Button>
    </li>
  )
}

const scopeOf = ({ projectName, agentCli, subagent, taskId }: Budget): string =>
  [projectName, agentCli, subagent === null ? null : `sub-agents ${subagent}`, taskId]
    .flatMap((part) => (part === null ? [] : visibleText(part)))
    .join(', ') || 'everything'

const PERIOD_WORDS = { day: ' today', month: ' this month', ever: '' } as const satisfies Record<
  Budget['period'],
  string
>
const UNIT_WORDS = { usd: 'US dollars', tokens: 'tokens' } as const satisfies Record<BudgetUnit, string>

function NewBudget({ onChange, onAdded }: Pick<LineProps, 'onChange'> & Pick<BudgetsProps, 'onAdded'>) {
  const [name, setName] = useState('')
  const [most, setMost] = useState('')
  const [unit, setUnit] = useState<BudgetUnit>('usd')
  const [period, setPeriod] = useState<Budget['period']>('day')
  const [action, setAction] = useState<Budget['action']>('warn')
  return (
    <form
      className="flex flex-wrap items-end gap-2 py-1"
      onSubmit={(event) => {
        event.preventDefault()
        void onChange(
          client.budgets.put(name.trim(), { unit, most: Number(most), period, action, zone: ownTimeZone() }),
        ).then(onAdded)
      }}
    >
      <TextField label="Name" value={name} autoFocus onChange={(event) => setName(event.target.value)} />
      <TextField label="Limit" value={most} inputMode="decimal" onChange={(event) => setMost(event.target.value)} />
      <Select label="Unit" value={unit} onChange={(event) => setUnit(event.target.value as BudgetUnit)}>
        {Object.entries(UNIT_WORDS).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </Select>
      <Select label="Per" value={period} onChange={(event) => setPeriod(event.target.value as Budget['period'])}>
        {BUDGET_PERIODS.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </Select>
      <Select label="Then" value={action} onChange={(event) => setAction(event.target.value as Budget['action'])}>
        {BUDGET_ACTIONS.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </Select>
      <Button act="budgets.put" look="main" type="submit">
        Add
      </Button>
      <Button look="quiet" onClick={onAdded}>
        Cancel
      </Button>
    </form>
  )
}
