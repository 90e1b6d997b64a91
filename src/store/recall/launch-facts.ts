/**
 * Launches that nobody has read the result of, read for hooks: programs, driven on a bare SQLite connection
 * (`launch-reader.ts`) and by the store (`launch-reads.ts`).
 */

import { KEPT } from '../../domain/record/kept-text'
import type { LaunchCall, UnreadLaunch } from '../../domain/session/launch'
import { lastWordsOf } from '../session/run-state'
import { SIGNALS, type SignalColumns, signalsOf } from '../session/session-signals'
import { first, type Program, rows } from '../sql/program'

/** Conversations that one goes on from. */
const MOST_ORIGINS = 5
/** Limits for the very same, and for others that are looked at for likeness. */
const MOST_SAME = 20
const MOST_OTHERS = 20
/** Unread runs that are looked through, newest first: an agent has long lost sight of what it launched before so many others. */
const LOOKED_THROUGH = 500

type Asked = Pick<LaunchCall, 'session' | 'origins' | 'type' | 'prompt'>

export function* unreadLaunches({ session, origins, type, prompt }: Asked): Program<UnreadLaunch[]> {
  const same: UnreadLaunch[] = []
  const others: UnreadLaunch[] = []
  const waiting = [session, ...origins]
  const seen = new Set<string>()
  for (let id = waiting.shift(); id !== undefined && seen.size <= MOST_ORIGINS; id = waiting.shift()) {
    if (seen.has(id)) continue
    seen.add(id)
    const row = yield* first<SessionRow>(SESSION, id)
    if (row === undefined) continue
    for (const origin of [row.forked_from, row.resumed_from, row.translated_from])
      if (origin !== null) waiting.push(origin)
    const asked = prompt.trim()
    const found = yield* rows<Row>(
      `${UNREAD} and a.prompt in (?, ?) ${ORDER}`,
      row.id,
      id,
      type,
      asked,
      prompt,
      MOST_SAME,
    )
    same.push(...found.map((launch) => toLaunch(launch, row, id)))
    // The text of the very same is compared with once; of the others the beginning tells enough.
    const newest = yield* rows<Row>(`${UNREAD} ${ORDER}`, row.id, id, type, MOST_OTHERS)
    others.push(...newest.map((launch) => toLaunch(launch, row, id)))
  }
  return [...same, ...others]
}

interface SessionRow extends SignalColumns {
  id: number
  forked_from: string | null
  resumed_from: string | null
  translated_from: string | null
}

const SESSION = `select s.id as id, s.forked_from as forked_from, s.resumed_from as resumed_from,
  s.translated_from as translated_from, ${SIGNALS}
  from sessions s where s.native_id = ?`

interface Row {
  native_id: string
  description: string | null
  prompt: string | null
  output_file: string | null
  is_background: number | null
  started_at: number | null
  ended_at: number | null
  status: UnreadLaunch['status']
  evidence: string
  final_at: number | null
  turn_at: number | null
  is_newest: number | boolean
}

/** Where the call of one in the foreground was answered without its result (an error), the answer said what became of it. */
const IS_UNTOLD = `(a.is_background = 1 or r.notice_uuid is not null or not exists (select 1 from tool_uses u
  where u.session_id = a.session_id and u.tool_use_id = a.tool_use_id and u.is_error <> 2))`

/** Along the index in which only unread runs stand. */
const UNREAD = `select a.native_id, a.description, substr(a.prompt, 1, ${KEPT.long}) as prompt, a.output_file, a.is_background,
  r.started_at, r.ended_at, r.status, r.evidence, a.final_at, a.turn_at,
  not exists (select 1 from subagent_runs n where n.subagent_id = r.subagent_id and n.number > r.number) as is_newest
  from (select subagent_id, number, notice_uuid, started_at, ended_at, status, evidence from subagent_runs
    where session_id = ? and read_at is null order by started_at desc limit ${LOOKED_THROUGH}) r
  join subagents a on a.id = r.subagent_id where a.kind = 'agent'
  and not exists (select 1 from subagent_reads d where d.session_native_id = ? and d.subagent_native_id = a.native_id
    and d.run_number = r.number)
  and ${IS_UNTOLD}
  and a.type = ? and a.prompt is not null`
const ORDER = 'order by r.started_at desc, r.subagent_id desc limit ?'

const number = (value: number | null): number | null => (value === null ? null : Number(value))

function toLaunch(row: Row, session: SessionRow, sessionId: string): UnreadLaunch {
  return {
    subagentId: row.native_id,
    sessionId,
    description: row.description,
    prompt: row.prompt ?? '',
    outputFile: row.output_file,
    isBackground: Number(row.is_background) === 1,
    startedAt: number(row.started_at),
    endedAt: number(row.ended_at),
    status: row.status,
    evidence: row.evidence,
    lastWordsAt: lastWordsOf(row),
    signals: signalsOf(session),
  }
}
