import { sql } from 'kysely'
import {
  DAY_PARTS,
  type Day,
  type DayLane,
  type DayParts,
  type DayScope,
  LEAST_PAUSE_MS,
  MOST_ACTIVE_SPANS,
  MOST_DAY_SESSIONS,
} from '../../domain/day/day'
import { joinSpans, type Span, withFewest } from '../../domain/day/day-spans'
import { type AgentName, sessionId } from '../../domain/ids'
import { isoTime, type ReadContext } from '../sql/read-context'
import { BEGINS_TURN, IN_MAIN, IS_WORK, isOneOf, sessionsOfDay, whole } from './day-sessions'

/** Turns, runs of sub-agents and failures of a day that are looked at, of each. */
const MOST_FOUND = 50_000

/** @see DayReads.lanes */
export async function readDay(context: ReadContext, scope: DayScope): Promise<Day> {
  const { from, to } = scope
  const found = await sessionsOfDay(context, scope)
  const keys = found.slice(0, MOST_DAY_SESSIONS)
  const partMs = Math.max(1, Math.ceil((to - from) / DAY_PARTS))
  const [faces, turns, agents, runs, errors] = await Promise.all([
    readFaces(context, keys),
    readTurns(context, keys, scope),
    readAgentSpans(context, keys, scope),
    readRuns(context, keys, scope),
    readErrors(context, keys, scope),
  ])
  const busy = bySession([...turns, ...agents], scope)
  const had = bySession(runs, scope)
  const prompts = bySession(
    turns.filter(({ type }) => type === 'prompt').map((turn) => ({ ...turn, to: turn.from })),
    scope,
  )
  const failed = bySession(
    errors.map(({ session, at }) => ({ session, from: at, to: at })),
    scope,
  )
  const parts = (spans: readonly Span[] | undefined) => partsOf(spans ?? [], from, partMs)
  const lanes = faces.map(
    ({ key, ...face }): DayLane => ({
      ...face,
      busy: parts(busy.get(key)),
      runs: parts(had.get(key)),
      prompts: allParts(parts(prompts.get(key))),
      errors: allParts(parts(failed.get(key))),
    }),
  )
  const active = withFewest(joinSpans([...busy.values()].flat(), LEAST_PAUSE_MS), MOST_ACTIVE_SPANS)
  return {
    from: isoTime(from),
    to: isoTime(to),
    partMs,
    total: found.length,
    lanes,
    active: active.map((span) => ({ from: isoTime(span.from), to: isoTime(span.to) })),
    isCut: [turns, agents, runs, errors].some(({ length }) => length > MOST_FOUND) || found.length > keys.length,
  }
}

type Face = Pick<DayLane, 'id' | 'agent' | 'title' | 'project'> & { key: number }

async function readFaces(context: ReadContext, keys: readonly number[]): Promise<Face[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<{ id: number; native_id: string; agent: AgentName; title: string; root: string | null }>`
    select s.id, s.native_id, s.agent, s.title, p.root from sessions s left join projects p on p.id = s.project_id
     where ${isOneOf(context, 's.id', keys)} order by s.started_at, s.id
  `.execute(context.db)
  return rows.map(({ id, native_id, agent, title, root }) => ({
    key: Number(id),
    id: sessionId(native_id),
    agent,
    title,
    project: root,
  }))
}

interface SessionSpan extends Span {
  session: number
}

/**
 * Turns of main threads, each from its start to the last line before the next, and the work that was under way when the time began:
 * some seeks along indexes for each turn, whatever number of lines it has.
 */
async function readTurns(
  context: ReadContext,
  keys: readonly number[],
  { from, to }: DayScope,
): Promise<(SessionSpan & { type: string })[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<{ session_id: number; at: number; type: string; last_at: number | null }>`
    with begun as (
      select e.session_id, e.at, e.id, e.type from conversation_events e join sessions s on s.id = e.session_id
       where ${isOneOf(context, 'e.session_id', keys)} and ${BEGINS_TURN} and e.parent_tool_use_id is null
         and e.at >= ${from} and e.at < ${to} and e.at >= s.started_at
       order by e.session_id, e.at limit ${sql.lit(MOST_FOUND + 1)}
    ), starts as (
      select session_id, at, id, type from begun
      union all
      select s.id, ${sql.lit(from)}, 0, 'before' from sessions s where ${isOneOf(context, 's.id', keys)} and s.started_at < ${from}
    ), ends as (
      select st.session_id, st.at, st.type, (
        select e.at from conversation_events e
         where e.session_id = st.session_id and ${BEGINS_TURN} and e.parent_tool_use_id is null
           and e.at >= st.at and (e.at > st.at or e.id > st.id) order by e.at, e.id limit 1) as next_at
        from starts st
    )
    select en.session_id, en.at, en.type, (
      select e.at from conversation_events e
       where e.session_id = en.session_id and ${IN_MAIN} and ${IS_WORK} and e.at >= en.at
         and e.at < coalesce(en.next_at, ${sql.lit(Number.MAX_SAFE_INTEGER)}) order by e.at desc, e.id desc limit 1) as last_at
      from ends en
  `.execute(context.db)
  return rows.flatMap(({ session_id, at, type, last_at }) =>
    type === 'before' && last_at === null
      ? []
      : [{ session: Number(session_id), from: Number(at), to: Number(last_at ?? at), type }],
  )
}

