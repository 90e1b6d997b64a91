import { sql } from 'kysely'
import type { ToolUseReads } from '../../domain/conversation/tool-use'
import { sessionId, subagentId, toolUseId } from '../../domain/ids'
import { isoTime, type ReadContext } from '../sql/read-context'

/** Sessions that one call's id is looked up in. */
const SAME_ID_SESSIONS = 50

interface Row {
  session_native_id: string
  tool_use_id: string
  name: string | null
  caller: string | null
  called_at: number | null
  ended_at: number | null
  is_error: number | null
  launched: string | null
  continued: string | null
}

/** Reads calls of tools. Each look-up begins with the session, as the keys do. */
export function toolUseReads({ db }: ReadContext): ToolUseReads {
  return {
    async find(id) {
      const { rows } = await sql<Row>`
        select s.native_id as session_native_id, u.tool_use_id, u.name, c.native_id as caller, u.called_at, u.ended_at, u.is_error,
               (select min(a.native_id) from subagents a
                 where a.session_id = u.session_id and a.tool_use_id = u.tool_use_id and a.kind <> 'internal') as launched,
               (select min(a.native_id) from subagent_runs r join subagents a on a.id = r.subagent_id
                 where r.session_id = u.session_id and r.tool_use_id = u.tool_use_id and r.number > 1) as continued
          from sessions s join tool_uses u on u.session_id = s.id and u.tool_use_id = ${id}
          left join subagents c on c.id = u.subagent_id
         order by s.id limit ${sql.lit(SAME_ID_SESSIONS)}`.execute(db)
      return rows.map((row) => ({
        id: toolUseId(row.tool_use_id),
        sessionId: sessionId(row.session_native_id),
        name: row.name,
        subagentId: row.caller === null ? null : subagentId(row.caller),
        calledAt: isoTime(row.called_at),
        endedAt: isoTime(row.ended_at),
        isError: row.is_error === null ? null : row.is_error !== 0,
        launched: row.launched === null ? null : subagentId(row.launched),
        continued: row.continued === null ? null : subagentId(row.continued),
      }))
    },
  }
}
