/**
 * What links sessions and issues, read for hooks and by the store: programs over indexes, for one session or for many at once.
 * `domain/issue/issue-links.ts` decides; nothing of it is kept but people's choices.
 */
import {
  type IssueId,
  type IssueKey,
  issueId,
  issueKey,
  type SessionId,
  sessionId,
  type TrackerKey,
  trackerKey,
} from '../../../domain/ids'
import { type IssueMention, linkedIssues, type MentionedIssue, tracesOf } from '../../../domain/issue/issue-links'
import {
  ISSUE_LINK_SOURCES,
  type IssueChoice,
  type IssueLinkSource,
  type IssueTrace,
  type SessionIssue,
} from '../../../domain/session/session-issue'
import { issuesMeant, type TaskPlace } from '../../../domain/task/task-issue'
import { type Program, rows } from '../../sql/program'
import { PLACE_COLUMNS } from '../../tasks/served-issues'

/** Sessions of one issue that are looked at: the newest. */
export const MOST_SESSIONS = 200
/** Issues of one session that it closed, or whose tasks it was the conversation of: the newest. */
const MOST_TRACES = 100
/** Parameters of one statement. */
const PARAMETERS_PER_STATEMENT = 500

/** An issue with what a list shows of it. */
export interface IssueBrief {
  key: IssueKey
  tracker: TrackerKey
  id: IssueId
  type: string
  title: string
  status: string
  /** 0 (highest) to 4. */
  priority: number
  isOver: boolean
}

/** An issue that a session is linked to. */
export interface LinkedBrief extends IssueBrief {
  evidence: SessionIssue['evidence']
}

/** What names issues in a session, what was decided, and the issues themselves. */
export interface SessionLinks {
  traces: IssueTrace[]
  choices: IssueChoice[]
  /** Current one first. */
  issues: LinkedBrief[]
}

/** What a hook knows of the session beside the record. */
export interface LinkOptions {
  /** Default all. */
  linkFrom?: readonly IssueLinkSource[]
  /** The git branch of the folder, where the record may not know it yet. */
  branchWords?: readonly string[]
}

interface IssueRow {
  key: number
  tracker: number
  id: string
  type: string
  title: string
  status: string
  priority: number
  is_over: number
}

const ISSUE = `i.id as "key", i.tracker_id as tracker, i.public_id as id, i.type as type, i.title as title, i.status as status,
  i.priority as priority, i.is_over as is_over`
const IS_THERE = 'i.is_deleted = 0'

const brief = (row: IssueRow): IssueBrief => ({
  key: issueKey(Number(row.key)),
  tracker: trackerKey(Number(row.tracker)),
  id: issueId(row.id),
  type: row.type,
  title: row.title,
  status: row.status,
  priority: Number(row.priority),
  isOver: Number(row.is_over) !== 0,
})

/**
 * The issue that a session works on; `undefined` = it is linked to none.
 *
 * @param folder  of the project where it works: an id is looked for in its file first
 * @param session `null` = none, or not known yet
 * @param named   what its environment says, which the record may not know yet
 */
export function* currentIssueOf(
  folder: string,
  session: SessionId | null,
  named: IssueId | null,
  options: LinkOptions = {},
): Program<LinkedBrief | undefined> {
  const now = Date.now()
  const more: IssueMention[] = (options.branchWords ?? []).map((word) => ({
    source: 'branch',
    place: '',
    word,
    at: 0,
  }))
  if (named !== null) more.push({ source: 'environment', place: '', word: named, at: now })
  const id = session ?? sessionId('')
  const links = yield* linksOf(session === null ? [] : [session], options.linkFrom, { id, folder, mentions: more })
  return links.get(id)?.issues[0]
}

