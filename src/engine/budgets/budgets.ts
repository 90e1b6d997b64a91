import {
  amountInWords,
  BUDGET_LIMITS,
  type BudgetAction,
  type BudgetPeriod,
  type BudgetRow,
  type BudgetScope,
  type BudgetUnit,
  budgetState,
  isHolding,
  limitAt,
  periodAt,
} from '../../domain/budget/budget'
import type { BudgetCount } from '../../domain/budget/budget-store'
import { AppError } from '../../domain/errors'
import type { AgentName, TaskId } from '../../domain/ids'
import { isTimeZone } from '../../domain/notify/quiet-hours'
import { recordAct } from '../audit/record-act'
import { budgetInTheWay, budgetIsUsedUp, releaseHeld } from '../tasks/budget-hold'
import { publishWish, setWish } from '../tasks/hold-task'
import { quoted } from '../unit/find-task'
import type { Unit } from '../unit/unit'

/** A budget to add or change. What is left out stays as it was; of a new one the scope is everything. */
export interface PutBudget {
  name: string
  unit?: BudgetUnit | undefined
  most?: number | undefined
  period?: BudgetPeriod | undefined
  zone?: string | undefined
  action?: BudgetAction | undefined
  project?: string | null | undefined
  agentCli?: AgentName | null | undefined
  subagent?: string | null | undefined
  taskId?: TaskId | null | undefined
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i

/** Adds a budget or changes it. Tasks that wait for it may begin again, if something is left then. */
export async function putBudget(unit: Unit, input: PutBudget): Promise<void> {
  onlyOperator(unit)
  if (!NAME.test(input.name))
    throw invalid('name', `${quoted(input.name)} can't be the name of a budget.`, {
      hint: 'Use at most 64 letters, digits, dots, dashes and underscores.',
    })
  const before = await unit.budgets.find(input.name)
  if (before === undefined && (await unit.budgets.all()).length >= BUDGET_LIMITS.budgets)
    throw new AppError('too_large', `There are already ${BUDGET_LIMITS.budgets} budgets, the maximum.`, {
      hint: 'Remove one with `lode budget remove`.',
      details: { limit: BUDGET_LIMITS.budgets, unit: 'budgets' },
    })
  const row = checkBudget(unit, input, before)
  if (before === undefined) await unit.budgets.insert(row)
  else {
    const { name, ...patch } = row
    await unit.budgets.update(name, patch)
    if (!isHolding({ ...before, ...row }, unit.now)) await releaseHeld(unit, name, `the budget ${name} was changed`)
  }
  await recordAct(unit, 'budget.save', {
    target: row.name,
    detail: { limit: amountInWords(row.most, row.unit), period: row.period, action: row.action },
  })
  await unit.feed('budget.updated', { budget: row.name, what: 'saved' })
}

function checkBudget(unit: Unit, input: PutBudget, before: BudgetRow | undefined): Omit<BudgetRow, 'key'> {
  const scope: BudgetScope = {
    project: given(input.project, before?.project),
    agentCli: given(input.agentCli, before?.agentCli),
    subagent: given(input.subagent, before?.subagent),
    taskId: given(input.taskId, before?.taskId),
  }
  const period = input.period ?? before?.period ?? (scope.taskId === null ? 'day' : 'ever')
  const action = input.action ?? before?.action ?? 'warn'
  const zone = input.zone ?? before?.zone ?? 'UTC'
  if (!isTimeZone(zone))
    throw invalid('zone', `${quoted(zone)} is not a time zone.`, { hint: 'Use a name such as Europe/Berlin.' })
  if (scope.taskId !== null && (scope.project !== null || scope.agentCli !== null || scope.subagent !== null))
    throw invalid('taskId', 'A budget of a task counts all of its work.', {
      hint: 'Leave the project, the agent CLI and the sub-agent out.',
    })
  if (scope.taskId !== null && period !== 'ever')
    throw invalid('period', 'A budget of a task lasts as long as the task.', { hint: 'Leave the period out.' })
  if (scope.subagent !== null && action !== 'warn')
    throw invalid('action', 'A budget of a type of sub-agent can only warn.', {
      hint: 'Which sub-agents a turn will launch is known when it has. Use the action warn, or leave the sub-agent out.',
    })
  const unitOf = input.unit ?? before?.unit
  const most = input.most ?? before?.most
  if (unitOf === undefined || most === undefined)
    throw invalid('most', 'A budget needs a limit.', { hint: 'Give an amount in dollars or tokens.' })
  const top = BUDGET_LIMITS.most[unitOf]
  if (!Number.isFinite(most) || most <= 0 || most > top || (unitOf === 'tokens' && !Number.isInteger(most)))
    throw invalid('most', `The limit must be more than 0 and at most ${amountInWords(top, unitOf)}.`, {
      ...(unitOf === 'tokens' && { hint: 'Tokens are whole.' }),
    })
  const isSame =
    before !== undefined &&
    before.unit === unitOf &&
    before.period === period &&
    before.zone === zone &&
    SCOPE.every((name) => before[name] === scope[name])
  const counted = isSame
    ? { used: before.used, usedUntil: before.usedUntil, isEstimate: before.isEstimate, countedAt: before.countedAt }
    : { used: null, usedUntil: null, isEstimate: false, countedAt: null }
  const { extra, extraUntil } = isSame ? before : { extra: 0, extraUntil: null }
  const row = { name: input.name, ...scope, period, zone, unit: unitOf, most, action, extra, extraUntil, ...counted }
  const isOver = budgetState(row, unit.now) === 'over'
  return {
    ...row,
    overSince: isOver ? (before?.overSince ?? unit.now) : null,
    createdAt: before?.createdAt ?? unit.now,
  }
}

const given = <Value>(value: Value | undefined, before: Value | undefined): Value | null =>
  value === undefined ? (before ?? null) : value

const SCOPE = ['project', 'agentCli', 'subagent', 'taskId'] as const satisfies (keyof BudgetScope)[]

/** @throws `forbidden` `not_found` */
export async function removeBudget(unit: Unit, name: string): Promise<void> {
  onlyOperator(unit)
  if (!(await unit.budgets.remove(name))) throw noBudget(name)
  await releaseHeld(unit, name, `the budget ${name} was removed`)
  await recordAct(unit, 'budget.remove', { target: name })
  await unit.feed('budget.updated', { budget: name, what: 'removed' })
}

/**
 * Allows more in this period, beside what was allowed in it before.
 *
 * @param more  default: the limit once more
 * @throws `forbidden` `not_found` `invalid`
 */
export async function allowMore(unit: Unit, name: string, more: number | undefined): Promise<void> {
  onlyOperator(unit)
  const row = await unit.budgets.find(name)
  if (row === undefined) throw noBudget(name)
  const extra = limitAt(row, unit.now) - row.most + (more ?? row.most)
  if ((more ?? 1) <= 0 || !Number.isFinite(extra) || row.most + extra > BUDGET_LIMITS.most[row.unit])
    throw invalid('more', `The limit must stay at most ${amountInWords(BUDGET_LIMITS.most[row.unit], row.unit)}.`)
  const allowed = { extra, extraUntil: periodAt(row, unit.now).until }
  const isOver = budgetState({ ...row, ...allowed }, unit.now) === 'over'
  await unit.budgets.update(name, { ...allowed, ...(!isOver && { overSince: null }) })
  if (!isOver) await releaseHeld(unit, name, `more than the budget ${name} was allowed`)
  await recordAct(unit, 'budget.allow', { target: name, detail: { more: amountInWords(more ?? row.most, row.unit) } })
  await unit.feed('budget.updated', { budget: name, what: 'saved' })
}

/** Takes what was counted, and does what budgets that are used up call for. */
export async function takeCounts(unit: Unit, counts: readonly BudgetCount[]): Promise<void> {
  for (const { name, key, ...count } of counts) {
    const row = await unit.budgets.find(name)
    if (row === undefined || row.key !== key) continue
    const now = { ...row, ...count, countedAt: unit.now }
    const [before, state] = [budgetState(row, unit.now), budgetState(now, unit.now)]
    const isSame = row.used === count.used && row.usedUntil === count.usedUntil && row.isEstimate === count.isEstimate
    const overSince = state === 'over' ? (row.overSince ?? unit.now) : null
    if (isSame && row.overSince === overSince) continue
    await unit.budgets.update(name, { ...count, countedAt: unit.now, overSince })
    if (before === state && row.overSince === overSince) continue
    await unit.feed('budget.updated', { budget: name, what: 'counted', state })
    if (before === 'over') await releaseHeld(unit, name, `the budget ${name} has something left`)
  }
  await stopRuns(unit)
}

/** Runs of budgets that park and are used up are stopped, so that their conversations can go on later. */
async function stopRuns(unit: Unit): Promise<void> {
  const parking = (await unit.budgets.all()).filter((row) => row.action === 'park' && isHolding(row, unit.now))
  if (parking.length === 0) return
  for (const key of await unit.budgets.tasksAtWork()) {
    const live = await unit.tasks.liveAttempt(key)
    // Nothing of ours runs one without a boot ID.
    if (live === undefined || live.bootId === null || live.wish !== null) continue
    const task = await unit.tasks.taskByKey(key)
    if (task === undefined) continue
    const row = await budgetInTheWay(unit, task, live.agentCli)
    if (row?.action !== 'park') continue
    const why = budgetIsUsedUp(row, unit.now)
    await unit.budgets.hold({ taskKey: key, budget: row.name, until: row.usedUntil })
    await setWish(unit, live, 'pause', why)
    await publishWish(unit, task, `is being paused: ${why}`)
  }
}

const noBudget = (name: string): AppError =>
  new AppError('not_found', `There is no budget ${quoted(name)}.`, {
    hint: 'Run `lode budget list` to see all budgets.',
  })

function onlyOperator(unit: Unit): void {
  if (unit.caller.kind !== 'operator') throw new AppError('forbidden', 'Only an operator may change budgets.')
}

const invalid = (field: string, message: string, { hint }: { hint?: string } = {}): AppError =>
  new AppError('invalid', message, { ...(hint !== undefined && { hint }), details: { field } })
