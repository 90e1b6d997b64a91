import { type BudgetRow, isHolding, standingInWords } from '../../domain/budget/budget'
import type { AgentName } from '../../domain/ids'
import type { Move } from '../../domain/task/task-machine'
import type { TaskRow } from '../../domain/task/task-store'
import type { Unit } from '../unit/unit'
import { moveTask } from './move-task'

/** The first budget that is used up and counts what this task uses; `undefined` = the task may begin a turn. */
export async function budgetInTheWay(
  unit: Unit,
  task: TaskRow,
  agentCli: AgentName | null,
): Promise<BudgetRow | undefined> {
  const holding = (await unit.budgets.all()).filter((row) => isHolding(row, unit.now))
  for (const row of holding) if (await isIn(unit, task, agentCli, row)) return row
  return undefined
}

async function isIn(unit: Unit, task: TaskRow, agentCli: AgentName | null, scope: BudgetRow): Promise<boolean> {
  // What a sub-agent uses is known when it was used: such a budget only warns.
  if (scope.subagent !== null) return false
  if (scope.agentCli !== null && scope.agentCli !== agentCli) return false
  if (scope.taskId !== null && !(await unit.tasks.above(task.id)).includes(scope.taskId)) return false
  return scope.project === null || (await unit.budgets.projectOf(task.key)) === scope.project
}

/** For a person, without a full stop. */
export const budgetIsUsedUp = (row: BudgetRow, now: number): string =>
  `The budget ${row.name} is used up: ${standingInWords(row, now)}`

/** A task that nobody runs waits for more. */
export async function holdForBudget(unit: Unit, task: TaskRow, row: BudgetRow): Promise<void> {
  await unit.budgets.hold({ taskKey: task.key, budget: row.name, until: row.usedUntil })
  const why = budgetIsUsedUp(row, unit.now)
  await moveTask(unit, task, { kind: 'pause', by: 'limit', until: row.usedUntil, why })
}

/** A run that was stopped for a budget waits for more, and not for the person whose pause it looks like. */
export async function afterBudgetStop(unit: Unit, task: TaskRow, move: Move): Promise<Move> {
  if (move.kind !== 'pause' || move.by !== 'person') return move
  const hold = await unit.budgets.holdOf(task.key)
  return hold === undefined ? move : { ...move, by: 'limit', until: hold.until }
}

/** Tasks that wait for a budget may begin again; whether another one is in their way is seen when they do. */
export async function releaseHeld(unit: Unit, budget: string, why: string): Promise<void> {
  for (const key of await unit.budgets.heldBy(budget)) {
    await unit.budgets.release(key)
    const task = await unit.tasks.taskByKey(key)
    if (task?.status === 'paused' && task.pausedBy === 'limit') await moveTask(unit, task, { kind: 'resume', why })
  }
}
