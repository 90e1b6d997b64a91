import { sql } from 'kysely'
import type { ContinuedRun } from '../../domain/conversation/line-row'
import {
  type SessionKey,
  type SubagentId,
  type SubagentKey,
  subagentId,
  subagentKey,
  type ToolUseId,
  toolUseId,
} from '../../domain/ids'
import type { Subagent } from '../../domain/session/session'
import type { StoredSession } from '../../domain/session/session-store'
import { type SubagentRow, selectSubagents, toSubagent } from '../session/reads/subagent-nodes'
import { groupRows } from '../session/reads/usage-totals'
import type { ReadContext } from '../sql/read-context'
import { climb, placeOf } from './event-nodes'

/** A sub-agent with its key. */
export interface KeyedAgent {
  key: SubagentKey
  subagent: Subagent
}

/** The sub-agents and background tasks that these calls launched, oldest first: by the calls' ids, not by a walk over all. */
export async function readLaunched(
  context: ReadContext,
  session: StoredSession,
  ids: readonly ToolUseId[],
  parent: { id: SubagentId; toolUseId: ToolUseId | null } | null,
  depth: number | null,
): Promise<KeyedAgent[]> {
  if (ids.length === 0) return []
  const rows = await selectSubagents(context)
    .where((eb) => context.capabilities.inTexts(eb.ref('a.tool_use_id'), ids))
    .where('a.session_id', '=', session.key)
    .where('a.kind', '!=', 'internal')
    .orderBy('a.id')
    .execute()
  const agents = await withUsage(context, session, rows)
  return agents.map(({ key, subagent }) => ({
    key,
    subagent: {
      ...subagent,
      depth,
      parentId: parent?.id ?? null,
      parentToolUseId: parent?.toolUseId ?? null,
    },
  }))
}

/** Sub-agents whose launching call is not recorded. */
export async function readOrphans(
  context: ReadContext,
  session: StoredSession,
  limit: number,
): Promise<{ subagents: Subagent[]; count: number }> {
  const keys = await context.db
    .selectFrom('subagents as a')
    .select('a.id')
    .where('a.session_id', '=', session.key)
    .where('a.kind', '!=', 'internal')
    .where(({ eb, or, not, exists, selectFrom }) =>
      or([
        eb('a.tool_use_id', 'is', null),
        not(
          exists(
            selectFrom('tool_uses as u')
              .select('u.tool_use_id')
              .whereRef('u.session_id', '=', 'a.session_id')
              .whereRef('u.tool_use_id', '=', 'a.tool_use_id'),
          ),
        ),
      ]),
    )
    .orderBy('a.id')
    .execute()
  const shown = keys.slice(0, limit).map((row) => row.id)
  const agents = await readAgents(context, session, shown)
  return { subagents: agents.map(({ subagent }) => subagent), count: keys.length }
}

/** Sub-agents by key, with their places. */
export async function readAgents(
  context: ReadContext,
  session: StoredSession,
  keys: readonly number[],
): Promise<KeyedAgent[]> {
  if (keys.length === 0) return []
  const rows = await selectSubagents(context)
    .where((eb) => context.capabilities.inKeys(eb.ref('a.id'), keys))
    .orderBy('a.id')
    .execute()
  const [agents, above] = await Promise.all([withUsage(context, session, rows), climb(context, keys)])
  return agents.map(({ key, subagent }) => ({ key, subagent: { ...subagent, ...placeOf(key, above) } }))
}

/** Without their places, which the caller knows. */
async function withUsage(
  context: ReadContext,
  session: StoredSession,
  rows: readonly SubagentRow[],
): Promise<KeyedAgent[]> {
  const keys = rows.map((row) => row.id)
  const totals =
    keys.length === 0
      ? []
      : await context.db
          .selectFrom('usage_totals')
          .selectAll()
          .where('session_id', '=', session.key)
          .where((eb) => context.capabilities.inKeys(eb.ref('subagent_id'), keys))
          .execute()
  const totalsOf = groupRows(totals, (total): number => total.subagent_id)
  return rows.map((row) => {
    const facts = { place: { parent: undefined, depth: null }, totals: totalsOf.get(row.id) ?? [] }
    return { key: subagentKey(row.id), subagent: toSubagent(row, facts, session, context) }
  })
}

/** What these calls set to work again: runs after the first, by the index of those alone. */
export async function readContinued(
  { db, capabilities }: ReadContext,
  session: SessionKey,
  ids: readonly ToolUseId[],
): Promise<(ContinuedRun & { toolUseId: ToolUseId })[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ native_id: string; number: number; tool_use_id: string }>`
    select a.native_id, r.number, r.tool_use_id from subagent_runs r join subagents a on a.id = r.subagent_id
     where r.session_id = ${session} and r.number > 1 and ${capabilities.inTexts(sql.ref('r.tool_use_id'), ids)}
     order by a.id, r.number
  `.execute(db)
  return rows.map((row) => ({
    toolUseId: toolUseId(row.tool_use_id),
    subagentId: subagentId(row.native_id),
    run: row.number,
  }))
}