/** The links of each of these sessions; a session without a trace has none, recorded or not. */
export function* linksOf(
  sessions: readonly SessionId[],
  linkFrom: readonly IssueLinkSource[] = ISSUE_LINK_SOURCES,
  beside?: { id: SessionId; folder: string; mentions: readonly IssueMention[] },
): Program<Map<SessionId, SessionLinks>> {
  const found = new Map<SessionId, Gathered>()
  const of = (id: SessionId): Gathered => {
    const known = found.get(id) ?? { folder: null, mentions: [], tasks: [], traces: [], choices: [], issues: new Map() }
    found.set(id, known)
    return known
  }
  for (let at = 0; at < sessions.length; at += PARAMETERS_PER_STATEMENT)
    yield* gather(sessions.slice(at, at + PARAMETERS_PER_STATEMENT), of)
  if (beside !== undefined) {
    const gathered = of(beside.id)
    gathered.folder = beside.folder
    gathered.mentions.push(...beside.mentions)
  }
  const candidates = yield* issuesByWord(
    new Set([...found.values()].flatMap(({ mentions, tasks }) => [...mentions, ...tasks].map(wordOf))),
  )
  const trackers = candidates.size === 0 ? [] : yield* trackerPaths()
  const pathOf = new Map<number, string | null>(trackers.map(({ id, path }) => [id, path]))
  return new Map(
    [...found].map(([id, { folder, mentions, tasks, traces, choices, issues }]) => {
      const here = new Set(trackers.filter(({ path }) => isWithin(path, folder)).map(({ id: tracker }) => tracker))
      const issuesCalled = (word: string): IssueBrief[] => {
        const called = candidates.get(word) ?? []
        for (const issue of called) issues.set(`${issue.tracker} ${issue.id}`, issue)
        return called
      }
      const mentioned = (word: string): MentionedIssue[] =>
        issuesCalled(word).map(({ tracker, id: issue }) => ({ tracker, issueId: issue, isHere: here.has(tracker) }))
      const served = tasks.flatMap(({ word, task, at, dir, project }): IssueTrace[] => {
        const called = issuesCalled(word).map(({ tracker }) => ({ tracker, path: pathOf.get(tracker) ?? null }))
        const [meant, ...others] = issuesMeant({ dir, project: project ?? folder }, called)
        if (meant === undefined || others.length > 0) return []
        return [{ tracker: meant.tracker, issueId: issueId(word), source: 'task', place: task, at }]
      })
      const all = [...traces, ...served, ...tracesOf(mentions, mentioned)]
      const briefOf = (tracker: TrackerKey, issue: IssueId) => issues.get(`${tracker} ${issue}`)
      const linked = linkedIssues(all, choices, {
        linkFrom,
        isOver: (tracker, issue) => briefOf(tracker, issue)?.isOver === true,
      })
      const shown = linked.flatMap(({ tracker, issueId: issue, evidence }) => {
        const known = briefOf(tracker, issue)
        return known === undefined ? [] : [{ ...known, evidence }]
      })
      return [id, { traces: all, choices, issues: shown }]
    }),
  )
}

interface Gathered {
  /** The session's project. */
  folder: string | null
  mentions: IssueMention[]
  /** Tasks that it is the conversation of, with the ids of the issues that they serve. */
  tasks: (TaskPlace & { word: string; task: string; at: number })[]
  traces: IssueTrace[]
  choices: IssueChoice[]
  issues: Map<string, IssueBrief>
}

const wordOf = ({ word }: { word: string }): string => word

const isWithin = (path: string | null, folder: string | null): boolean =>
  path !== null && folder !== null && path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

