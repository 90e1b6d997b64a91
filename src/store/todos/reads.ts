import { type IssueId, type TrackerKey, todoId } from '../../domain/ids'
import type { LinkReads, TodoReads } from '../../domain/todo/todo-store'
import { linksOf, MOST_SESSIONS, sessionsOnIssue } from '../session/reads/session-issues'
import { checkLimit, decodeCursor, encodeCursor } from '../sql/cursor'
import { programDriver } from '../sql/program-driver'
import type { ReadContext } from '../sql/read-context'
import { statement } from '../sql/statement'
import { sessionsWithLists, sessionTodos } from './lists'
import { promotionsToClose } from './promotions'
import { allTodos, findTodo, matchTodos, todoHistory, todosOf } from './rows'

/** Ids that a beginning may match before it is called ambiguous without saying them all. */
const PREFIX_MATCHES = 20
/** The shortest beginning of an id that is looked for. */
const MIN_PREFIX = 6

/** Reads to-dos: by session, list and place in the list. */
export function todoReads({ db, capabilities }: ReadContext): TodoReads {
  const drive = programDriver(db)
  return {
    list({ sessionId: session, includeRemoved = false }) {
      const now = Date.now()
      return drive(
        session === undefined ? allTodos(includeRemoved, now) : todosOf(session, { withRemoved: includeRemoved }, now),
      )
    },
    find: (id) => drive(findTodo(id, Date.now())),
    match: async (prefix) => (prefix.length < MIN_PREFIX ? [] : await drive(matchTodos(prefix, PREFIX_MATCHES))),
    history: (id) => drive(todoHistory(id)),
    async histories(ids) {
      if (ids.length === 0) return new Map()
      const found = await db
        .selectFrom('todos')
        .select(['id', 'history'])
        .where((eb) => capabilities.inTexts(eb.ref('id'), ids))
        .execute()
      return new Map(found.map(({ id, history }) => [todoId(id), history]))
    },
    async lists(filter, page, view) {
      const limit = checkLimit(page.limit)
      const [syncedAt, key] =
        page.cursor === undefined ? [] : decodeCursor(page.cursor, filter, ['number', 'number']).map(Number)
      const after = syncedAt === undefined || key === undefined ? null : { syncedAt, key }
      const found = await drive(sessionsWithLists(filter, after, limit, view.now))
      const shown = found.slice(0, limit)
      const last = found.length > limit ? shown.at(-1) : undefined
      const lists = []
      for (const { id } of shown) lists.push(await drive(sessionTodos(id, view, filter.withRemoved === true)))
      return {
        rows: lists,
        nextCursor: last === undefined ? null : encodeCursor(filter, [last.syncedAt ?? 0, last.key]),
      }
    },
    ofSession: (id, view, withRemoved = false) => drive(sessionTodos(id, view, withRemoved)),
    promotionsToClose: (limit) => drive(promotionsToClose(limit)),
  }
}

const ISSUE_KEY = statement<{ tracker: TrackerKey; id: IssueId }>()((db, param) =>
  db
    .selectFrom('issues')
    .select('id as key')
    .where('tracker_id', '=', param('tracker'))
    .where('public_id', '=', param('id')),
)

/** Reads what links sessions and issues. */
export function linkReads({ db }: ReadContext): LinkReads {
  const drive = programDriver(db)
  return {
    async ofSession(id, linkFrom) {
      const links = await drive(linksOf([id], linkFrom))
      return (links.get(id)?.issues ?? []).map(({ tracker, id: issueId, evidence }) => ({ tracker, issueId, evidence }))
    },
    ofIssue(tracker, issue, linkFrom) {
      return drive(
        (function* () {
          const found = yield* ISSUE_KEY.first({ tracker, id: issue })
          if (found === undefined) return { sessions: [], isTruncated: false }
          return yield* sessionsOnIssue(found.key, linkFrom, MOST_SESSIONS)
        })(),
      )
    },
  }
}
