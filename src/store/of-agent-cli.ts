/** Which rows are of an agent CLI: what every list means by its filter. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { AgentName } from '../domain/ids'

/** A task `of` is one of the CLI of its newest attempt, else of the first that it asks for. */
export const isTaskOf = (of: string, cli: AgentName): RawBuilder<SqlBool> => {
  const column = (name: string) => sql.ref(`${of}.${name}`)
  const first = `["${cli}"`
  return sql<SqlBool>`coalesce(
    (select n.agent_cli from attempts n where n.task_id = ${column('id')} and n.number = ${column('attempt_count')}),
    case when substr(${column('needed_clis')}, 1, ${sql.lit(first.length)}) = ${first} then cast(${cli} as text) end) = ${cli}`
}

/** An address is one of the CLI of the session that is there, or of the task's. An agent that is registered has none. */
export const isAddressOf = (address: RawBuilder<unknown>, cli: AgentName): RawBuilder<SqlBool> => sql<SqlBool>`(
  exists (select 1 from sessions n where n.native_id = ${address} and n.agent = ${cli})
  or exists (select 1 from address_aliases l join sessions n on n.native_id = l.alias
              where l.address = ${address} and n.agent = ${cli})
  or exists (select 1 from tasks k where k.public_id = ${address} and ${isTaskOf('k', cli)}))`