/** What the database holds of these sessions, but for the issues that words name. */
function* gather(sessions: readonly SessionId[], of: (id: SessionId) => Gathered): Program<void> {
  const marks = sessions.map(() => '?').join(', ')
  const known = (row: IssueRow & { session: string }): Gathered => {
    const gathered = of(sessionId(row.session))
    gathered.issues.set(`${Number(row.tracker)} ${row.id}`, brief(row))
    return gathered
  }
  const trace = (row: IssueRow & { session: string; at: number | null; place: string }, source: IssueLinkSource) =>
    known(row).traces.push({
      tracker: trackerKey(Number(row.tracker)),
      issueId: issueId(row.id),
      source,
      place: row.place,
      at: Number(row.at ?? 0),
    })
  const choices = yield* rows<IssueRow & { session: string; is_linked: number; at: number; decided_by: string }>(
    `select c.session_native_id as session, c.is_linked as is_linked, c.at as at, c.decided_by as decided_by, ${ISSUE}
      from session_issue_choices c join issues i on i.id = c.issue_id where c.session_native_id in (${marks}) and ${IS_THERE}`,
    ...sessions,
  )
  for (const row of choices)
    known(row).choices.push({
      tracker: trackerKey(Number(row.tracker)),
      issueId: issueId(row.id),
      isLinked: Number(row.is_linked) !== 0,
      at: Number(row.at),
      by: row.decided_by,
    })
  const claims = yield* rows<IssueRow & { session: string; at: number }>(
    `select c.session_native_id as session, c.since as at, ${ISSUE} from issue_claims c join issues i on i.id = c.issue_id
      where c.session_native_id in (${marks}) and ${IS_THERE}`,
    ...sessions,
  )
  for (const row of claims) trace({ ...row, place: '' }, 'claim')
  // The session that closed an issue held it until then.
  const closed = yield* rows<IssueRow & { session: string; at: number | null }>(
    `select i.closed_by_session as session, i.closed_at as at, ${ISSUE} from issues i
      where i.closed_by_session in (${marks}) and ${IS_THERE} order by i.closed_at desc limit ${MOST_TRACES * sessions.length}`,
    ...sessions,
  )
  for (const row of closed) trace({ ...row, place: 'closed' }, 'claim')
  const tasks = yield* rows<TaskPlace & { session: string; task: string; at: number; word: string }>(
    `select t.last_session_native_id as session, t.public_id as task, coalesce(t.started_at, t.created_at) as at,
        coalesce(t.issue_id, t.epic_id) as word, ${PLACE_COLUMNS} from tasks t
      where t.last_session_native_id in (${marks}) and (t.issue_id is not null or t.epic_id is not null)
      order by t.id desc limit ${MOST_TRACES * sessions.length}`,
    ...sessions,
  )
  for (const { session, at, ...task } of tasks) of(sessionId(session)).tasks.push({ ...task, at: Number(at) })
  const mentions = yield* rows<{ session: string } & IssueMention>(
    `select s.native_id as session, m.source as source, m.place as place, m.word as word, m.at as at
      from sessions s join session_mentions m on m.session_id = s.id
      where s.native_id in (${marks})
        and exists (select 1 from issues i where i.public_id = m.word and i.is_deleted = 0)`,
    ...sessions,
  )
  for (const { session, ...mention } of mentions)
    of(sessionId(session)).mentions.push({ ...mention, at: Number(mention.at) })
  if (mentions.length === 0 && tasks.length === 0) return
  const places = yield* rows<{ session: string; root: string | null }>(
    `select s.native_id as session, p.root as root from sessions s join projects p on p.id = s.project_id
      where s.native_id in (${marks})`,
    ...sessions,
  )
  for (const { session, root } of places) of(sessionId(session)).folder = root
}

function* issuesByWord(words: ReadonlySet<string>): Program<Map<string, IssueBrief[]>> {
  const found = new Map<string, IssueBrief[]>()
  const all = [...words]
  for (let at = 0; at < all.length; at += PARAMETERS_PER_STATEMENT) {
    const some = all.slice(at, at + PARAMETERS_PER_STATEMENT)
    const issues = yield* rows<IssueRow>(
      `select ${ISSUE} from issues i where i.public_id in (${some.map(() => '?').join(', ')}) and ${IS_THERE} order by i.id`,
      ...some,
    )
    for (const row of issues) found.set(row.id, [...(found.get(row.id) ?? []), brief(row)])
  }
  return found
}

/** There are as many as files of issues on this installation: few. */
function* trackerPaths(): Program<{ id: number; path: string | null }[]> {
  const found = yield* rows<{ id: number; path: string | null }>('select id, path from trackers order by id')
  return found.map(({ id, path }) => ({ id: Number(id), path }))
}

