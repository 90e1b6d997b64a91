import type { Answers } from '../../api/contract/operations'
import type { Todo } from '../../domain/todo/todo-item'
import { age, localTime, plural } from '../print/measures'
import { fields, table } from '../print/table'
import { oneLine } from '../print/text'
import { ago, type ViewSettings } from './session/session-views'
import { section } from './task/task-views'
import { itemLines } from './todo-list-view'

export type IssueDetail = Answers['issues']['get']
/** An issue as every answer has it. */
export type ShownIssue = IssueDetail['issue']

/** An open to-do of a session at work that another one at work has too. */
export interface Overlap {
  todoId: string
  sessionId: string
  otherTodoId: string
}

/** What a session that works or worked on an issue is at. */
export interface IssueWork {
  sessionId: string
  /** Which agent's; `null` = not known. */
  agent: string | null
  title: string | null
  status: string
  /** What links it: `person`, `claim` …, strongest first. */
  evidence: string[]
  startedAt: string | null
  lastEventAt: string | null
  /** To-dos of the session and its sub-agents. */
  completed: number
  inProgress: number
  total: number
  todos: Todo[]
  overlaps: Overlap[]
}

/** `ld-3k9q open P1: Fix the login`. */
export function issueLine({
  id,
  status,
  priority,
  title,
}: Pick<ShownIssue, 'id' | 'status' | 'priority' | 'title'>): string {
  return oneLine(`${id} ${status} P${priority}: ${title}`)
}

/** The status, with what is not seen in it. */
function state(issue: ShownIssue): string {
  const isWaiting = issue.isBlocked && issue.status !== 'blocked' && issue.closedAt === null
  return isWaiting ? `${issue.status} (blocked)` : issue.status
}

/** The claimant, else the assignee. */
function who({ claim, assignee }: ShownIssue): string | null {
  if (claim === null) return assignee
  return claim.state === 'gone' ? `${claim.holder} (gone)` : claim.holder
}

export function issueTable(issues: readonly ShownIssue[], { now, columns }: ViewSettings): string {
  return table(
    issues,
    [
      { title: 'ID', cell: (i) => i.id, max: 40 },
      { title: 'STATUS', cell: state },
      { title: 'PRI', cell: (i) => `P${i.priority}` },
      { title: 'TYPE', cell: (i) => i.issueType, max: 14, spare: 2 },
      { title: 'AGE', cell: (i) => age(i.updatedAt, now), align: 'right', spare: 1 },
      { title: 'WHO', cell: who, max: 20, spare: 3 },
      { title: 'LABELS', cell: (i) => i.labels.join(',') || null, max: 24, spare: 4 },
      { title: 'TITLE', cell: (i) => i.title, max: 200, flexible: 24 },
    ],
    columns,
  )
}

/** With what each waits for. */
export function blockedTable(
  issues: readonly (ShownIssue & { blockedBy: string[] })[],
  { columns }: ViewSettings,
): string {
  return table(
    issues,
    [
      { title: 'ID', cell: (i) => i.id, max: 40 },
      { title: 'PRI', cell: (i) => `P${i.priority}` },
      { title: 'WAITS FOR', cell: (i) => i.blockedBy.join(',') || 'its parent', max: 60 },
      { title: 'TITLE', cell: (i) => i.title, max: 200, flexible: 16 },
    ],
    columns,
  )
}

