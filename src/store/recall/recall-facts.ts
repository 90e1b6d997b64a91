/**
 * What the record holds of a session, read for hooks: the agent waits for them. Written once, as programs, and driven on a bare
 * SQLite connection (`recall-reader.ts`, which loads no Kysely) and by the store (`recall-reads.ts`).
 */

import { type SessionId, sessionId, taskId } from '../../domain/ids'
import type { RecalledPrompt, SessionFacts } from '../../domain/recall/recall'
import type { TaskStatus } from '../../domain/task/task'
import { SIGNALS, type SignalColumns, signalsOf } from '../session/session-signals'
import { first, type Program, rows } from '../sql/program'
import { taskOf } from './recall-task'
import { todosOf } from './recall-todos'
import { backgroundWork } from './recall-work'

const LAST_PROMPTS = 3
/** Rows of one kind that are read at most: more would not fit into any text. */
const MAX_ROWS = 200
const CUT = 2

/** `undefined` = the session is not recorded. */
export function* sessionFacts(id: SessionId): Program<SessionFacts | undefined> {
  const session = yield* first<SessionRow>(SESSION, id)
  if (session === undefined) return undefined
  return {
    sessionId: id,
    project: session.root,
    gitBranch: session.git_branch,
    lastEventAt: iso(session.last_event_at),
    prompts: yield* prompts(session.id),
    todos: yield* todosOf(id),
    background: yield* backgroundWork(session.id, id, signalsOf(session)),
    resumedFrom: session.resumed_from === null ? null : sessionId(session.resumed_from),
    lastAnswer: yield* lastAnswer(session.id),
    task: (yield* taskOf(id)) ?? null,
    sentTasks: (yield* rows<{ public_id: string; title: string; status: TaskStatus }>(SENT, id, MAX_ROWS)).map(
      (row) => ({
        id: taskId(row.public_id),
        title: row.title,
        status: row.status,
      }),
    ),
  }
}

interface SessionRow extends SignalColumns {
  id: number
  root: string | null
  git_branch: string | null
  resumed_from: string | null
}

const SESSION = `select s.id, p.root, s.git_branch, s.resumed_from, ${SIGNALS}
  from sessions s left join projects p on p.id = s.project_id where s.native_id = ?`

/** Events of the main thread that say something. */
const MAIN = 'subagent_id is null and parent_tool_use_id is null'

/**
 * How many events from the end are looked through, along the index by time: an agent that works alone for long has made more of them since
 * its last prompt, and gets the first one.
 */
const LOOKED_THROUGH = 3_000
/** An answer stands near the end: before it there are tool calls and their results only. */
const LOOKED_THROUGH_FOR_ANSWER = 200

/** Without texts, which are most of the bytes: those of the few that are shown are read after. */
const newest = (limit: number, type: 'prompt' | 'text') => `select id from (
    select id, at, type, subagent_id, parent_tool_use_id from conversation_events where session_id = ? order by at desc, id desc limit ${limit}
  ) e where type = '${type}' and ${MAIN} order by at desc, id desc limit ?`

function* prompts(session: number): Program<SessionFacts['prompts']> {
  const begin = yield* first<PromptRow>(
    `select id, text, flags from conversation_events where session_id = ? and type = 'prompt' and ${MAIN} order by at, id limit 1`,
    session,
  )
  if (begin === undefined) return { first: null, last: [], areAll: true }
  const end: PromptRow[] = []
  for (const { id } of yield* rows<{ id: number }>(newest(LOOKED_THROUGH, 'prompt'), session, LAST_PROMPTS)) {
    const row = yield* first<PromptRow>('select id, text, flags from conversation_events where id = ?', id)
    if (row !== undefined) end.push(row)
  }
  return {
    first: toPrompt(begin),
    last: end.toReversed().map(toPrompt),
    areAll: end.some((row) => Number(row.id) === Number(begin.id)),
  }
}

function* lastAnswer(session: number): Program<string | null> {
  const [last] = yield* rows<{ id: number }>(newest(LOOKED_THROUGH_FOR_ANSWER, 'text'), session, 1)
  if (last === undefined) return null
  return (
    (yield* first<{ text: string | null }>('select text from conversation_events where id = ?', last.id))?.text ?? null
  )
}

interface PromptRow {
  id: number
  text: string | null
  flags: number
}

const toPrompt = ({ text, flags }: PromptRow): RecalledPrompt => ({ text: text ?? '', isCut: (flags & CUT) !== 0 })

const SENT = `select public_id, title, status from tasks where session_native_id = ?
  and status not in ('completed', 'failed', 'cancelled') order by id limit ?`

const iso = (at: number | null): string | null => (at === null ? null : new Date(Number(at)).toISOString())
