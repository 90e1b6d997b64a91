import { sql } from 'kysely'
import type { Address, PlanId, TaskId } from '../../../domain/ids'
import { FINAL_TASK_STATUSES } from '../../../domain/task/task'
import type { PlanRow, TaskRow } from '../../../domain/task/task-store'
import { type TaskDialect, takeTurn } from '../../sql/dialect'
import type { Program } from '../../sql/program'
import { selectRows } from '../../sql/row-statements'
import { statement } from '../../sql/statement'
import { TASK } from '../rows'

const INSERT = statement<{ id: PlanId; title: string; creator: string; createdAt: number }>()((db, param) =>
  db.insertInto('plans').values({
    public_id: param('id'),
    title: param('title'),
    creator: param('creator'),
    created_at: param('createdAt'),
  }),
)

export function* insertPlan(row: PlanRow): Program<void> {
  yield* INSERT.run(row)
}

const PLAN = statement<{ id: PlanId }>()((db, param) =>
  db
    .selectFrom('plans')
    .select(['public_id as id', 'title', 'creator', 'created_at as createdAt'])
    .where('public_id', '=', param('id')),
)

export const plan = (id: PlanId): Program<PlanRow | undefined> => PLAN.first({ id })

const TASKS = statement<{ id: PlanId }>()((db, param) =>
  selectRows(db, TASK).where('t.plan_id', '=', param('id')).orderBy('t.id'),
)

export function* planTasks(id: PlanId): Program<TaskRow[]> {
  return (yield* TASKS.rows({ id })).map((row) => TASK.read(row))
}

/**
 * What an agent's run made has an agent as its creator and reports to that run's task; where that speaks for a session, it hangs under
 * it. A follow-up of a task that ended was made by
 * nobody's run: it stands in the place of its parent.
 */
const SPAWNERS = statement<{ id: TaskId; limit: number }>()((_, param) => {
  const spawner = (of: string) =>
    sql.raw(`case when ${of}creator_agent_id is not null and ${of}reply_to like 't-%' then ${of}reply_to
      when ${of}creator_agent_id is not null or ${of}source = 'message' then ${of}parent_task_id end`)
  const spawned = (of: string) => sql.raw(`case when ${of}creator_agent_id is not null then 1 else 0 end`)
  return sql<{ id: TaskId; spawned: number }>`
    with recursive above(id, spawner, spawned, level) as (
      select public_id, ${spawner('')}, ${spawned('')}, 0 from tasks where public_id = ${param('id')}
      union all
      select t.public_id, ${spawner('t.')}, ${spawned('t.')}, a.level + 1
        from above a join tasks t on t.public_id = a.spawner where a.level < ${param('limit')}
    ) select id, spawned from above order by level`
})

export function* spawners(id: TaskId, limit: number): Program<{ id: TaskId; isSpawned: boolean }[]> {
  const found = yield* SPAWNERS.rows({ id, limit })
  return found.map((row) => ({ id: row.id, isSpawned: row.spawned === 1 }))
}

const OPEN_FOR = statement<{ address: Address }>()((db, param) =>
  db
    .selectFrom('tasks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('reply_to', '=', param('address'))
    .where('status', 'not in', FINAL_TASK_STATUSES),
)

export function* countOpenFor(address: Address): Program<number> {
  return (yield* OPEN_FOR.first({ address }))?.count ?? 0
}

/** What is over is walked through as well: below it something may be open. */
const OPEN_BELOW = statement<{ address: Address }>()((db, param) =>
  db
    .withRecursive('below(id, status)', (below) =>
      below
        .selectFrom('tasks')
        .select(['public_id as id', 'status'])
        .where('reply_to', '=', param('address'))
        .union(
          below
            .selectFrom('below as b')
            .innerJoin('tasks as t', 't.reply_to', 'b.id')
            .select(['t.public_id as id', 't.status']),
        ),
    )
    .selectFrom('below')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('below.status', 'not in', FINAL_TASK_STATUSES),
)

export function* countOpenBelow(address: Address): Program<number> {
  return (yield* OPEN_BELOW.first({ address }))?.count ?? 0
}

const WITH_TEXT = statement<{ address: Address; text: string }>()((db, param) =>
  selectRows(db, TASK)
    .where('t.reply_to', '=', param('address'))
    .where('t.status', 'not in', FINAL_TASK_STATUSES)
    .where('t.text', '=', param('text'))
    .orderBy('t.id')
    .limit(20),
)

export function* openWithText(address: Address, text: string): Program<TaskRow[]> {
  return (yield* WITH_TEXT.rows({ address, text })).map((row) => TASK.read(row))
}

export const lockTree = (db: TaskDialect, root: TaskId | Address): Program<void> => takeTurn(db, `tree ${root}`)
