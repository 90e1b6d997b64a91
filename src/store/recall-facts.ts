/**
 * What the record holds of a session, read for hooks: the agent waits for them. Written once, as programs, and driven on a bare
 * SQLite connection (`recall-reader.ts`, which loads no Kysely) and by the store (`recall-reads.ts`).
 */
import { type IssueId, issueId, type SessionId, subagentId, taskId } from '../domain/ids'
import type { TodoStatus } from '../domain/observation'
import type { RecalledIssue, RecalledPrompt, RecalledTask, RecalledWork, SessionFacts } from '../domain/recall'
import type { SessionSignals } from '../domain/store'
import { subagentStatus } from '../domain/subagent-status'
import type { TaskStatus } from '../domain/task'
import { IS_READY } from './issues/find'
import { first, type Program, rows } from './record/program'
import { type EndColumns, endOf } from './subagent-end'

const LAST_PROMPTS = 3
/** Rows of one kind that are read at most: more would not fit into any text. */
const MOST = 200
/** Characters of a text that no recall shows more of. */
const TEXT = 8_000
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
    todos: yield* rows<{ content: string; status: TodoStatus }>(TODOS, session.id, MOST),
    background: yield* background(session),
    lastAnswer: yield* lastAnswer(session.id),
    task: (yield* taskOf(id)) ?? null,
    sentTasks: (yield* rows<{ public_id: string; title: string; status: TaskStatus }>(SENT, id, MOST)).map((row) => ({
      id: taskId(row.public_id),
      title: row.title,
      status: row.status,
    })),
  }
}

interface SessionRow {
  id: number
  root: string | null
  git_branch: string | null
  activity: SessionSignals['activity']
  activity_evidence: string | null
  process_state: SessionSignals['processState']
  process_at: number | null
  file_grew_at: number | null
  last_event_at: number | null
}

const SESSION = `select s.id, p.root, s.git_branch, s.activity, s.activity_evidence, s.process_state, s.process_at, s.file_grew_at,
  s.last_event_at from sessions s left join projects p on p.id = s.project_id where s.native_id = ?`

/** Events of the main thread that say something. */
const MAIN = 'subagent_id is null and parent_tool_use_id is null'

/**
 * Events from the end that are looked through, along the index by time: an agent that works alone for long has made more of them
 * since its last prompt, and is told the first one.
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

/** TodoWrite keeps one list for each agent; numbered items are one list that all agents of the session share. */
const TODOS = `select content, status from todos where session_id = ? and status <> 'removed'
  and (subagent_id is null or native_id is not null) order by list_id, ordinal, id limit ?`

type WorkRow = EndColumns & {
  native_id: string
  kind: RecalledWork['kind']
  type: string | null
  description: string | null
  output_file: string | null
}

const BACKGROUND = `select native_id, kind, type, description, output_file, last_started_at, last_event_at, end_status, end_at,
  end_evidence, hook_started_at, hook_end_status, hook_end_at, hook_end_evidence from subagents
  where session_id = ? and kind in ('agent', 'shell', 'monitor') and (is_background = 1 or kind <> 'agent') order by id desc limit ?`

function* background(session: SessionRow): Program<RecalledWork[]> {
  const signals: SessionSignals = {
    activity: session.activity,
    activityAt: null,
    activityEvidence: session.activity_evidence,
    endedAt: null,
    endReason: null,
    processId: null,
    processState: session.process_state,
    processAt: session.process_at,
    fileGrewAt: session.file_grew_at,
    lastEventAt: session.last_event_at,
  }
  const all = yield* rows<WorkRow>(BACKGROUND, session.id, MOST)
  return all
    .reverse()
    .filter((row) => {
      const end = endOf(row)
      const { status } = subagentStatus(
        {
          lastStartedAt: end.startedAt,
          lastEventAt: row.last_event_at,
          endStatus: end.status,
          endAt: end.at,
          endEvidence: end.evidence,
        },
        signals,
      )
      return status === 'running'
    })
    .map((row) => ({
      id: subagentId(row.native_id),
      kind: row.kind,
      type: row.type,
      description: row.description,
      outputFile: row.output_file,
    }))
}

