import { sql } from 'kysely'
import type { BudgetRow } from '../../domain/budget/budget'
import type { BudgetHold, BudgetTx } from '../../domain/budget/budget-store'
import { type TaskKey, taskKey } from '../../domain/ids'
import type { Driver, Program } from '../sql/program'
import { asInserted, insertRow, selectRows, updateRow } from '../sql/row-statements'
import { statement } from '../sql/statement'
import { projectOf } from '../tasks/shown'
import { groupProjects } from '../tree-levels/projects'
import { BUDGET, HOLD } from './rows'

/** Tasks at work that are looked at when a budget is used up. */
const MOST_AT_WORK = 10_000

/** The port of budgets over one connection. */
export function createBudgetTx(driver: Driver): BudgetTx {
  const drive = <T>(program: Program<T>) => driver.drive(program)
  return {
    all: () => drive(allBudgets()),
    find: (name) => drive(findBudget(name)),
    insert: (row) => drive(INSERT.run(row)),
    update: (name, patch) => drive(updateRow(BUDGET, patch, name, { by: 'name' })),
    remove: (name) => drive(removeBudget(name)),
    hold: (hold) => drive(PUT_HOLD.run(hold)),
    holdOf: (task) => drive(holdOf(task)),
    heldBy: (budget) => drive(heldBy(budget)),
    release: (task) => drive(RELEASE.run({ task })),
    projectOf: (task) => drive(projectOfTask(task)),
    tasksAtWork: () => drive(tasksAtWork()),
  }
}

const ALL = statement()((db) => selectRows(db, BUDGET).orderBy('t.name'))
function* allBudgets(): Program<BudgetRow[]> {
  return (yield* ALL.rows()).map((row) => BUDGET.read(row))
}

const BY_NAME = statement<{ name: string }>()((db, param) => selectRows(db, BUDGET).where('t.name', '=', param('name')))
function* findBudget(name: string): Program<BudgetRow | undefined> {
  const row = yield* BY_NAME.first({ name })
  return row && BUDGET.read(row)
}

const INSERT = insertRow(BUDGET, BUDGET.names('key'))
const REMOVE = statement<{ name: string }>()((db, param) => db.deleteFrom('budgets').where('name', '=', param('name')))
const removeBudget = function* (name: string): Program<boolean> {
  return (yield* REMOVE.changed({ name })) > 0
}

const PUT_HOLD = insertRow(HOLD, HOLD.names(), [], (insert) =>
  insert.onConflict((conflict) =>
    conflict.column('task_id').doUpdateSet(asInserted('budget_holds', ['budget', 'until'])),
  ),
)
const HOLD_OF = statement<{ task: TaskKey }>()((db, param) =>
  selectRows(db, HOLD).where('t.task_id', '=', param('task')),
)
function* holdOf(task: TaskKey): Program<BudgetHold | undefined> {
  const row = yield* HOLD_OF.first({ task })
  return row && HOLD.read(row)
}

const HELD_BY = statement<{ budget: string }>()((db, param) =>
  db.selectFrom('budget_holds').select('task_id as key').where('budget', '=', param('budget')).orderBy('task_id'),
)
function* heldBy(budget: string): Program<TaskKey[]> {
  return (yield* HELD_BY.rows({ budget })).map(({ key }) => taskKey(key))
}
const RELEASE = statement<{ task: TaskKey }>()((db, param) =>
  db.deleteFrom('budget_holds').where('task_id', '=', param('task')),
)

const PROJECTS = statement()((db) => db.selectFrom('projects').select(['id', 'root', 'remote', 'name']).orderBy('id'))
const PROJECT_OF = statement<{ task: TaskKey }>()(
  (_, param) => sql<{ id: number | null }>`
    select ${sql.raw(projectOf('id'))} as id from tasks t where t.id = ${param('task')}`,
)
function* projectOfTask(task: TaskKey): Program<string | null> {
  const row = yield* PROJECT_OF.first({ task })
  return groupProjects(yield* PROJECTS.rows()).ofRow(row?.id ?? null)
}

const AT_WORK = statement()((db) =>
  db.selectFrom('tasks').select('id as key').where('status', '=', 'in_progress').orderBy('id').limit(MOST_AT_WORK),
)
function* tasksAtWork(): Program<TaskKey[]> {
  return (yield* AT_WORK.rows()).map(({ key }) => taskKey(key))
}
