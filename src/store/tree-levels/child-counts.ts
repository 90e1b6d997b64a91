import { sql } from 'kysely'
import type { TreeFilter } from '../../domain/overview/tree-level'
import type { ReadContext } from '../sql/read-context'
import type { SessionEntry } from './entries'
import { LAUNCH_JOIN } from './live'
import { isAtWork, type Look } from './look'
import { readOutlines } from './outline'
import { visibleItems } from './visible'

/** How much stands right below each session, as far as the filter shows it. */
export async function countBelowSessions(
  context: ReadContext,
  sessions: readonly SessionEntry[],
  filter: TreeFilter,
  look: Look,
): Promise<Map<number, number>> {
  const { statuses, since, needed } = filter
  if (statuses === undefined && since === undefined && needed === undefined) return await countAll(context, sessions)
  const outlines = await readOutlines(context, new Map(sessions.map((session) => [session.key, session])), look.now)
  const idOf = new Map(sessions.map(({ key, entry }) => [key, entry.sessionId]))
  return new Map(
    [...outlines].map(([key, outline]) => {
      const id = idOf.get(key)
      return [key, visibleItems(outline, filter, id == null ? undefined : look.agents.get(id))(null).length]
    }),
  )
}

/** By the database: what stands in them is not looked at one by one. */
async function countAll(
  { db, capabilities }: ReadContext,
  sessions: readonly SessionEntry[],
): Promise<Map<number, number>> {
  if (sessions.length === 0) return new Map()
  const keys = sessions.map(({ key }) => key)
  const open = sessions.filter(({ status }) => isAtWork(status)).map(({ key }) => key)
  const within = (column: string, some: readonly number[]) => capabilities.inKeys(sql.ref<number>(column), some)
  const { rows } = await sql<{ session: number; count: number }>`
    select a.session_id as session, count(*) as count from subagents a ${sql.raw(LAUNCH_JOIN)}
     where ${within('a.session_id', keys)} and a.kind <> 'internal' and ${sql.raw(IS_TOP)} group by a.session_id
    union all
    select session_id, count(*) from tool_uses
     where ${within('session_id', open)} and ended_at is null and name is not null and subagent_id is null group by session_id
    union all
    select t.session_id, count(*) from todos t left join subagents n on n.id = t.subagent_id
     where ${within('t.session_id', keys)} and t.status <> 'removed' and (n.id is null or n.kind = 'internal') group by t.session_id
  `.execute(db)
  const counts = new Map<number, number>()
  for (const { session, count } of rows) counts.set(session, (counts.get(session) ?? 0) + count)
  return counts
}

/** No sub-agent launched it that is shown, as `placeNodes` finds it. */
const IS_TOP = `case when u.subagent_id is not null
    then not exists (select 1 from subagents p where p.id = u.subagent_id and p.session_id = a.session_id and p.kind <> 'internal')
    else a.parent_native_id is null or not exists (
      select 1 from subagents p where p.session_id = a.session_id and p.native_id = a.parent_native_id and p.kind <> 'internal') end`