/** Sessions that are linked to an issue, the newest first, with what makes us say so; at most `limit`. */
export function* sessionsOnIssue(
  key: IssueKey,
  linkFrom: readonly IssueLinkSource[] = ISSUE_LINK_SOURCES,
  limit = MOST_SESSIONS,
): Program<{ sessions: { sessionId: SessionId; evidence: SessionIssue['evidence'] }[]; isTruncated: boolean }> {
  const [issue] = yield* rows<{ id: string; tracker: number; closed_by: string | null }>(
    'select public_id as id, tracker_id as tracker, closed_by_session as closed_by from issues where id = ?',
    key,
  )
  if (issue === undefined) return { sessions: [], isTruncated: false }
  const candidates = new Set<string>(issue.closed_by === null ? [] : [issue.closed_by])
  const named = yield* rows<{ session: string }>(
    `select session_native_id as session from session_issue_choices where issue_id = ? and is_linked = 1
      union select session_native_id from issue_claims where issue_id = ? and session_native_id is not null`,
    key,
    key,
  )
  const tasks = yield* rows<{ session: string | null }>(
    `select session from (
        select last_session_native_id as session, id from tasks where issue_id = ?
        union all select last_session_native_id, id from tasks where epic_id = ?) t
      where session is not null order by id desc limit ${MOST_SESSIONS}`,
    issue.id,
    issue.id,
  )
  const mentions = yield* rows<{ session: string }>(
    `select s.native_id as session from (
        select distinct session_id from session_mentions where word = ? order by session_id desc limit ${MOST_SESSIONS}) m
      join sessions s on s.id = m.session_id order by m.session_id desc`,
    issue.id,
  )
  for (const { session } of [...named, ...tasks, ...mentions]) if (session !== null) candidates.add(session)
  const newest = yield* newestFirst([...candidates].map(sessionId))
  const looked = newest.slice(0, MOST_SESSIONS)
  const found: { sessionId: SessionId; evidence: SessionIssue['evidence'] }[] = []
  // Most that name it are linked to it: a caller that wants few reads the links of few.
  const step = Math.min(limit + 1, MOST_SESSIONS)
  for (let at = 0; at < looked.length && found.length <= limit; at += step) {
    const some = looked.slice(at, at + step)
    const links = yield* linksOf(some, linkFrom)
    for (const session of some) {
      const link = links.get(session)?.issues.find((one) => one.key === key)
      if (link !== undefined) found.push({ sessionId: session, evidence: link.evidence })
    }
  }
  return { sessions: found.slice(0, limit), isTruncated: newest.length > looked.length || found.length > limit }
}

/** What is not recorded comes first: it has just begun. */
function* newestFirst(sessions: SessionId[]): Program<SessionId[]> {
  const heard = new Map<string, number>()
  for (let at = 0; at < sessions.length; at += PARAMETERS_PER_STATEMENT) {
    const some = sessions.slice(at, at + PARAMETERS_PER_STATEMENT)
    const found = yield* rows<{ id: string; at: number }>(
      `select native_id as id, coalesce(last_event_at, activity_at, 0) as at from sessions where native_id in (${some.map(() => '?').join(', ')})`,
      ...some,
    )
    for (const row of found) heard.set(row.id, Number(row.at))
  }
  const of = (id: SessionId): number => heard.get(id) ?? Number.MAX_SAFE_INTEGER
  return sessions.sort((a, b) => of(b) - of(a) || (a < b ? -1 : 1))
}

/** The one issue that a session looked at; `undefined` = none, or several. */
export function* onlyIssueSeen(session: SessionId): Program<IssueBrief | undefined> {
  const seen = yield* rows<IssueRow>(
    `select ${ISSUE} from session_issue_views v join issues i on i.id = v.issue_id
      where v.session_native_id = ? and ${IS_THERE} limit 2`,
    session,
  )
  const [only, ...others] = seen
  return only === undefined || others.length > 0 ? undefined : brief(only)
}
