import { sql } from 'kysely'
import { type DayMoment, type DayReads, type DayScope, type DaySession, MOST_DAY_FILES } from '../../domain/day/day'
import { type AgentName, sessionId } from '../../domain/ids'
import type { SessionStatus } from '../../domain/session/session'
import { type PastSigns, statusAt } from '../../domain/session/session-past'
import { readWaits } from '../session/reads/waits'
import { SIGNALS, type SignalColumns, signalsOf } from '../session/session-signals'
import { isoTime, type ReadContext } from '../sql/read-context'
import { agentsAt } from './day-agents'
import { readDeeds, readLastWords } from './day-deeds'
import { IN_MAIN, IS_WORK, isOneOf, sessionsOfDay, TURN_STARTS, whole } from './day-sessions'
import { todosOfDay } from './day-todos'

interface Candidate {
  key: number
  signs: Omit<PastSigns, 'isAsking'>
  status: SessionStatus
}

/** @see DayReads.moment */
export async function readMoment(
  context: ReadContext,
  scope: DayScope,
  { at, limit, asking }: Parameters<DayReads['moment']>[1],
): Promise<DayMoment> {
  const all = await readCandidates(context, await sessionsOfDay(context, scope), scope, at)
  const shown = all.sort(byWork).slice(0, limit)
  const sessions = await describe(context, shown, at, new Set(asking))
  return { at: isoTime(at), total: all.length, working: all.filter(isAtWork).length, sessions }
}

const isAtWork = ({ status }: Candidate): boolean => status === 'running' || status === 'waiting'

/** Those at work first, then what was heard of last. */
const byWork = (a: Candidate, b: Candidate): number =>
  Number(isAtWork(b)) - Number(isAtWork(a)) || (b.signs.heardAt ?? 0) - (a.signs.heardAt ?? 0) || b.key - a.key

interface CandidateRow extends SignalColumns {
  id: number
  heard_at: number | null
  main_at: number | null
  next_type: string | null
}

/** The day's sessions that had been heard of in it by then, and those at work since before: three seeks along indexes for each. */
async function readCandidates(
  context: ReadContext,
  keys: readonly number[],
  { from }: DayScope,
  at: number,
): Promise<Candidate[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<CandidateRow>`
    select s.id, ${sql.raw(SIGNALS)},
      (select e.at from conversation_events e where e.session_id = s.id and e.at <= ${at} order by e.at desc limit 1) as heard_at,
      (select e.at from conversation_events e where e.session_id = s.id and ${IN_MAIN} and ${IS_WORK} and e.at <= ${at}
        order by e.at desc, e.id desc limit 1) as main_at,
      (select e.type from conversation_events e where e.session_id = s.id and ${IN_MAIN} and ${IS_WORK} and e.at > ${at}
        order by e.at, e.id limit 1) as next_type
      from sessions s where ${isOneOf(context, 's.id', keys)} and s.started_at <= ${at}
  `.execute(context.db)
  return rows.flatMap((row) => {
    const signs = {
      signals: signalsOf(row),
      heardAt: whole(row.heard_at),
      mainAt: whole(row.main_at),
      next: row.next_type === null ? null : TURN_STARTS.has(row.next_type) ? ('turn' as const) : ('work' as const),
    }
    const candidate = { key: Number(row.id), signs, status: statusAt({ ...signs, isAsking: false }, at) }
    return (signs.heardAt ?? 0) >= from || isAtWork(candidate) ? [candidate] : []
  })
}

interface FaceRow {
  id: number
  native_id: string
  agent: AgentName
  title: string | null
  root: string | null
  git_branch: string | null
  started_at: number | null
}

async function describe(
  context: ReadContext,
  shown: readonly Candidate[],
  at: number,
  asking: ReadonlySet<string>,
): Promise<DaySession[]> {
  if (shown.length === 0) return []
  const keys = shown.map(({ key }) => key)
  const { rows } = await sql<FaceRow>`
    select s.id, s.native_id, s.agent, s.title, p.root, s.git_branch, s.started_at
      from sessions s left join projects p on p.id = s.project_id where ${isOneOf(context, 's.id', keys)}
  `.execute(context.db)
  const faces = new Map(rows.map((row) => [Number(row.id), row]))
  const owners = shown.flatMap(({ key, signs }) => {
    const face = faces.get(key)
    return face === undefined ? [] : [{ key, id: sessionId(face.native_id), signals: signs.signals }]
  })
  const [deeds, words, agents, todos, files, waits] = await Promise.all([
    readDeeds(
      context,
      keys.map((session) => ({ session, agent: null })),
      at,
    ),
    readLastWords(context, keys, at),
    agentsAt(context, owners, at),
    todosOfDay(context, owners, at),
    readFiles(context, keys, at),
    readWaits(context, keys, at),
  ])
  const waiting = new Set(waits.filter(({ to }) => to === null || to > at).map(({ session }) => session))
  return shown.flatMap(({ key, signs }) => {
    const face = faces.get(key)
    if (face === undefined) return []
    const doing = deeds.get(`${key} `) ?? null
    const isAsking = waiting.has(key) || (doing?.isOpen === true && asking.has(doing.tool ?? ''))
    return [
      {
        id: sessionId(face.native_id),
        agent: face.agent,
        title: face.title,
        project: face.root,
        gitBranch: face.git_branch,
        status: statusAt({ ...signs, isAsking }, at),
        startedAt: isoTime(whole(face.started_at)),
        heardAt: isoTime(signs.heardAt),
        lastWords: words.get(key) ?? null,
        doing,
        agents: agents.get(key) ?? { total: 0, running: 0, shown: [] },
        todos: todos.get(key) ?? { total: 0, completed: 0, shown: [] },
        files: files.get(key) ?? { total: 0, shown: [] },
      },
    ]
  })
}

/** Calls of one session whose files are counted, the newest. */
const MOST_EDITS = 2_000

/** Files that calls made by then changed, as the session's own list of changes has them. */
async function readFiles(
  context: ReadContext,
  keys: readonly number[],
  at: number,
): Promise<Map<number, DaySession['files']>> {
  const { rows } = await sql<{ session_id: number; files: string }>`
    select session_id, files from (
      select u.session_id, u.files, row_number() over (partition by u.session_id order by coalesce(u.called_at, 0) desc, u.tool_use_id) as number
        from tool_uses u where ${isOneOf(context, 'u.session_id', keys)} and u.files is not null and u.is_error = 0
         and coalesce(u.called_at, 0) <= ${at}
    ) as edits where number <= ${sql.lit(MOST_EDITS)} order by session_id, number
  `.execute(context.db)
  const paths = new Map<number, Set<string>>()
  for (const { session_id, files } of rows) {
    const known = paths.get(Number(session_id)) ?? new Set()
    for (const path of JSON.parse(files) as string[]) known.add(path)
    paths.set(Number(session_id), known)
  }
  return new Map([...paths].map(([key, all]) => [key, { total: all.size, shown: [...all].slice(0, MOST_DAY_FILES) }]))
}
