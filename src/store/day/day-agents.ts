import { sql } from 'kysely'
import { type DayAgent, type DaySession, MOST_DAY_AGENTS } from '../../domain/day/day'
import type { SessionId } from '../../domain/ids'
import type { SessionSignals } from '../../domain/session/session-store'
import { agentAt } from '../../domain/subagent/agent-past'
import { climb, placeOf } from '../conversation/event-nodes'
import { NOWHERE, selectSubagents, toSubagent } from '../session/reads/subagent-nodes'
import type { ReadContext } from '../sql/read-context'
import { readDeeds } from './day-deeds'
import { isOneOf } from './day-sessions'

/** Sub-agents of one session that are looked at: those that seem at work, then the newest. */
const MOST_LOOKED_AT = 200

/** A session whose sub-agents or to-dos are asked for. */
export interface Owner {
  key: number
  id: SessionId
  signals: SessionSignals
}

const STARTED = sql.raw('coalesce(a.first_event_at, a.first_started_at, a.hook_started_at)')
const ENDED = sql.raw('coalesce(a.end_at, a.hook_end_at, a.last_event_at)')

/** The sub-agents and background tasks that each session had launched by then. */
export async function agentsAt(
  context: ReadContext,
  owners: readonly Owner[],
  at: number,
): Promise<Map<number, DaySession['agents']>> {
  const keys = owners.map(({ key }) => key)
  const { rows: picked } = await sql<{ id: number; session_id: number; total: number }>`
    select id, session_id, total from (
      select a.id, a.session_id, count(*) over (partition by a.session_id) as total,
             row_number() over (partition by a.session_id
               order by case when ${ENDED} is null or ${ENDED} > ${at} then 0 else 1 end, a.id desc) as number
        from subagents a
       where ${isOneOf(context, 'a.session_id', keys)} and a.kind <> 'internal' and (${STARTED} is null or ${STARTED} <= ${at})
    ) as launched where number <= ${sql.lit(MOST_LOOKED_AT)}
  `.execute(context.db)
  if (picked.length === 0) return new Map()
  const ids = picked.map(({ id }) => Number(id))
  const rows = await selectSubagents(context)
    .select('a.session_id')
    .where((eb) => context.capabilities.inKeys(eb.ref('a.id'), ids))
    .execute()
  const ownerOf = new Map(owners.map((owner) => [owner.key, owner]))
  const found = rows.flatMap((row) => {
    const owner = ownerOf.get(Number(row.session_id))
    const agent = owner && agentAt(toSubagent(row, { place: NOWHERE, totals: [] }, owner, context), at)
    return owner === undefined || !agent ? [] : [{ key: Number(row.id), session: owner.key, agent }]
  })
  const totals = new Map(picked.map(({ session_id, total }) => [Number(session_id), Number(total)]))
  const of = Map.groupBy(found, ({ session }) => session)
  const shown = new Map([...of].map(([session, all]) => [session, all.sort(byWork).slice(0, MOST_DAY_AGENTS)]))
  const all = [...shown.values()].flat()
  const atWork = all.filter(({ agent }) => isAtWork(agent))
  const [above, deeds] = await Promise.all([
    climb(
      context,
      all.map(({ key }) => key),
    ),
    readDeeds(
      context,
      atWork.map(({ key, session }) => ({ session, agent: key })),
      at,
    ),
  ])
  const toAgent = ({ key, session, agent }: (typeof found)[number]): DayAgent => {
    const { parentId, depth } = placeOf(key, above)
    const { id, kind, type, description, status, startedAt, endedAt } = agent
    const doing = deeds.get(`${session} ${key}`) ?? null
    return { id, kind, type, description, parentId, depth, status, startedAt, endedAt, doing }
  }
  return new Map(
    [...shown].map(([session, some]) => [
      session,
      {
        total: totals.get(session) ?? some.length,
        running: (of.get(session) ?? []).filter(({ agent }) => isAtWork(agent)).length,
        shown: some.map(toAgent),
      },
    ]),
  )
}

const isAtWork = ({ status }: Pick<DayAgent, 'status'>): boolean => status === 'running'

type Found = { key: number; agent: Pick<DayAgent, 'status'> }
const byWork = (a: Found, b: Found): number => Number(isAtWork(b.agent)) - Number(isAtWork(a.agent)) || b.key - a.key
