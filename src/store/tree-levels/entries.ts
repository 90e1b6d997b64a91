/** Rows as entries of the tree. The caller adds their sums. */

import { sql } from 'kysely'
import {
  type AgentName,
  type IssueId,
  issueId,
  type SessionId,
  subagentId,
  type TaskId,
  taskId,
  todoId,
  toolUseId,
} from '../../domain/ids'
import { isAlive } from '../../domain/overview/shown-status'
import { treeId } from '../../domain/overview/tree-id'
import type { TreeEntry } from '../../domain/overview/tree-level'
import type { ShownSessionStatus } from '../../domain/session/session'
import { sessionStatus } from '../../domain/session/session-status'
import type { SessionSignals } from '../../domain/session/session-store'
import type { TaskStatus } from '../../domain/task/task'
import { SIGNALS, type SignalColumns, signalsOf } from '../session/session-signals'
import { isoTime, type ReadContext } from '../sql/read-context'
import { HAS_QUESTION, shownStatus } from '../tasks/shown'
import { type Look, shownStatuses } from './look'
import type { OutlineItem, OutlineNode } from './outline'
import type { ProjectGroup } from './projects'
import { TODO_STATUS, TODO_TABLES } from './todo-status'

/** Characters of a call or a to-do that an entry shows. */
const SHOWN = 200

const NOTHING = {
  detail: null,
  status: null,
  statusEvidence: null,
  startedAt: null,
  endedAt: null,
  childCount: 0,
  rollup: null,
  agentCli: null,
  taskId: null,
  sessionId: null,
  subagentId: null,
  toolUseId: null,
  issueId: null,
} satisfies Partial<TreeEntry>

/** `null` = work of no project. */
export const projectEntry = (group: ProjectGroup | null): TreeEntry => ({
  ...NOTHING,
  id: treeId({ kind: 'project', key: group?.key ?? null }),
  kind: 'project',
  label: group?.name ?? 'no project',
  detail: group?.root ?? null,
})

interface TaskColumns {
  key: number
  id: TaskId
  status: TaskStatus
  offered_to: number | null
  has_question: number
  title: string
  reason: string
  issue_id: IssueId | null
  agent: string | null
  agent_cli: AgentName | null
  session: SessionId | null
  started_at: number | null
  finished_at: number | null
}

/** Tasks by key. `detail` is the agent's name. */
export async function taskEntries(context: ReadContext, keys: readonly number[]): Promise<Map<number, TreeEntry>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<TaskColumns>`
    select t.id as key, t.public_id as id, t.status, t.offered_to, ${sql.raw(HAS_QUESTION)} as has_question, t.title, t.reason, t.issue_id, g.name as agent,
           (select a.agent_cli from attempts a where a.task_id = t.id and a.number = t.attempt_count) as agent_cli,
           coalesce(t.next_session_native_id, t.last_session_native_id) as session, t.started_at, t.finished_at
      from tasks t left join agents g on g.id = t.agent_id
     where ${context.capabilities.inKeys(sql.ref<number>('t.id'), keys)}
  `.execute(context.db)
  return new Map(rows.map((row) => [row.key, taskEntry(row)]))
}

function taskEntry(row: TaskColumns): TreeEntry {
  return {
    ...NOTHING,
    id: treeId({ kind: 'task', taskId: row.id }),
    kind: 'task',
    label: row.title,
    detail: row.agent,
    agentCli: row.agent_cli,
    status: shownStatus(row.status, {
      isOffered: row.offered_to !== null,
      hasQuestion: Number(row.has_question) === 1,
    }),
    statusEvidence: row.reason,
    startedAt: isoTime(row.started_at),
    endedAt: isoTime(row.finished_at),
    taskId: taskId(row.id),
    sessionId: row.session,
    issueId: row.issue_id === null ? null : issueId(row.issue_id),
  }
}

/** A session as an entry, with what its state was judged by. */
export interface SessionEntry {
  entry: TreeEntry
  key: number
  signals: SessionSignals
  status: ShownSessionStatus
}

/** Sessions by key. `detail` is the branch. */
export async function sessionEntries(
  context: ReadContext,
  keys: readonly number[],
  look: Look,
): Promise<Map<number, SessionEntry>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<
    SignalColumns & {
      key: number
      id: SessionId
      agent: AgentName
      title: string | null
      branch: string | null
      started_at: number | null
    }
  >`
    select s.id as key, s.native_id as id, s.agent, s.title, s.git_branch as branch, s.started_at, ${sql.raw(SIGNALS)} from sessions s
     where ${context.capabilities.inKeys(sql.ref<number>('s.id'), keys)}
  `.execute(context.db)
  const judged = rows.map((row) => ({ key: row.key, signals: signalsOf(row) }))
  const signalsBy = new Map(judged.map(({ key, signals }) => [key, signals]))
  const statuses = await shownStatuses(context, judged, look)
  return new Map(
    rows.map((row) => {
      const signals = signalsBy.get(row.key) ?? signalsOf(row)
      const { status: own, statusEvidence } = sessionStatus(signals, look.now)
      const status = statuses.get(row.key) ?? own
      const entry: TreeEntry = {
        ...NOTHING,
        id: treeId({ kind: 'session', sessionId: row.id }),
        kind: 'session',
        label: row.title ?? row.id,
        detail: row.branch,
        agentCli: row.agent,
        status,
        statusEvidence,
        startedAt: isoTime(row.started_at),
        endedAt: isAlive(status) ? null : isoTime(row.ended_at ?? row.last_event_at),
        sessionId: row.id,
      }
      return [row.key, { entry, key: row.key, signals, status }]
    }),
  )
}

