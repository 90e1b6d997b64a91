import { type Kysely, sql } from 'kysely'
import type { Address, TaskId, TaskKey } from '../../../domain/ids'
import type { Mail, OpenChild } from '../../../domain/message/mail-store'
import type { MessageStatus } from '../../../domain/message/message'
import { isFinal } from '../../../domain/task/task'
import { isAmongKeys } from '../../sql/among'
import { perDialect, type TaskDialect } from '../../sql/dialect'
import type { Program } from '../../sql/program'
import { statement } from '../../sql/statement'
import type { Schema } from '../../sql/tables'

/** The address of a task `t`. */
export const ADDRESS_OF_TASK =
  'coalesce((select al.address from address_aliases al where al.alias = t.public_id), t.public_id)'
const addressOfTask = () => sql<Address>`${sql.raw(ADDRESS_OF_TASK)}`

const MAIL_OF = perDialect((words) =>
  statement<{ tasks: string }>()((db, param) => {
    const sent = (status: MessageStatus) =>
      db
        .selectFrom('messages as m')
        .select('m.seq')
        .where('m.to_address', '=', addressOfTask())
        .where('m.status', '=', status)
    return db
      .selectFrom('tasks as t')
      .select(['t.id as taskKey', addressOfTask().as('to')])
      .where((eb) => isAmongKeys(words, eb.ref('t.id'), param('tasks')))
      .where((eb) => eb.or([eb.exists(sent('produced')), eb.exists(sent('queued'))]))
  }),
)

export function* mailOf(db: TaskDialect, tasks: readonly TaskKey[]): Program<{ taskKey: TaskKey; to: Address }[]> {
  return tasks.length === 0 ? [] : yield* MAIL_OF(db).rows({ tasks: db.keyList(tasks) })
}

const MAIL_AT = statement<{ of: Address }>()((db, param) => {
  const count = (status: MessageStatus) =>
    db
      .selectFrom('messages')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('to_address', '=', param('of'))
      .where('status', '=', status)
  return db.selectNoFrom([
    count('produced').where('kind', '!=', 'status').$asScalar().$notNull().as('waiting'),
    count('queued').$asScalar().$notNull().as('flying'),
    count('delivered').where('kind', '!=', 'status').$asScalar().$notNull().as('delivered'),
  ])
})

export function* mailAt(of: Address): Program<Mail> {
  return (yield* MAIL_AT.first({ of })) ?? { waiting: 0, flying: 0, delivered: 0 }
}

/** Tasks that go on by themselves. */
const openTasks = (db: Kysely<Schema>) =>
  db
    .selectFrom('tasks as t')
    .select(['t.id as key', 't.public_id as id', 't.waiting_for as waitingFor'])
    .where('t.status', 'in', ['unassigned', 'pending', 'in_progress', 'paused'])
const OPEN_CHILDREN = statement<{ of: Address; limit: number }>()((db, param) =>
  openTasks(db)
    .where('t.reply_to', '=', param('of'))
    .where('t.creator_agent_id', 'is not', null)
    .orderBy('t.id')
    .limit(param('limit')),
)
const OPEN_TASK = statement<{ task: TaskKey }>()((db, param) => openTasks(db).where('t.id', '=', param('task')))

export const openChildren = (of: Address, limit: number): Program<OpenChild[]> => OPEN_CHILDREN.rows({ of, limit })

export const openTask = (task: TaskKey): Program<OpenChild | undefined> => OPEN_TASK.first({ task })

const AWAITING = statement<{ limit: number }>()((db, param) =>
  db
    .selectFrom('tasks as t')
    .select(addressOfTask().as('to'))
    .where('t.status', '=', 'pending')
    .where('t.waiting_for', '=', 'children')
    .orderBy('t.id')
    .limit(param('limit')),
)

export function* awaiting(limit: number): Program<Address[]> {
  return (yield* AWAITING.rows({ limit })).map(({ to }) => to)
}

const SPEAKERS = statement<{ of: Address; limit: number }>()((db, param) =>
  db
    .selectFrom('address_aliases as al')
    .innerJoin('tasks as t', 't.public_id', 'al.alias')
    .select(['t.public_id as id', 't.status'])
    .where('al.address', '=', param('of'))
    .orderBy('t.id', 'desc')
    .limit(param('limit')),
)

export function* speakersFor(of: Address, limit: number): Program<{ id: TaskId; isOpen: boolean }[]> {
  const found = yield* SPEAKERS.rows({ of, limit })
  return found.map(({ id, status }) => ({ id, isOpen: !isFinal(status) }))
}

const COMPLETED = statement<{ task: TaskKey }>()((db, param) =>
  db
    .selectFrom('attempts')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('task_id', '=', param('task'))
    .where('outcome', '=', 'completed'),
)

export function* completedAttempts(task: TaskKey): Program<number> {
  return (yield* COMPLETED.first({ task }))?.n ?? 0
}
