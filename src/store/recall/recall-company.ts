/** Other sessions that work or worked on an issue, for recalls: with what they left, or have open. */

import { type IssueKey, type SessionId, sessionId } from '../../domain/ids'
import type { Company, Leaver } from '../../domain/recall/recall'
import type { IssueLinkSource } from '../../domain/session/session-issue'
import { sessionStatus } from '../../domain/session/session-status'
import { sessionsOnIssue } from '../session/reads/session-issues'
import { SIGNALS, type SignalColumns, signalsOf } from '../session/session-signals'
import { first, type Program, rows } from '../sql/program'
import { openTodos } from './recall-todos'
import { unreadWork } from './recall-work'

/** Sessions of an issue that are looked at, newest first. */
const LOOKED_AT = 20
/** How many earlier sessions are listed, and how many to-dos of each. */
const LEAVERS = 5
const TODOS = 50
/** Results and losses of one earlier session. */
const WORK = 5

interface SessionRow extends SignalColumns {
  id: number
  native_id: string
  title: string | null
}

const COLUMNS = `s.id as id, s.native_id as native_id, s.title as title, ${SIGNALS}`

/** As `RecallReads.company`. */
export function* company(
  issue: IssueKey,
  own: readonly SessionId[],
  linkFrom?: readonly IssueLinkSource[],
): Program<Company> {
  const now = Date.now()
  const found: Company = { earlier: [], live: [] }
  for (const row of yield* fellowsOf(issue, own, linkFrom)) {
    if (isOver(row, now)) {
      if (found.earlier.length >= LEAVERS) continue
      const leaver = yield* leaverOf(row, 'all', own)
      if (leaver !== undefined) found.earlier.push(leaver)
      continue
    }
    const id = sessionId(row.native_id)
    const { todos, total } = yield* openTodos({ key: row.id, id }, 'going', TODOS, own)
    found.live.push({ ...nameOf(row), todos, todoTotal: total })
    // A live session's list may have been ended all the same: what it has left is anybody's.
    const ended = found.earlier.length < LEAVERS ? yield* leaverOf(row, 'ended', own) : undefined
    if (ended !== undefined) found.earlier.push(ended)
  }
  return found
}

/** As `RecallReads.left`. */
export function* left(id: SessionId, own: readonly SessionId[] = []): Program<Leaver | undefined> {
  const row = yield* first<SessionRow>(`select ${COLUMNS} from sessions s where native_id = ?`, id)
  if (row === undefined) return undefined
  return yield* leaverOf(row, isOver(row, Date.now()) ? 'all' : 'ended', own)
}

/** Newest activity first, as far as they are recorded. */
function* fellowsOf(
  issue: IssueKey,
  own: readonly SessionId[],
  linkFrom?: readonly IssueLinkSource[],
): Program<SessionRow[]> {
  const { sessions } = yield* sessionsOnIssue(issue, linkFrom, LOOKED_AT)
  const ids = sessions.flatMap(({ sessionId: id }) => (own.includes(id) ? [] : [id]))
  if (ids.length === 0) return []
  return yield* rows<SessionRow>(
    `select ${COLUMNS} from sessions s where native_id in (${ids.map(() => '?').join(', ')})
     order by coalesce(last_event_at, 0) desc, id desc limit ?`,
    ...ids,
    LOOKED_AT,
  )
}

function* leaverOf(row: SessionRow, which: 'all' | 'ended', own: readonly SessionId[]): Program<Leaver | undefined> {
  const id = sessionId(row.native_id)
  const { todos, total } = yield* openTodos({ key: row.id, id }, which, TODOS, own)
  const work = which === 'all' ? (yield* unreadWork(row.id, id, signalsOf(row))).slice(0, WORK) : []
  if (todos.length === 0 && work.length === 0) return undefined
  return { ...nameOf(row), todos, todoTotal: total, work }
}

const nameOf = (row: SessionRow) => ({
  sessionId: sessionId(row.native_id),
  title: row.title,
  lastEventAt: row.last_event_at === null ? null : new Date(Number(row.last_event_at)).toISOString(),
})

const isOver = (row: SessionRow, now: number): boolean =>
  ['ended', 'lost'].includes(sessionStatus(signalsOf(row), now).status)
