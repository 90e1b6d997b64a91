import type { AgentKey, TaskKey } from '../../../domain/ids'
import type { OfferRow } from '../../../domain/task/task-store'
import type { TaskDialect } from '../../sql/dialect'
import { first, type Program, rows, run } from '../../sql/program'

const COLUMNS = 'o.task_id as "taskKey", o.agent_id as "agentKey", o.expires_at as "expiresAt"'

export function* putOffer(row: OfferRow): Program<void> {
  yield* run('update tasks set offered_to = ? where id = ?', row.agentKey, row.taskKey)
  yield* run(
    `insert into offers (task_id, agent_id, expires_at) values (?, ?, ?)
     on conflict (task_id) do update set agent_id = excluded.agent_id, expires_at = excluded.expires_at`,
    row.taskKey,
    row.agentKey,
    row.expiresAt,
  )
}

export const offer = (task: TaskKey): Program<OfferRow | undefined> =>
  first<OfferRow>(`select ${COLUMNS} from offers o where o.task_id = ?`, task)

export function* removeOffer(task: TaskKey): Program<void> {
  yield* run('update tasks set offered_to = null where id = ? and offered_to is not null', task)
  yield* run('delete from offers where task_id = ?', task)
}

export const expiredOffers = (db: TaskDialect, now: number): Program<OfferRow[]> =>
  rows<OfferRow>(
    `select ${COLUMNS} from offers o join tasks t on t.id = o.task_id
      where o.expires_at <= ? order by o.expires_at, o.task_id${db.lockFree}`,
    now,
  )

/** The newest reason stands. */
export function* addRejection(now: number, task: TaskKey, agent: AgentKey, reason: string | null): Program<void> {
  yield* run(
    `insert into rejections (task_id, agent_id, reason, at) values (?, ?, ?, ?)
     on conflict (task_id, agent_id) do update set reason = excluded.reason, at = excluded.at`,
    task,
    agent,
    reason,
    now,
  )
}

export function* removeRejection(task: TaskKey, agent: AgentKey): Program<void> {
  yield* run('delete from rejections where task_id = ? and agent_id = ?', task, agent)
}

export function* isRejected(task: TaskKey, agent: AgentKey): Program<boolean> {
  const found = yield* first('select 1 as found from rejections where task_id = ? and agent_id = ?', task, agent)
  return found !== undefined
}
