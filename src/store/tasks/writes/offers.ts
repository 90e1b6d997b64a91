import { type Kysely, sql } from 'kysely'
import type { AgentKey, TaskKey } from '../../../domain/ids'
import type { OfferRow } from '../../../domain/task/task-store'
import { perDialect, type TaskDialect } from '../../sql/dialect'
import type { Program } from '../../sql/program'
import { asInserted } from '../../sql/row-statements'
import { statement } from '../../sql/statement'
import type { Schema } from '../../sql/tables'

const OFFER_TO = statement<{ taskKey: TaskKey; agentKey: AgentKey }>()((db, param) =>
  db
    .updateTable('tasks')
    .set({ offered_to: param('agentKey') })
    .where('id', '=', param('taskKey')),
)
const PUT = statement<{ taskKey: TaskKey; agentKey: AgentKey; expiresAt: number }>()((db, param) =>
  db
    .insertInto('offers')
    .values({ task_id: param('taskKey'), agent_id: param('agentKey'), expires_at: param('expiresAt') })
    .onConflict((conflict) => conflict.column('task_id').doUpdateSet(asInserted('offers', ['agent_id', 'expires_at']))),
)

export function* putOffer(row: OfferRow): Program<void> {
  yield* OFFER_TO.run(row)
  yield* PUT.run(row)
}

const offers = (db: Kysely<Schema>) =>
  db.selectFrom('offers as o').select(['o.task_id as taskKey', 'o.agent_id as agentKey', 'o.expires_at as expiresAt'])

const OFFER = statement<{ task: TaskKey }>()((db, param) => offers(db).where('o.task_id', '=', param('task')))

export const offer = (task: TaskKey): Program<OfferRow | undefined> => OFFER.first({ task })

const OFFER_TO_NOBODY = statement<{ task: TaskKey }>()((db, param) =>
  db.updateTable('tasks').set({ offered_to: null }).where('id', '=', param('task')).where('offered_to', 'is not', null),
)
const REMOVE = statement<{ task: TaskKey }>()((db, param) =>
  db.deleteFrom('offers').where('task_id', '=', param('task')),
)

export function* removeOffer(task: TaskKey): Program<void> {
  yield* OFFER_TO_NOBODY.run({ task })
  yield* REMOVE.run({ task })
}

const EXPIRED = perDialect(({ lockFree }) =>
  statement<{ now: number }>()((db, param) =>
    offers(db)
      .innerJoin('tasks as t', 't.id', 'o.task_id')
      .where('o.expires_at', '<=', param('now'))
      .orderBy('o.expires_at')
      .orderBy('o.task_id')
      .modifyEnd(sql.raw(lockFree)),
  ),
)

export const expiredOffers = (db: TaskDialect, now: number): Program<OfferRow[]> => EXPIRED(db).rows({ now })

const REJECT = statement<{ task: TaskKey; agent: AgentKey; reason: string | null; now: number }>()((db, param) =>
  db
    .insertInto('rejections')
    .values({ task_id: param('task'), agent_id: param('agent'), reason: param('reason'), at: param('now') })
    .onConflict((conflict) =>
      conflict.columns(['task_id', 'agent_id']).doUpdateSet(asInserted('rejections', ['reason', 'at'])),
    ),
)

/** The newest reason stands. */
export function* addRejection(now: number, task: TaskKey, agent: AgentKey, reason: string | null): Program<void> {
  yield* REJECT.run({ task, agent, reason, now })
}

const REMOVE_REJECTION = statement<{ task: TaskKey; agent: AgentKey }>()((db, param) =>
  db.deleteFrom('rejections').where('task_id', '=', param('task')).where('agent_id', '=', param('agent')),
)

export function* removeRejection(task: TaskKey, agent: AgentKey): Program<void> {
  yield* REMOVE_REJECTION.run({ task, agent })
}

const REJECTION = statement<{ task: TaskKey; agent: AgentKey }>()((db, param) =>
  db.selectFrom('rejections').select('at').where('task_id', '=', param('task')).where('agent_id', '=', param('agent')),
)

export function* isRejected(task: TaskKey, agent: AgentKey): Program<boolean> {
  return (yield* REJECTION.first({ task, agent })) !== undefined
}
