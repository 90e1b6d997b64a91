import { sql } from 'kysely'
import type { TaskId, TaskKey } from '../../../domain/ids'
import { FINAL_TASK_STATUSES, type TaskStatus } from '../../../domain/task/task'
import type { TaskRow } from '../../../domain/task/task-store'
import { perDialect, type TaskDialect, takeTurn } from '../../sql/dialect'
import type { Program } from '../../sql/program'
import { selectRows } from '../../sql/row-statements'
import { statement } from '../../sql/statement'
import { TASK } from '../rows'

/** Units that change dependencies of existing tasks go on one after the other. */
export const lockDependencies = (db: TaskDialect): Program<void> => takeTurn(db, 'task_dependencies')

interface Edge {
  key: TaskKey
  on: TaskKey
}

const ADD = statement<Edge>()((db, param) =>
  db
    .insertInto('task_dependencies')
    .values({ task_id: param('key'), depends_on: param('on') })
    .onConflict((conflict) => conflict.columns(['task_id', 'depends_on']).doNothing()),
)

export function* addDependencies(key: TaskKey, on: TaskKey[]): Program<void> {
  for (const one of on) yield* ADD.run({ key, on: one })
}

const REMOVE = statement<Edge>()((db, param) =>
  db.deleteFrom('task_dependencies').where('task_id', '=', param('key')).where('depends_on', '=', param('on')),
)

export function* removeDependencies(key: TaskKey, on: TaskKey[]): Program<void> {
  for (const one of on) yield* REMOVE.run({ key, on: one })
}

const DEPENDENCIES = statement<{ key: TaskKey }>()((db, param) =>
  db
    .selectFrom('task_dependencies as d')
    .innerJoin('tasks as t', 't.id', 'd.depends_on')
    .select(['t.id as key', 't.public_id as id', 't.status'])
    .where('d.task_id', '=', param('key')),
)

export const dependencies = (key: TaskKey): Program<{ key: TaskKey; id: TaskId; status: TaskStatus }[]> =>
  DEPENDENCIES.rows({ key })

const DEPENDENTS = perDialect(({ lock }) =>
  statement<{ key: TaskKey }>()((db, param) =>
    selectRows(db, TASK)
      .innerJoin('task_dependencies as d', 'd.task_id', 't.id')
      .where('d.depends_on', '=', param('key'))
      .where((eb) =>
        eb.or([
          eb('t.status', 'not in', FINAL_TASK_STATUSES),
          eb.and([eb('t.status', '=', 'failed'), eb('t.failure_class', '=', 'dependency_failed')]),
        ]),
      )
      .orderBy('t.id')
      .modifyEnd(sql.raw(lock)),
  ),
)

export function* dependents(db: TaskDialect, key: TaskKey): Program<TaskRow[]> {
  // In the order of keys, as every unit takes several tasks: so they wait for each other, not crosswise.
  return (yield* DEPENDENTS(db).rows({ key })).map((row) => TASK.read(row))
}

const ABOVE = statement<{ from: TaskKey; to: TaskKey }>()((db, param) =>
  db
    .withRecursive('above(id)', (above) =>
      above
        .selectFrom('task_dependencies')
        .select('depends_on as id')
        .where('task_id', '=', param('from'))
        .union(
          above
            .selectFrom('task_dependencies as d')
            .innerJoin('above', 'above.id', 'd.task_id')
            .select('d.depends_on as id'),
        ),
    )
    .selectFrom('above')
    .select('above.id')
    .where('above.id', '=', param('to'))
    .limit(1),
)

export function* dependsOn(from: TaskKey, to: TaskKey): Program<boolean> {
  return (yield* ABOVE.first({ from, to })) !== undefined
}

const WAITING_CHILDREN = perDialect(({ lock }) =>
  statement<{ parent: TaskKey }>()((db, param) =>
    selectRows(db, TASK)
      .where('t.parent_id', '=', param('parent'))
      .where('t.waiting_for', '=', 'parent')
      .orderBy('t.id')
      .modifyEnd(sql.raw(lock)),
  ),
)

export function* waitingChildren(db: TaskDialect, parent: TaskKey): Program<TaskRow[]> {
  return (yield* WAITING_CHILDREN(db).rows({ parent })).map((row) => TASK.read(row))
}
