import type { Address, PlanId, TaskId } from '../../../domain/ids'
import type { PlanRow, TaskRow } from '../../../domain/task/task-store'
import type { TaskDialect } from '../../sql/dialect'
import { first, type Program, rows, run } from '../../sql/program'
import { TASK } from '../rows'
import { TASK_COLUMNS } from './tasks'

const OPEN = `not in ('completed', 'failed', 'cancelled')`

export function* insertPlan({ id, title, creator, createdAt }: PlanRow): Program<void> {
  const sql = 'insert into plans (public_id, title, creator, created_at) values (?, ?, ?, ?)'
  yield* run(sql, id, title, creator, createdAt)
}

export const plan = (id: PlanId): Program<PlanRow | undefined> =>
  first(`select public_id as id, title, creator, created_at as "createdAt" from plans where public_id = ?`, id)

export function* planTasks(id: PlanId): Program<TaskRow[]> {
  const found = yield* rows<object>(`select ${TASK_COLUMNS} from tasks t where t.plan_id = ? order by t.id`, id)
  return found.map((row) => TASK.read(row))
}

/**
 * What an agent's run made has an agent as its creator and reports to that run's task; where that speaks for a session, it hangs under
 * it. A follow-up of a task that ended was made by
 * nobody's run: it stands in the place of its parent.
 */
const SPAWNERS = `
  with recursive above(id, spawner, spawned, level) as (
    select public_id, case when creator_agent_id is not null and reply_to like 't-%' then reply_to
             when creator_agent_id is not null or source = 'message' then parent_task_id end,
           case when creator_agent_id is not null then 1 else 0 end, 0
      from tasks where public_id = ?
    union all
    select t.public_id,
           case when t.creator_agent_id is not null and t.reply_to like 't-%' then t.reply_to
             when t.creator_agent_id is not null or t.source = 'message' then t.parent_task_id end,
           case when t.creator_agent_id is not null then 1 else 0 end, a.level + 1
      from above a join tasks t on t.public_id = a.spawner where a.level < ?
  ) select id, spawned from above order by level`

export function* spawners(id: TaskId, limit: number): Program<{ id: TaskId; isSpawned: boolean }[]> {
  const found = yield* rows<{ id: TaskId; spawned: number }>(SPAWNERS, id, limit)
  return found.map((row) => ({ id: row.id, isSpawned: Number(row.spawned) === 1 }))
}

export function* countOpenFor(address: Address): Program<number> {
  const found = yield* first<{ count: number }>(
    `select count(*) as count from tasks where reply_to = ? and status ${OPEN}`,
    address,
  )
  return Number(found?.count ?? 0)
}

/** What is over is walked through as well: below it something may be open. */
const BELOW = `
  with recursive below(id, status) as (
    select public_id, status from tasks where reply_to = ?
    union
    select t.public_id, t.status from below b join tasks t on t.reply_to = b.id
  ) select count(*) as count from below where status ${OPEN}`

export function* countOpenBelow(id: Address): Program<number> {
  const found = yield* first<{ count: number }>(BELOW, id)
  return Number(found?.count ?? 0)
}

const WITH_TEXT = `select ${TASK_COLUMNS} from tasks t
  where t.reply_to = ? and t.status ${OPEN} and t.text = ? order by t.id limit 20`

export function* openWithText(address: Address, text: string): Program<TaskRow[]> {
  const found = yield* rows<object>(WITH_TEXT, address, text)
  return found.map((row) => TASK.read(row))
}

export function* lockTree(db: TaskDialect, root: TaskId | Address): Program<void> {
  if (db.turn !== null) yield* rows(db.turn, `tree ${root}`)
}
