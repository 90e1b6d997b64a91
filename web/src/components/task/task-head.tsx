import { useQuery } from '@tanstack/react-query'
import { fleetQuery } from '../../lib/fleet-query'
import { whyNobody } from '../../lib/fleet-words'
import { issuePath, taskPath } from '../../lib/links'
import type { RecordedCost } from '../../lib/task-costs'
import { taskListPath } from '../../lib/task-list-search'
import type { TaskDetail } from '../../lib/task-queries'
import { folderName } from '../../lib/task-words'
import { withLocalTimes } from '../../lib/time'
import { visibleText } from '../../lib/visible-text'
import { Link } from '../link'
import { PageHead } from '../page-head'
import { AgentText } from '../ui/agent-text'
import { IdChip } from '../ui/id-chip'
import { When } from '../ui/when'
import { TaskActions } from './task-actions'
import { TaskCost } from './task-cost'
import { TaskState } from './task-state'

/** What the task is called, how it stands and why, where it belongs, and what can be done. */
export function TaskHead({ detail, recorded }: { detail: TaskDetail; recorded: RecordedCost | null }) {
  const { task } = detail
  const project = task.project ?? task.dir
  return (
    <>
      <PageHead
        title={visibleText(task.title.slice(0, 200))}
        name={<AgentText text={task.title} className="line-clamp-2" />}
        below={
          <span className="flex flex-wrap gap-x-2 *:flex *:min-h-6 *:items-center *:gap-1">
            <TaskState task={task} />
            <IdChip id={task.id} />
            {project === null ? null : (
              <Link to={taskListPath({ project })} title={visibleText(project)} className="inline-block min-w-6">
                {visibleText(folderName(project))}
              </Link>
            )}
            {task.agentName === null ? null : (
              <Link to={taskListPath({ agent: task.agentName })}>by {visibleText(task.agentName)}</Link>
            )}
            {task.issueId === null ? null : (
              <Link to={issuePath(task.issueId)} className="font-mono text-2xs">
                {task.issueId}
              </Link>
            )}
            {task.parentTaskId === null ? null : (
              <Link to={taskPath(task.parentTaskId)}>
                below <span className="font-mono text-2xs">{task.parentTaskId}</span>
              </Link>
            )}
            <TaskCost recorded={recorded} reported={task.costUsd} />
            <span>
              changed <When at={task.updatedAt} />
            </span>
          </span>
        }
        actions={<TaskActions detail={detail} />}
      />
      <p className="shrink-0 border-b border-line px-4 py-1.5 text-xs text-ink-2 max-md:px-3">
        <WhyQueued task={task} />
        <span className="text-ink-3">because </span>
        <AgentText text={withLocalTimes(task.reason)} />
      </p>
      <output className="sr-only" aria-live="polite">
        The task is {task.status.replaceAll('_', ' ')}.
      </output>
    </>
  )
}

/** Why nobody takes a task that could be taken: its worker is full, offline or lacks something. */
function WhyQueued({ task }: { task: TaskDetail['task'] }) {
  const isQueued = (QUEUED as readonly string[]).includes(task.status) && task.waitingFor === null
  const { data } = useQuery({ ...fleetQuery, enabled: isQueued })
  const why = isQueued && data !== undefined ? whyNobody(task, data) : null
  return why === null ? null : (
    <span data-testid="why-queued" className="mr-2 font-medium text-need">
      {visibleText(why)}
    </span>
  )
}

const QUEUED = ['unassigned', 'offered', 'pending']
