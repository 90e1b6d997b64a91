import { sql } from 'kysely'
import type { ReadContext, TextMatches } from '../sql/read-context'
import { INHERITED } from './event-rows'

/** Forks of forks that are followed back. */
const MOST_ANCESTORS = 20

/**
 * Adds the matching lines that a fork has of the sessions before it. Only the first of equal lines stands in the index, so they are found in
 * those sessions, and told as the fork's own.
 *
 * @param session  the fork's key
 * @param own      what was found of its own lines; they come first
 * @param find     the same search in another session
 */
export async function withInherited(
  { db, capabilities }: ReadContext,
  session: number,
  own: TextMatches,
  find: (session: number) => Promise<TextMatches>,
): Promise<TextMatches> {
  const all = { ...own, events: [...own.events], ranked: [...own.ranked] }
  for (const ancestor of await ancestorsOf(db, session)) {
    const { events, ranked, isTruncated } = await find(ancestor)
    const keys = [...new Set([...events, ...ranked])]
    if (keys.length === 0) continue
    const { rows } = await sql<{ copied: number; id: number }>`
      select e.id as copied, c.id as id from conversation_events e
        join conversation_events c on c.session_id = ${session} and c.uuid = e.uuid and (c.flags & ${INHERITED}) <> 0
       where ${capabilities.inKeys(sql.ref<number>('e.id'), keys)}
    `.execute(db)
    const copies = new Map(rows.map(({ copied, id }) => [Number(copied), Number(id)]))
    const found = keys.flatMap((key) => copies.get(key) ?? [])
    all.events.push(...found)
    all.ranked.push(...found)
    if (found.length > 0 && isTruncated) all.isTruncated = true
  }
  return all
}

/** The sessions that it was forked from, the last first. */
async function ancestorsOf(db: ReadContext['db'], session: number): Promise<number[]> {
  const { rows } = await sql<{ id: number; far: number }>`
    with recursive up (id, far) as (
      select p.id, 1 from sessions s join sessions p on p.native_id = s.forked_from where s.id = ${session}
      union
      select p.id, up.far + 1 from up join sessions s on s.id = up.id join sessions p on p.native_id = s.forked_from
       where up.far < ${sql.lit(MOST_ANCESTORS)}
    ) select id, min(far) as far from up where id <> ${session} group by id order by 2
  `.execute(db)
  return rows.map(({ id }) => Number(id))
}
