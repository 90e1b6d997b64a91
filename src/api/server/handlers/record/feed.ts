import type { Access } from '../../../../domain/access/access'
import { callerName, kindOf } from '../../../../domain/access/caller-kind'
import { READ_TASK_LOG } from '../../../../domain/access/rules'
import { AppError } from '../../../../domain/errors'
import type { FeedEntry, FeedKind } from '../../../../domain/feed'
import { type AgentName, type FeedSeq, feedSeq, type SessionId } from '../../../../domain/ids'
import type { Caller } from '../../../../domain/task/worker-protocol'
import { feed } from '../../../contract/operations/events'
import { DEFAULT_PAGE_LIMIT } from '../../../contract/protocol'
import type { Context } from '../../context'
import { checkAgentCli } from '../../find/find-agent-cli'
import { resolveSessionId } from '../../find/find-session'
import { filterTaskId } from '../../find/find-task'
import { handle } from '../../handler'
import { type FeedTest, feedStream } from '../../streams/feed-stream'
import { lastEventId } from '../../streams/last-event-id'

/** The row of both operations; the app checks it where a task is named. */
const READ_FEED: Access = READ_TASK_LOG

/** Entries looked at for one page, however few of them are wanted. */
const MAX_SCANNED = 10_000
const SCAN_ROWS = 1_000

export const feedPage = handle(feed.page, async ({ caller, query }, context) => {
  const { feed } = context.store
  const limit = query.limit ?? DEFAULT_PAGE_LIMIT
  const isWanted = await entryFilter(caller, query, context)
  let cursor = await checkedCursor(query.after ?? 0, context)
  const entries: FeedEntry[] = []
  for (let scanned = 0; scanned < MAX_SCANNED; scanned += SCAN_ROWS) {
    const rows = await feed.after(cursor, SCAN_ROWS)
    for (const row of rows) {
      cursor = row.seq
      if (await isWanted(row)) entries.push(row)
      if (entries.length === limit)
        return { entries, nextCursor: cursor, isEnd: row === rows[rows.length - 1] && rows.length < SCAN_ROWS }
    }
    if (rows.length < SCAN_ROWS) return { entries, nextCursor: cursor, isEnd: true }
  }
  return { entries, nextCursor: cursor, isEnd: false }
})

export const followFeed = handle(feed.follow, async ({ caller, query, request, headers }, context) => {
  const { ring, limits, log, mask, seats } = context
  const isWanted = await entryFilter(caller, query, context)
  const asked = lastEventId(request) ?? query.after
  const cursor = asked === undefined ? await ring.head() : await checkedCursor(asked, context)
  const leave = seats.take(caller)
  const stream = feedStream(ring, {
    cursor,
    isWanted,
    heartbeatMs: limits.heartbeatMs,
    stallMs: limits.stallMs,
    mask,
    signal: request.signal,
    onEnd: (why, error) => {
      leave()
      const fields = { why, followers: ring.followerCount() }
      if (why === 'left' || why === 'done') log.debug('a feed follower disconnected', fields)
      else log.warn('a feed follower was disconnected', error === undefined ? fields : { ...fields, error })
    },
  })
  return new Response(stream, { headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' } })
})

type FeedFilter = {
  sessionId?: string | undefined
  taskId?: string | undefined
  kinds?: FeedKind[] | undefined
  agent?: AgentName | undefined
}

async function entryFilter(
  caller: Caller,
  { sessionId, taskId, kinds, agent }: FeedFilter,
  context: Context,
): Promise<FeedTest> {
  if (taskId === undefined && READ_FEED[kindOf(caller)] !== 'any') {
    throw new AppError('forbidden', `${callerName(caller)} may follow tasks, not the whole feed.`, {
      hint: 'Pass the task as `taskId`.',
    })
  }
  const session = sessionId === undefined ? undefined : await feedSession(sessionId, context)
  const task = taskId === undefined ? undefined : await filterTaskId(taskId, context)
  const wanted = kinds === undefined ? undefined : new Set<FeedKind>(kinds)
  checkAgentCli(agent, context)
  const isOfCli = agent === undefined ? undefined : sessionsOf(agent, context)
  return ({ kind, sessionId: of, data }) =>
    (session === undefined || of === session) &&
    (task === undefined || data.taskId === task) &&
    (wanted === undefined || wanted.has(kind)) &&
    (isOfCli === undefined || (of !== null && isOfCli(of)))
}

/** Whether a session is one of this agent CLI. One that is not recorded, or no more, is of none. */
function sessionsOf(agent: AgentName, { store }: Context): (session: SessionId) => boolean | Promise<boolean> {
  const known = new Map<SessionId, boolean>()
  return (session) =>
    known.get(session) ??
    store.sessions.find(session).then((found) => {
      const isOne = found?.agent === agent
      if (found !== undefined) known.set(session, isOne)
      return isOne
    })
}

/** A whole id may be of a session that is not recorded yet, or no more: its entries are wanted all the same. */
async function feedSession(given: string, context: Context): Promise<string> {
  return given.length >= 36 ? given : resolveSessionId(given, context)
}

/**
 * A cursor from beyond the end would wait in silence for entries that it then takes for old: it is of another database. What came after
 * one from before the beginning was removed by age.
 */
async function checkedCursor(cursor: number, { store }: Context): Promise<FeedSeq> {
  if (cursor === 0) return feedSeq(0)
  const [head, first] = await Promise.all([store.feed.head(), store.feed.first()])
  if (cursor > head)
    throw lostCursor(`ends at ${head}, before ${cursor}: the cursor belongs to another database.`, head)
  if (cursor < first - 1) throw lostCursor(`begins at ${first}: what came after ${cursor} was removed by age.`, head)
  return feedSeq(cursor)
}

const lostCursor = (why: string, head: FeedSeq): AppError =>
  new AppError('conflict', `The feed ${why}`, { hint: 'Start again without a cursor.', details: { head } })
