import type { ReactNode } from 'react'
import type { Task } from '#domain/task/task'
import { runSettingsInWords } from '#domain/task/task-fields'
import { Link } from '../../../components/link'
import { IdChip } from '../../../components/ui/id-chip'
import { Money } from '../../../components/ui/money'
import { Status } from '../../../components/ui/status'
import { When } from '../../../components/ui/when'
import { counted, dollars, shortCount, tokensInWords, tokensOf } from '../../../lib/format'
import { issuePath, sessionPath, taskPath } from '../../../lib/links'
import { lengthOf } from '../../../lib/time'
import { visibleText } from '../../../lib/visible-text'
import { taskCostInWords } from '../../costs/cost-words'
import type { RecordedCost } from '../task-costs'
import type { TaskDetail } from '../task-queries'
import { cliWords, continuityWords, retryWords } from '../task-words'
import { Section } from './section'

/** All other facts of a task. */
export function TaskFacts({ detail, recorded }: { detail: TaskDetail; recorded: RecordedCost | null }) {
  const rows = Object.entries(factsOf(detail, recorded)).filter(([, value]) => value !== null && value !== '')
  return (
    <Section title="Details">
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1 text-xs">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-3 first-letter:uppercase">{name}</dt>
            <dd className="min-w-0">{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}

/** Facts by name, in display order. Null and empty ones are omitted. */
function factsOf(
  { task, session, behind, lacksCli }: TaskDetail,
  recorded: RecordedCost | null,
): Record<string, ReactNode> {
  const seen = (text: string | null) => (text === null ? null : visibleText(text))
  return {
    priority: String(task.priority),
    tags: seen(task.tags.join(', ')),
    type: seen(task.taskType),
    project: seen(task.project),
    folder: task.dir === task.project ? null : seen(task.dir),
    worktree: task.worktree === null ? null : `separate, from ${visibleText(task.worktree.base ?? 'HEAD')}`,
    'assigned to': task.agentId === null ? null : <Agent task={task} />,
    specialist: seen(task.specialist),
    'offered to':
      task.offeredTo === null ? null : (
        <>
          <IdChip id={task.offeredTo} /> {task.offerExpiresAt === null ? null : <When at={task.offerExpiresAt} />}
        </>
      ),
    'why it waits': seen(behind),
    dispatch: seen(task.dispatchReason),
    'agent CLI': seen(cliWords(task, lacksCli)),
    capabilities: seen(task.requiredCapabilities.join(', ')),
    parent:
      task.parentTaskId === null ? null : (
        <>
          <Id to={taskPath(task.parentTaskId)} id={task.parentTaskId} /> {continuityWords(task)}
        </>
      ),
    'start after': task.notBefore === null ? null : <When at={task.notBefore} />,
    issue: task.issueId === null ? null : <Id to={issuePath(task.issueId)} id={task.issueId} />,
    epic: task.epicId === null ? null : <Id to={issuePath(task.epicId)} id={task.epicId} />,
    plan:
      task.planId === null ? null : `${task.planId}${task.planKey === null ? '' : ` as ${visibleText(task.planKey)}`}`,
    'created by': madeBy(task),
    session: task.sessionId === null ? null : <Id to={sessionPath(task.sessionId)} id={task.sessionId} />,
    conversation:
      task.claudeSessionId === null ? null : (
        <span className="flex flex-wrap items-center gap-x-2">
          <Id to={sessionPath(task.claudeSessionId)} id={task.claudeSessionId} />
          {session === null ? null : <Status status={session.status} evidence={session.statusEvidence} />}
          {session === null ? null : (
            <span className="text-ink-3" title={tokensInWords(session.usage)}>
              {shortCount(tokensOf(session.usage))} tokens, <Money cost={session} />
            </span>
          )}
        </span>
      ),
    limits: limits(task),
    attempts: `${task.attemptCount} so far; ${retryWords(task)}`,
    cost: taskCostInWords(recorded, task.costUsd),
    created: <When at={task.createdAt} />,
    started: task.startedAt === null ? null : <When at={task.startedAt} />,
    finished:
      task.finishedAt === null ? null : (
        <>
          <When at={task.finishedAt} />
          {task.finishedBy === null ? null : `, by ${task.finishedBy}`}
        </>
      ),
  }
}

/** A link to the thing, and its ID to copy. */
const Id = ({ to, id }: { to: string; id: string }) => (
  <span className="inline-flex items-baseline gap-1">
    <Link to={to} className="text-accent underline underline-offset-2">
      open
    </Link>
    <IdChip id={id} />
  </span>
)

function Agent({ task }: { task: Task }) {
  return (
    <>
      {visibleText(task.agentName ?? '')} {task.agentId === null ? null : <IdChip id={task.agentId} />}
      {task.assignedBy === null ? null : <span className="text-ink-3"> by {task.assignedBy}</span>}
    </>
  )
}

function madeBy(task: Task): ReactNode {
  return (
    <span className="flex flex-wrap items-baseline gap-x-1.5">
      {visibleText(task.source)}
      {task.creatorAgentId === null ? null : <IdChip id={task.creatorAgentId} />}
      {task.spawnedBy === null ? null : (
        <>
          <span className="text-ink-3">in session</span>
          <Id to={sessionPath(task.spawnedBy.sessionId)} id={task.spawnedBy.sessionId} />
          {task.spawnedBy.toolUseId === null ? null : <IdChip id={task.spawnedBy.toolUseId} />}
        </>
      )}
    </span>
  )
}

function limits(task: Task): string {
  const write = { text: visibleText, count: counted, dollars: (usd: number) => dollars(usd, false), duration: lengthOf }
  return runSettingsInWords(task, write).join(', ')
}
