import { type RawBuilder, sql } from 'kysely'
import type { SessionKey, SubagentKey } from '../../domain/ids'
import { MAP_PARTS, MAX_ONLY, type MapKind, type Minimap } from '../../domain/session/minimap'
import type { ReadContext } from '../sql/read-context'
import { whose } from './line-windows'

/** What stands out among the lines of one agent, by parts of equal length. A line of several kinds is of the first that fits. */
export async function readMinimap(
  { db }: ReadContext,
  session: SessionKey,
  node: SubagentKey | null,
): Promise<Minimap> {
  const { rows } = await sql<{ kind: MapKind | null; number: number; count: number; total: number }>`
    ${told(session, node)}
    select kind, min(number) as number, count(*) as count, max(total) as total
      from told where kind is not null group by kind, number * ${sql.lit(MAP_PARTS)} / total
    union all
    select null, 0, 0, count(*) from conversation_events where ${whose(session, node)}
  `.execute(db)
  const marks = rows.flatMap(({ kind, number, count }) =>
    kind === null ? [] : [{ kind, number: Number(number), count: Number(count) }],
  )
  return {
    total: Number(rows.find(({ kind }) => kind === null)?.total ?? 0),
    marks: marks.sort((a, b) => a.number - b.number),
  }
}

export async function readLinesOfKind(
  { db }: ReadContext,
  session: SessionKey,
  node: SubagentKey | null,
  kind: MapKind,
): Promise<number[]> {
  const { rows } = await sql<{ number: number }>`
    ${told(session, node)}
    select number from told where kind = ${kind} order by number limit ${sql.lit(MAX_ONLY)}
  `.execute(db)
  return rows.map(({ number }) => Number(number))
}

/** `told`: the lines of one agent that may stand out, each with its number and its kind. */
const told = (session: SessionKey, node: SubagentKey | null): RawBuilder<unknown> => sql`
    with lines as (
      select type, tool_use_id, row_number() over (order by at, id) - 1 as number, count(*) over () as total
        from conversation_events where ${whose(session, node)}
    ), told as (
      select number, total, case
          when l.type = 'prompt' then 'prompt'
          when l.type = 'compaction' then 'compaction'
          when l.type = 'error' or (l.type = 'tool_call' and u.is_error = 1) then 'error'
          when l.type = 'tool_call' and u.files is not null then 'edit'
          when l.type = 'tool_call' and exists (
            select 1 from subagents a where a.session_id = ${session} and a.tool_use_id = l.tool_use_id and a.kind = 'agent'
          ) then 'agent'
        end as kind
        from lines l left join tool_uses u on u.session_id = ${session} and u.tool_use_id = l.tool_use_id
       where l.type in ('prompt', 'compaction', 'error', 'tool_call')
    )`