/** Runs of sub-agents; of one whose runs are not known from its first line to its last. Shells are none: a server runs all day. */
async function readAgentSpans(
  context: ReadContext,
  keys: readonly number[],
  { from, to }: DayScope,
): Promise<SessionSpan[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<{ session_id: number; started_at: number | null; ended_at: number | null }>`
    select * from (
      select a.session_id, coalesce(r.started_at, a.first_event_at, a.first_started_at, a.hook_started_at) as started_at,
             coalesce(r.ended_at, a.last_event_at, a.end_at, a.hook_end_at) as ended_at
        from subagents a left join subagent_runs r on r.subagent_id = a.id and r.started_at is not null
       where ${isOneOf(context, 'a.session_id', keys)} and a.kind = 'agent'
    ) as spans where started_at < ${to} and coalesce(ended_at, started_at) >= ${from} limit ${sql.lit(MOST_FOUND + 1)}
  `.execute(context.db)
  return rows.map(({ session_id, started_at, ended_at }) => ({
    session: Number(session_id),
    from: Number(started_at),
    to: Math.max(Number(started_at), Number(ended_at ?? started_at)),
  }))
}

/** Runs of tasks that had a session, by the index of their conversations. */
async function readRuns(context: ReadContext, keys: readonly number[], { from, to }: DayScope): Promise<SessionSpan[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<{ session_id: number; started_at: number; ended_at: number | null }>`
    select s.id as session_id, a.started_at, a.ended_at from sessions s
      join attempts a on ${sql.raw(context.capabilities.jsonText('a.conversation', 'sessionId'))} = s.native_id
     where ${isOneOf(context, 's.id', keys)} and a.started_at < ${to} and coalesce(a.ended_at, ${to}) >= ${from}
     limit ${sql.lit(MOST_FOUND + 1)}
  `.execute(context.db)
  return rows.map(({ session_id, started_at, ended_at }) => ({
    session: Number(session_id),
    from: Number(started_at),
    to: whole(ended_at) ?? to,
  }))
}

/** Along the indexes of what failed. */
async function readErrors(
  context: ReadContext,
  keys: readonly number[],
  { from, to }: DayScope,
): Promise<{ session: number; at: number }[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<{ session_id: number; at: number }>`
    select u.session_id, u.ended_at as at from tool_uses u
     where ${isOneOf(context, 'u.session_id', keys)} and u.is_error = 1 and u.ended_at >= ${from} and u.ended_at < ${to}
    union all
    select e.session_id, e.at from conversation_events e
     where ${isOneOf(context, 'e.session_id', keys)} and e.type = 'error' and e.at >= ${from} and e.at < ${to}
     limit ${sql.lit(MOST_FOUND + 1)}
  `.execute(context.db)
  return rows.map(({ session_id, at }) => ({ session: Number(session_id), at: Number(at) }))
}

/** Within the day. */
function bySession(spans: readonly SessionSpan[], { from, to }: DayScope): Map<number, Span[]> {
  const found = new Map<number, Span[]>()
  for (const span of spans) {
    const cut = { from: Math.max(from, span.from), to: Math.min(to - 1, span.to) }
    if (cut.to < cut.from) continue
    const known = found.get(span.session)
    if (known === undefined) found.set(span.session, [cut])
    else known.push(cut)
  }
  return found
}

function partsOf(spans: readonly Span[], from: number, partMs: number): DayParts[] {
  const part = (at: number): number => Math.floor((at - from) / partMs)
  const parts = joinSpans(
    spans.map((span) => ({ from: part(span.from), to: part(span.to) })),
    2,
  )
  return parts.map((span) => ({ first: span.from, last: span.to }))
}

const allParts = (spans: readonly DayParts[]): number[] =>
  spans.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, at) => first + at))
