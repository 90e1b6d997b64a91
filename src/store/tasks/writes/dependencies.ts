import type { TaskId, TaskKey } from '../../../domain/ids'
import type { TaskStatus } from '../../../domain/task/task'
import type { TaskRow } from '../../../domain/task/task-store'
import { perDialect, type TaskDialect } from '../../sql/dialect'
import { first, type Program, rows, run } from '../../sql/program'
import { TASK } from '../rows'
import { selectTasks, TASK_COLUMNS } from './tasks'

/** Of units that change dependencies of existing tasks one goes on after the other. */
export function* lockDependencies(db: TaskDialect): Program<void> {
  if (db.turn !== null) yield* rows(db.turn, 'task_dependencies')
}

export function* addDependencies(key: TaskKey, on: TaskKey[]): Program<void> {
  for (const one of on)
    yield* run(
      `insert into task_dependencies (task_id, depends_on) values (?, ?) on conflict (task_id, depends_on) do nothing`,
      key,
      one,
    )
}

export function* removeDependencies(key: TaskKey, on: TaskKey[]): Program<void> {
  for (const one of on) yield* run('delete from task_dependencies where task_id = ? and depends_on = ?', key, one)
}

export const dependencies = (key: TaskKey): Program<{ key: TaskKey; id: TaskId; status: TaskStatus }[]> =>
  rows(
    `select t.id as "key", t.public_id as id, t.status as status
       from task_dependencies d join tasks t on t.id = d.depends_on where d.task_id = ?`,
    key,
  )

const DEPENDENTS = perDialect(
  (db) => `select ${TASK_COLUMNS} from task_dependencies d join tasks t on t.id = d.task_id
    where d.depends_on = ? and (t.status not in ('completed', 'failed', 'cancelled')
      or (t.status = 'failed' and t.failure_class = 'dependency_failed'))
    order by t.id${db.lock}`,
)

export function* dependents(db: TaskDialect, key: TaskKey): Program<TaskRow[]> {
  // In the order of keys, as every unit takes several tasks: so they wait for each other, not crosswise.
  const found = yield* rows<object>(DEPENDENTS(db), key)
  return found.map((row) => TASK.read(row))
}

export function* dependsOn(from: TaskKey, to: TaskKey): Program<boolean> {
  const found = yield* first(
    `with recursive above(id) as (
       select depends_on from task_dependencies where task_id = ?
       union
       select d.depends_on from task_dependencies d join above on above.id = d.task_id
     ) select 1 as found from above where id = ? limit 1`,
    from,
    to,
  )
  return found !== undefined
}

export const waitingChildren = (db: TaskDialect, parent: TaskKey): Program<TaskRow[]> =>
  selectTasks(`t.parent_id = ? and t.waiting_for = 'parent' order by t.id${db.lock}`, parent)