interface NodeTexts {
  key: number
  type: string | null
  description: string | null
  tool_use_id: string | null
}

/** Lines of one level of a session, in their order; `detail` is an agent's type, or how a call begins. */
export async function itemEntries(
  context: ReadContext,
  session: { key: number; id: SessionId },
  items: readonly OutlineItem[],
): Promise<TreeEntry[]> {
  const nodes = await readNodeTexts(
    context,
    items.flatMap((item) => (item.kind === 'node' ? item.node.id : [])),
  )
  const calls = await readCalls(
    context,
    session.key,
    items.flatMap((item) => (item.kind === 'tool' ? item.id : [])),
  )
  const todos = await readTodos(
    context,
    items.flatMap((item) => (item.kind === 'todo' ? item.id : [])),
  )
  const entryOf = (item: OutlineItem): TreeEntry | undefined => {
    if (item.kind === 'node') return nodeEntry(item.node, nodes.get(item.node.id), session.id)
    if (item.kind === 'todo') return todos.get(item.id)
    const at = item.heardAt === 0 ? null : item.heardAt
    return toolEntry({ ...item, at, begins: calls.get(item.id) ?? null }, session.id)
  }
  return items.flatMap((item) => entryOf(item) ?? [])
}

const toolEntry = (
  call: { id: string; name: string; status: TreeEntry['status']; at: number | null; begins: string | null },
  session: SessionId,
): TreeEntry => ({
  ...NOTHING,
  id: treeId({ kind: 'tool', sessionId: session, toolUseId: toolUseId(call.id) }),
  kind: 'tool',
  label: call.name,
  detail: withoutName(call),
  status: call.status,
  statusEvidence: 'no answer yet',
  startedAt: isoTime(call.at),
  sessionId: session,
  toolUseId: toolUseId(call.id),
})

/** Its event's text begins with the name, which stands beside it. */
const withoutName = ({ name, begins }: { name: string; begins: string | null }): string | null =>
  begins?.startsWith(name) && /\s/.test(begins.charAt(name.length)) ? begins.slice(name.length + 1) : begins

export function nodeEntry(node: OutlineNode, texts: NodeTexts | undefined, session: SessionId): TreeEntry {
  return {
    ...NOTHING,
    id: treeId({ kind: 'subagent', sessionId: session, subagentId: subagentId(node.native_id) }),
    kind: node.kind === 'agent' ? 'subagent' : node.kind,
    label: texts?.description ?? texts?.type ?? node.native_id,
    detail: texts?.type ?? null,
    status: node.status,
    statusEvidence: node.evidence,
    startedAt: isoTime(node.first_event_at ?? node.first_started_at ?? node.hook_started_at),
    endedAt: isoTime(node.endedAt),
    sessionId: session,
    subagentId: subagentId(node.native_id),
    toolUseId: texts?.tool_use_id == null ? null : toolUseId(texts.tool_use_id),
  }
}

export async function readNodeTexts(
  { db, capabilities }: ReadContext,
  keys: readonly number[],
): Promise<Map<number, NodeTexts>> {
  if (keys.length === 0) return new Map()
  const rows = await db
    .selectFrom('subagents')
    .select(['id as key', 'type', 'description', 'tool_use_id'])
    .where((eb) => capabilities.inKeys(eb.ref('id'), keys))
    .execute()
  return new Map(rows.map((row) => [row.key, row]))
}

/** How calls begin, as the line of each has it. */
async function readCalls(
  { db, capabilities }: ReadContext,
  session: number,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; text: string | null }>`
    select tool_use_id as id, substr(text, 1, ${sql.lit(SHOWN)}) as text from conversation_events
     where session_id = ${session} and tool_use_id is not null and type = 'tool_call'
       and ${capabilities.inTexts(sql.ref('tool_use_id'), ids)}
  `.execute(db)
  return new Map(rows.flatMap(({ id, text }) => (text === null ? [] : [[id, text] as const])))
}

interface TodoColumns {
  id: string
  session: SessionId
  content: string
  status: TreeEntry['status']
  issue: string | null
  is_by_issue: number
  created_at: number | null
  completed_at: number | null
}

async function readTodos({ db, capabilities }: ReadContext, ids: readonly string[]): Promise<Map<string, TreeEntry>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<TodoColumns>`
    select t.id, s.native_id as session, substr(t.content, 1, ${sql.lit(SHOWN)}) as content, ${sql.raw(TODO_STATUS)} as status, i.public_id as issue,
           case when i.category = 'done' and t.status in ('pending', 'in_progress') then 1 else 0 end as is_by_issue,
           t.created_at, coalesce(t.completed_at, case when i.category = 'done' then i.closed_at end) as completed_at
      from ${sql.raw(TODO_TABLES)} join sessions s on s.id = t.session_id where ${capabilities.inTexts(sql.ref('t.id'), ids)}
  `.execute(db)
  return new Map(
    rows.map((row) => [
      row.id,
      {
        ...NOTHING,
        id: treeId({ kind: 'todo', sessionId: row.session, todoId: todoId(row.id) }),
        kind: 'todo',
        label: row.content,
        status: row.status,
        statusEvidence: row.is_by_issue === 1 ? `its issue ${row.issue} is over` : null,
        startedAt: isoTime(row.created_at),
        endedAt: row.status === 'completed' ? isoTime(row.completed_at) : null,
        sessionId: row.session,
        issueId: row.issue === null ? null : issueId(row.issue),
      },
    ]),
  )
}