/** What is known of an issue, then its texts as they were written, then what it is linked to. */
export function issueView(detail: IssueDetail, view: ViewSettings): string {
  const { issue } = detail
  const facts = fields([
    ['issue', issue.id],
    ['title', issue.title],
    ['status', state(issue)],
    ['priority', `P${issue.priority}`],
    ['type', issue.issueType],
    ['labels', issue.labels.join(', ') || null],
    ['assignee', issue.assignee],
    ['owner', issue.owner],
    ['claimed by', claimText(issue, view.now)],
    ['parent', issue.parentId],
    ['estimate', issue.estimatedMinutes === null ? null : plural(issue.estimatedMinutes, 'minute')],
    ['due', localTime(issue.dueAt)],
    ['deferred until', localTime(issue.deferUntil)],
    ['external', issue.externalRef],
    ['spec', issue.specId],
    ['created', when(issue.createdAt, view.now, issue.createdBy)],
    ['changed', when(issue.updatedAt, view.now, null)],
    ['started', when(issue.startedAt, view.now, null)],
    ['closed', when(issue.closedAt, view.now, null)],
    ['close reason', issue.closeReason],
    ['closed by session', issue.closedBySession],
    ['tasks', detail.tasks.map(({ id, status }) => `${id} (${status})`).join(', ') || null],
    ['file', detail.isInFile ? detail.path : `${detail.path ?? ''} no longer contains it`.trim()],
  ])
  return [
    facts,
    section('description', issue.description),
    section('design', issue.design),
    section('acceptance criteria', issue.acceptanceCriteria),
    section('notes', issue.notes),
    section('depends on', linkTable(detail.dependencies, view)),
    section('required by', linkTable(detail.dependents, view)),
    section('children', issueTable(detail.children, view)),
    section('comments', commentText(issue.comments, view.now)),
  ].join('')
}

function claimText({ claim }: ShownIssue, now: number): string | null {
  if (claim === null) return null
  const session = claim.sessionId === null ? '' : ` in session ${claim.sessionId}`
  const alive = claim.aliveAt === null ? '' : `, last seen ${ago(claim.aliveAt, now)}`
  const lapse = claim.lapsesAt === null ? '' : `, expires ${localTime(claim.lapsesAt)}`
  return `${claim.holder}${session}, since ${localTime(claim.since)}, ${claim.state}${alive}${lapse}`
}

function when(iso: string | null, now: number, by: string | null): string | null {
  return iso === null ? null : `${localTime(iso)} (${ago(iso, now)})${by === null ? '' : ` by ${by}`}`
}

/** Edges with what is at their other end. */
export function linkTable(links: IssueDetail['dependencies'], { columns }: ViewSettings): string {
  return table(
    links,
    [
      { title: 'ID', cell: (l) => l.id, max: 40 },
      { title: 'EDGE', cell: (l) => l.type },
      { title: 'STATUS', cell: (l) => l.issue?.status ?? (l.id.startsWith('external:') ? 'outside' : 'missing') },
      { title: 'TITLE', cell: (l) => l.issue?.title ?? null, max: 200, flexible: 16 },
    ],
    columns,
  )
}

export function commentText(
  comments: readonly { author: string; text: string; createdAt: string }[],
  now: number,
): string {
  return comments.map(({ author, text, createdAt }) => `${author}, ${ago(createdAt, now)}:\n${text}\n`).join('\n')
}

/** Each session, how far it is, and its list. */
export function workView(sessions: readonly IssueWork[], view: ViewSettings): string {
  return section('active work', sessions.map((work) => oneWork(work, view)).join('\n'))
}

function oneWork(work: IssueWork, view: ViewSettings): string {
  const { sessionId, agent, title, status, evidence, startedAt, lastEventAt, todos, overlaps } = work
  const facts = fields([
    ['session', `${sessionId} (${status})`],
    ['agent', agent],
    ['title', title],
    ['linked by', evidence.join(', ') || null],
    ['started', when(startedAt, view.now, null)],
    ['last activity', when(lastEventAt, view.now, null)],
    ['progress', `${work.completed}/${work.total} completed, ${work.inProgress} in progress`],
  ])
  const also = (todo: Todo) =>
    overlaps.filter(({ todoId }) => todoId === todo.id).map((one) => `also in session ${one.sessionId}`)
  return [facts, ...itemLines(todos, view, sessionId, also).map((line) => `${line}\n`)].join('')
}
