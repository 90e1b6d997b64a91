import { basename } from 'node:path'
import type { Task } from '../../../domain/task/task'
import { runSettingsInWords } from '../../../domain/task/task-fields'
import { age, dollars, duration, localTime, plural } from '../../print/measures'
import { fields, table } from '../../print/table'
import { block } from '../../print/text'
import type { CostedTask } from '../../tasks/task-costs'
import { ago, areSeveral, costText, type ViewSettings } from '../session/session-views'

/** The status in a person's words, with what it waits for or who paused it: `pending (dependency)`, `paused (person)`. */
export function statusText(task: Task): string {
  const why = task.status === 'paused' ? task.pausedBy : task.status === 'pending' ? task.waitingFor : null
  if (task.status === 'waiting') return 'waiting for you'
  return why === null ? task.status : `${task.status} (${why})`
}

/** The agent CLI that its newest attempt had, else the first that may run it. `null` = any. */
export const taskCli = ({ agentCli, neededClis }: Pick<Task, 'agentCli' | 'neededClis'>): string | null =>
  agentCli ?? neededClis[0] ?? null

export function taskTable(
  tasks: readonly CostedTask[],
  { now, columns, namesClis: hasSeveral = areSeveral(tasks.map(taskCli)) }: ViewSettings,
): string {
  return table(
    tasks,
    [
      { title: 'ID', cell: (t) => t.id, max: 24 },
      ...(hasSeveral ? [{ title: 'CLI', cell: (t: CostedTask) => taskCli(t), max: 12 }] : []),
      { title: 'STATUS', cell: (t) => statusText(t) },
      { title: 'PRI', cell: (t) => String(t.priority), align: 'right', spare: 4 },
      { title: 'AGE', cell: (t) => age(t.updatedAt, now), align: 'right' },
      {
        title: 'TRIES',
        cell: (t) => (t.attemptCount === 0 ? null : String(t.attemptCount)),
        align: 'right',
        spare: 3,
      },
      { title: 'COST', cell: (t) => dollars(t.costUsd, t.isEstimate ?? false), align: 'right' },
      { title: 'AGENT', cell: (t) => t.agentName ?? t.agentId, max: 16, spare: 2 },
      { title: 'PROJECT', cell: (t) => folderName(t.project ?? t.dir), max: 16, spare: 1 },
      { title: 'TITLE', cell: (t) => t.title, max: 200, flexible: 24 },
    ],
    columns,
  )
}

const folderName = (path: string | null) => (path === null ? null : basename(path) || path)

/** What is known of a task but its parts, then its text, progress and output as they were written. */
/** @param isRecorded  the cost is what the record has of its conversations, not what its runs reported */
export function taskView(
  t: CostedTask,
  {
    now,
    namesClis = false,
    isRecorded = false,
    hasNoCli = false,
    behind = null,
  }: ViewSettings & { isRecorded?: boolean; hasNoCli?: boolean; behind?: string | null },
): string {
  const cost = costText({ costUsd: t.costUsd, isEstimate: t.isEstimate ?? false })
  const facts = fields([
    ['task', t.id],
    ['title', t.title],
    ['status', statusText(t)],
    ['reason', t.reason],
    ['failure', t.failureReason === null ? null : `${t.failureReason}${t.failureClass ? ` (${t.failureClass})` : ''}`],
    ['not before', t.notBefore === null ? null : `${localTime(t.notBefore)}${remaining(t.notBefore, now)}`],
    ['priority', String(t.priority)],
    ['tags', t.tags.join(', ') || null],
    ['type', t.taskType],
    ['project', t.project],
    ['folder', t.dir === t.project ? null : t.dir],
    ['repository', t.repository],
    ['worktree', t.worktree === null ? null : `created from ${t.worktree.base ?? 'HEAD'}`],
    ['agent', assignment(t)],
    ['offered to', t.offeredTo === null ? null : `${t.offeredTo}, until ${localTime(t.offerExpiresAt)}`],
    ['why it waits', behind],
    ['assignment', t.dispatchReason],
    ['agent CLI', cliText(t, hasNoCli, namesClis)],
    ['needs', t.requiredCapabilities.join(', ') || null],
    ['parent', t.parentTaskId === null ? null : `${t.parentTaskId} (${continuity(t)})`],
    ['depends on', t.dependsOn.join(', ') || null],
    ['epic', t.epicId],
    ['issue', t.issueId],
    ['created by', madeBy(t)],
    ['for session', t.sessionId],
    ['conversation', t.claudeSessionId],
    ['limits', limits(t)],
    ['attempts', `${t.attemptCount} so far; ${plural(t.retryPolicy.maximumAttempts, 'try', 'tries')} allowed`],
    ['cost', cost === null ? null : `${cost}${isRecorded ? '' : ', as reported by its runs'}`],
    ['created', when(t.createdAt, now)],
    ['started', when(t.startedAt, now)],
    [
      'finished',
      t.finishedAt === null ? null : `${when(t.finishedAt, now)}${t.finishedBy ? `, by ${t.finishedBy}` : ''}`,
    ],
  ])
  return [
    facts,
    t.task === t.title ? '' : section('text', t.task),
    t.progress === null ? '' : section(`progress, ${ago(t.progressAt ?? t.updatedAt, now)}`, t.progress),
    t.output === null ? '' : section('output', t.output),
  ].join('')
}

/** A titled part of a view; the text keeps its lines. */
export function section(title: string, text: string): string {
  return text === '' ? '' : `\n${title}\n${block(text).trimEnd()}\n`
}

function when(iso: string | null, now: number): string | null {
  return iso === null ? null : `${localTime(iso)} (${ago(iso, now)})`
}

function remaining(iso: string, now: number): string {
  const ms = Date.parse(iso) - now
  return ms > 0 ? ` (in ${duration(ms)})` : ''
}

/** `codex, else claude-code; no online worker has one`. */
function cliText({ agentClis, neededClis, agentCli }: Task, hasNoCli: boolean, namesClis: boolean): string | null {
  const clis = agentClis.length > 0 ? agentClis : neededClis
  if (clis.length === 0) return namesClis ? agentCli : null
  return `${clis.join(', else ')}${hasNoCli ? '; no online worker has one' : ''}`
}

function assignment(t: Task): string | null {
  if (t.agentId === null) return null
  const how = t.assignedBy === null ? '' : ` (by ${t.assignedBy})`
  return `${t.agentName ?? ''} ${t.agentId}${how}`
}

function continuity(t: Task): string {
  if (t.continuity === 'fresh') return 'in a new conversation'
  return t.continueNow ? 'continues it from its last finished turn' : 'continues its conversation'
}

function madeBy(t: Task): string {
  const call = t.spawnedBy === null ? [] : [`in session ${t.spawnedBy.sessionId}`, t.spawnedBy.toolUseId]
  return [t.source, t.creatorAgentId, ...call].filter((part) => part !== null).join(', ')
}

function limits(t: Task): string | null {
  const words = runSettingsInWords(t, {
    text: (text) => text,
    count: plural,
    dollars: (usd) => dollars(usd, false),
    duration,
  })
  return words.join(', ') || null
}

/** What a task depends on; a dependency that is gone has no status. */
export function dependencyTable(
  dependencies: readonly { id: string; status: string | null; title: string | null }[],
  { columns }: ViewSettings,
): string {
  return table(
    dependencies,
    [
      { title: 'ID', cell: (d) => d.id, max: 24 },
      { title: 'STATUS', cell: (d) => d.status ?? 'gone' },
      { title: 'TITLE', cell: (d) => d.title, max: 200, flexible: 16 },
    ],
    columns,
  )
}
