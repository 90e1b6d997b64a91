import { sql } from 'kysely'
import type { OutputLine, OutputReads } from '../../domain/conversation/output'
import { type EventId, subagentId } from '../../domain/ids'
import type { ReadContext } from '../sql/read-context'
import { uuidText } from '../sql/uuid'

const MOST_MATCHES = 20
const CUT = 2

/** Reads what background work has put out, along the index by sub-agent. */
export function outputReads({ db, capabilities }: ReadContext): OutputReads {
  return {
    async matchPrefix(prefix, session) {
      let query = db
        .selectFrom('subagents as a')
        .innerJoin('sessions as s', 's.id', 'a.session_id')
        .select('a.native_id')
        .where('a.kind', '!=', 'internal')
        .where(sql<string>`substr(a.native_id, 1, ${sql.lit([...prefix].length)})`, '=', prefix)
        .orderBy('a.id', 'desc')
        .limit(MOST_MATCHES)
      if (session !== null) query = query.where('s.native_id', '=', session)
      const rows = await query.execute()
      return [...new Set(rows.map((row) => subagentId(row.native_id)))]
    },

    async lastLines(session, subagent, limit, onlyWords) {
      const types = onlyWords ? ['text', 'error'] : ['text', 'tool_call', 'error']
      const rows = await db
        .selectFrom('conversation_events as e')
        .innerJoin('subagents as a', (join) =>
          join.onRef('a.session_id', '=', 'e.session_id').onRef('a.id', '=', 'e.subagent_id'),
        )
        .innerJoin('sessions as s', 's.id', 'a.session_id')
        .select(['e.uuid', 'e.type', 'e.tool_name', 'e.text', 'e.flags'])
        .where('s.native_id', '=', session)
        .where('a.native_id', '=', subagent)
        .where(({ ref }) => capabilities.inTexts(ref('e.type'), types))
        .orderBy('e.at', 'desc')
        .orderBy('e.id', 'desc')
        .limit(limit)
        .execute()
      return rows.reverse().map(
        (row): OutputLine => ({
          id: uuidText(row.uuid) as EventId,
          type: row.type as OutputLine['type'],
          toolName: row.tool_name,
          text: row.text,
          isCut: (Number(row.flags) & CUT) !== 0,
        }),
      )
    },
  }
}
