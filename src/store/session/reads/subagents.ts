import { type SessionId, type SubagentId, sessionId } from '../../../domain/ids'
import type { Subagent } from '../../../domain/session/session'
import type { SessionReads, StoredSession, SubagentReads } from '../../../domain/session/session-store'
import type { ReadContext } from '../../sql/read-context'
import { inOrder, placeNodes, selectSubagents, toSubagent } from './subagent-nodes'
import { readTree } from './tree'
import { groupRows, readUsageTotals } from './usage-totals'

/** Sessions that one sub-agent's id is looked up in; forks repeat their parent's ids. */
const SAME_ID_SESSIONS = 50
const SHOWN_KINDS: Subagent['kind'][] = ['agent', 'shell', 'monitor']

/** Reads sub-agents and the tree of a session. */
export function subagentReads(context: ReadContext, sessions: Pick<SessionReads, 'find'>): SubagentReads {
  const list = async (session: StoredSession, kinds = SHOWN_KINDS): Promise<Subagent[]> => {
    const [rows, totals] = await Promise.all([
      selectSubagents(context).where('a.session_id', '=', session.key).execute().then(inOrder),
      readUsageTotals(context, [session.key]),
    ])
    const places = placeNodes(rows)
    const totalsOf = groupRows(totals, (total) => total.subagent_id)
    return rows
      .filter((row) => kinds.some((kind) => kind === row.kind))
      .map((row) => {
        const place = places.get(row.id) ?? { parent: undefined, depth: null }
        const facts = { place, totals: totalsOf.get(row.id) ?? [] }
        return toSubagent(row, facts, session, context)
      })
  }

  return {
    async list(id: SessionId, options = {}) {
      const session = await sessions.find(id)
      return session === undefined ? [] : await list(session, options.kinds)
    },

    async find(id: SubagentId) {
      const rows = await context.db
        .selectFrom('subagents as a')
        .innerJoin('sessions as s', 's.id', 'a.session_id')
        .select('s.native_id')
        .where('a.native_id', '=', id)
        .orderBy('s.id')
        .limit(SAME_ID_SESSIONS)
        .execute()
      const found: Subagent[] = []
      for (const row of rows) {
        const session = await sessions.find(sessionId(row.native_id))
        if (session === undefined) continue
        found.push(...(await list(session)).filter((subagent) => subagent.id === id))
      }
      return found
    },

    tree: async (id: SessionId) => {
      const session = await sessions.find(id)
      return session === undefined ? undefined : await readTree(context, session)
    },
  }
}