/** Along the index by status: few tasks are under way at a time. */
const TASK = `select public_id, title, substr(text, 1, ${TEXT}) as text, status, progress, progress_at, issue_id, epic_id from tasks
  where status in ('in_progress', 'paused') and last_session_native_id = ? order by id desc limit 1`

/** The task whose conversation this is; `undefined` = none that goes on. */
export function* taskOf(session: SessionId): Program<RecalledTask | undefined> {
  const row = yield* first<TaskRow>(TASK, session)
  if (row === undefined) return undefined
  const issue = row.issue_id ?? row.epic_id
  return {
    id: taskId(row.public_id),
    title: row.title,
    text: row.text,
    status: row.status,
    progress: row.progress,
    progressAt: iso(row.progress_at),
    issueId: issue === null ? null : issueId(issue),
  }
}

interface TaskRow {
  public_id: string
  title: string
  text: string
  status: string
  progress: string | null
  progress_at: number | null
  issue_id: string | null
  epic_id: string | null
}

const SENT = `select public_id, title, status from tasks where session_native_id = ?
  and status not in ('completed', 'failed', 'cancelled') order by id limit ?`

/** Columns of an issue that a list shows; `i` is the issue. */
const ISSUE = 'i.public_id, i.type, i.title, i.status, i.priority'

/** What the session holds a claim on, else the issue of its task, else the one that is named; one in the folder's own file first. */
export function* issueOf(
  folder: string,
  session: SessionId | null,
  named: IssueId | null,
): Program<RecalledIssue | undefined> {
  if (session !== null) {
    const claimed = yield* first<IssueRow>(
      `select ${ISSUE} from issue_claims c join issues i on i.id = c.issue_id where c.session_native_id = ? order by c.since desc limit 1`,
      session,
    )
    if (claimed !== undefined) return toIssue(claimed)
  }
  const task = session === null ? undefined : yield* taskOf(session)
  const id = task?.issueId ?? named
  if (id === null || id === undefined) return undefined
  const here = yield* trackersOf(folder)
  const all = yield* rows<IssueRow & { tracker_id: number }>(
    `select i.tracker_id, ${ISSUE} from issues i where i.public_id = ? and i.is_deleted = 0 order by i.id limit ?`,
    id,
    MOST,
  )
  const row = all.find((one) => here.includes(one.tracker_id)) ?? all[0]
  return row === undefined ? undefined : toIssue(row)
}

/** Issues of the folder's own file that could be begun now, most important first. */
export function* readyIssues(folder: string, limit: number): Program<{ issues: RecalledIssue[]; total: number }> {
  const now = Date.now()
  const issues: RecalledIssue[] = []
  let total = 0
  for (const tracker of yield* trackersOf(folder)) {
    const from = `from issues i where i.tracker_id = ? and ${IS_READY}`
    const found = yield* rows<IssueRow>(
      `select ${ISSUE} ${from} order by i.ready_priority, i.created_at desc, i.public_id limit ?`,
      tracker,
      now,
      now,
      limit,
    )
    issues.push(...found.map(toIssue))
    const count = yield* first<{ n: number }>(`select count(*) as n ${from}`, tracker, now, now)
    total += Number(count?.n ?? 0)
  }
  return { issues: issues.slice(0, limit), total }
}

/** Keys of the trackers whose file is in the folder: our own, or that of beads. */
function* trackersOf(folder: string): Program<number[]> {
  const found = yield* rows<{ id: number }>(
    'select id from trackers where path in (?, ?) order by id',
    `${folder}/.lodeline/issues.jsonl`,
    `${folder}/.beads/issues.jsonl`,
  )
  return found.map(({ id }) => Number(id))
}

interface IssueRow {
  public_id: string
  type: string
  title: string
  status: string
  priority: number
}

const toIssue = (row: IssueRow): RecalledIssue => ({
  id: issueId(row.public_id),
  type: row.type,
  title: row.title,
  status: row.status,
  priority: Number(row.priority),
})

const iso = (at: number | null): string | null => (at === null ? null : new Date(Number(at)).toISOString())
