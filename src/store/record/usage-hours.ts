/** Sums of messages by hour, and by what costs are asked for (`usage_hours`). All rows of one key count together. */
import type { SessionKey } from '../../domain/ids'
import { HOUR_MS } from '../../domain/time-units'
import { HOUR_OF_MESSAGE, nodeOf, UNKNOWN_HOUR } from '../migrations/costs/usage-sums'
import { type Program, rows, run } from '../sql/program'
import { USAGE_COUNTS } from './model-usage'

const SUMMED = ['messages', ...USAGE_COUNTS]

export const hourOf = (at: number | null): number => (at === null ? UNKNOWN_HOUR : Math.floor(at / HOUR_MS))

const INTO = `insert into usage_hours (hour, project_id, agent, share, model, node, ${SUMMED.join(', ')}, last_at, is_part, is_worn)`
const int = '(cast(? as bigint))'

const ADD = `${INTO} select ${int}, s.project_id, s.agent, s.share, ?, case when ${int} = 0 then 'main' else ${nodeOf('n')} end,
    ${SUMMED.map(() => int).join(', ')}, ${int}, 1, ${int}
  from sessions s left join subagents n on n.id = ${int} where s.id = ?`

export interface HourSum {
  session: SessionKey
  node: number
  model: string
  hour: number
  messages: number
  counts: readonly number[]
  lastAt: number | null
  /** A message left it. */
  isWorn: boolean
}

/** A row more: on PostgreSQL, writers of one hour would wait for each other if they changed the same one. */
export function* addToHour(sum: HourSum): Program<void> {
  const { session, node, model, hour, messages, counts, lastAt, isWorn } = sum
  yield* run(ADD, hour, model, node, messages, ...counts, lastAt, Number(isWorn), node, session)
}

/** Messages of a session, `sign` times each. */
const messages = (project: string, sign: string, isWorn: string, from: string): string => `${INTO}
  select ${HOUR_OF_MESSAGE}, ${project}, s.agent, s.share, u.model, case when u.subagent_id = 0 then 'main' else ${nodeOf('n')} end,
      ${SUMMED.map((name) => `cast(sum(${sign} * ${name === 'messages' ? '1' : `u.${name}`}) as bigint)`).join(', ')}, max(u.at), 1, ${isWorn}
    from sessions s join usage_messages u on u.session_id = s.id left join subagents n on n.id = u.subagent_id ${from}
   group by 1, 2, 3, 4, 5, 6, ${isWorn}`

const MOVE = messages(
  'p.project_id',
  'p.sign',
  'p.is_worn',
  `cross join (select cast(null as bigint) as project_id, -1 as sign, 1 as is_worn union all select ${int}, 1, 0) p
   where s.id = ? and s.project_id is null`,
)
const TAKE = messages('s.project_id', 's.sign', 's.is_worn', 'where s.id = ?').replace(
  'from sessions s',
  'from (select o.*, -1 as sign, 1 as is_worn from sessions o) s',
)

/** Before a session without a project gets this one. */
export const moveToProject = (session: SessionKey, project: number): Program<void> => run(MOVE, project, session)

/** Before a session goes. Its row is locked: nobody adds to it meanwhile. */
export const takeFromHours = (session: SessionKey): Program<void> => run(TAKE, session)

/** Hours of one unit. */
const FOLDED = 100

/** Nothing is from that time if the hour is not known, of which the number is too large. */
const FROM = `(case when h.hour = ${UNKNOWN_HOUR} then ${UNKNOWN_HOUR} else h.hour * ${HOUR_MS} end)`

const FOLD = `${INTO} select h.hour, h.project_id, h.agent, h.share, h.model, h.node, ${SUMMED.map((name) => `cast(sum(h.${name}) as bigint)`).join(', ')},
    case when max(h.is_worn) = 0 then max(h.last_at) else (
      select max(u.at) from usage_messages u join sessions s on s.id = u.session_id left join subagents n on n.id = u.subagent_id
       where u.at >= ${FROM} and u.at < ${FROM} + ${HOUR_MS}
         and s.project_id is not distinct from h.project_id and s.agent = h.agent and s.share is not distinct from h.share and u.model = h.model
         and case when u.subagent_id = 0 then 'main' else ${nodeOf('n')} end = h.node) end, 0, 0
  from usage_hours h where h.hour = ? and h.is_part = 2
  group by h.hour, h.project_id, h.agent, h.share, h.model, h.node having sum(h.messages) <> 0`

/**
 * Makes one row of those of each key, for some hours; what it marks is seen by its unit alone.
 *
 * @returns whether there may be more
 */
export function* foldHours(): Program<boolean> {
  const open = yield* rows<{ hour: number }>(
    `select hour from usage_hours where is_part > 0 group by hour order by hour limit ${FOLDED}`,
  )
  for (const { hour } of open) {
    yield* run('update usage_hours set is_part = 2 where hour = ?', hour)
    yield* run(FOLD, hour)
    yield* run('delete from usage_hours where hour = ? and is_part = 2', hour)
  }
  return open.length === FOLDED
}
