import { useQuery } from '@tanstack/react-query'
import { Link } from '../../../components/link'
import { PageHead } from '../../../components/page-head'
import { AgentText } from '../../../components/ui/agent-text'
import { IdChip } from '../../../components/ui/id-chip'
import { When } from '../../../components/ui/when'
import { issuePath, taskPath } from '../../../lib/links'
import { withLocalTimes } from '../../../lib/time'
import { visibleText } from '../../../lib/visible-text'
import { fleetQuery } from '../../fleet/fleet-query'
import { whyNobody } from '../../fleet/fleet-words'
import { taskListPath } from '../list/task-list-search'
import type { RecordedCost } from '../task-costs'
import type { TaskDetail } from '../task-queries'
import { TaskState } from '../task-state'
import { folderName } from '../task-words'
import { TaskActions } from './task-actions'
import { TaskCost } from './task-cost'

/** The header of a task: title, status with its reason, links and actions. */
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
                child of <span className="font-mono text-2xs">{task.parentTaskId}</span>
              </Link>
            )}
            <TaskCost recorded={recorded} reported={task.costUsd} />
            <span>
              updated <When at={task.updatedAt} />
            </span>
          </span>
        }
        actions={<TaskActions detail={detail} />}
      />
      <p className="shrink-0 border-b border-line px-4 py-1.5 text-xs text-ink-2 max-md:px-3">
        <WhyQueued task={task} />
        <span className="text-ink-3">Reason: </span>
        <AgentText text={withLocalTimes(task.reason)} />
      </p>
      <output className="sr-only" aria-live="polite">
        The task is {task.status.replaceAll('_', ' ')}.
      </output>
    </>
  )
}

/** Why no worker takes a queued task: all are full, offline or lack a capability. */
function WhyQueued({ task }: { task: TaskDetail['task'] }) {
  const isQueued = (QUEUED_STATUSES as readonly string[]).includes(task.status) && task.waitingFor === null
  const { data } = useQuery({ ...fleetQuery, enabled: isQueued })
  const why = isQueued && data !== undefined ? whyNobody(task, data) : null
  return why === null ? null : (
    <span data-testid="why-queued" className="mr-2 font-medium text-need">
      {visibleText(why.slice(0, 1).toUpperCase() + why.slice(1))}.
    </span>
  )
}

/** Statuses in which a worker may take a task. */
const QUEUED_STATUSES = ['unassigned', 'offered', 'pending']
