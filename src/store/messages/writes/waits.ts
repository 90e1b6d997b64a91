import { sql } from 'kysely'
import type { Address, AgentId, SessionId, TaskId } from '../../../domain/ids'
import type { Program } from '../../sql/program'
import { asInserted } from '../../sql/row-statements'
import { statement } from '../../sql/statement'

/** An address is the id of one of these. */
const KNOWN = statement<{ of: Address }>()((db, param) =>
  db
    .selectFrom('sessions')
    .select(sql.lit(1).as('one'))
    .where('native_id', '=', param('of').$castTo<SessionId>())
    .unionAll(db.selectFrom('registrations').select(sql.lit(1).as('one')).where('address', '=', param('of')))
    .unionAll(
      db.selectFrom('tasks').select(sql.lit(1).as('one')).where('public_id', '=', param('of').$castTo<TaskId>()),
    )
    .unionAll(
      db.selectFrom('agents').select(sql.lit(1).as('one')).where('public_id', '=', param('of').$castTo<AgentId>()),
    )
    .limit(1),
)

/** Whether anything is known by this id: a session, a registration, a task, an agent. */
export function* isKnown(of: Address): Program<boolean> {
  return (yield* KNOWN.first({ of })) !== undefined
}

const PUT_WAIT = statement<{ of: Address; call: string; until: number }>()((db, param) =>
  db
    .insertInto('message_waits')
    .values({ address: param('of'), call: param('call'), until: param('until') })
    .onConflict((conflict) =>
      conflict.columns(['address', 'call']).doUpdateSet(asInserted('message_waits', ['until'])),
    ),
)

export function* putWait(of: Address, call: string, until: number): Program<void> {
  yield* PUT_WAIT.run({ of, call, until })
}

const REMOVE_WAIT = statement<{ of: Address; call: string }>()((db, param) =>
  db.deleteFrom('message_waits').where('address', '=', param('of')).where('call', '=', param('call')),
)

export function* removeWait(of: Address, call: string): Program<void> {
  yield* REMOVE_WAIT.run({ of, call })
}

const REMOVE_OVER = statement<{ of: Address; now: number }>()((db, param) =>
  db.deleteFrom('message_waits').where('address', '=', param('of')).where('until', '<', param('now')),
)
const ANY_WAIT = statement<{ of: Address }>()((db, param) =>
  db.selectFrom('message_waits').select('call').where('address', '=', param('of')).limit(1),
)

/** Whether a call waits at the address now; those whose time is over are forgotten. */
export function* isAwaited(of: Address, now: number): Program<boolean> {
  yield* REMOVE_OVER.run({ of, now })
  return (yield* ANY_WAIT.first({ of })) !== undefined
}
