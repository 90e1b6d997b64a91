import type { CSSProperties, Ref } from 'react'
import type { Task } from '#domain/task/task'
import { Link } from '../../../components/link'
import { AgentLine } from '../../../components/ui/agent-text'
import { CliName } from '../../../components/ui/cli-name'
import { IdChip } from '../../../components/ui/id-chip'
import { When } from '../../../components/ui/when'
import { issuePath, taskPath } from '../../../lib/links'
import { withLocalTimes } from '../../../lib/time'
import { visibleText } from '../../../lib/visible-text'
import { TaskCost } from '../page/task-cost'
import type { RecordedCost } from '../task-costs'
import { TaskState } from '../task-state'
import { folderName, taskCli } from '../task-words'

/** Grid columns on a wide page; on narrower ones a row has two lines. */
export const TASK_COLUMN_CLASSES =
  'xl:grid xl:grid-cols-[10.25rem_minmax(0,1fr)_6.25rem_5.5rem_5.5rem_5.5rem_3.25rem_4rem_4.75rem] xl:items-center xl:gap-x-3'

interface TaskRowProps {
  task: Task
  recorded: RecordedCost | undefined
  index: number
  isCurrent: boolean
  rowRef: Ref<HTMLDivElement>
  style?: CSSProperties
  onFocus(): void
}

/** A task in the list. */
export function TaskRow({ task, recorded, index, isCurrent, rowRef, style, onFocus }: TaskRowProps) {
  const project = task.project ?? task.dir
  return (
    <div
      ref={rowRef}
      role="row"
      tabIndex={isCurrent ? 0 : -1}
      aria-rowindex={index + 2}
      data-index={index}
      data-testid="task-row"
      onFocus={onFocus}
      style={style}
      className={`${TASK_COLUMN_CLASSES} relative flex min-h-8 flex-wrap items-center gap-x-2 gap-y-0.5 border-b max-xl:[&>:empty]:hidden border-line px-3 text-sm hover:bg-hover focus-visible:outline-offset-[-2px] max-xl:py-1.5 ${isCurrent ? 'row-current' : ''}`}
    >
      <div role="gridcell" className="min-w-0 overflow-hidden">
        <TaskState task={task} />
      </div>
      <div role="gridcell" className="flex min-w-0 items-baseline gap-2 max-xl:order-first max-xl:w-full">
        <Link to={taskPath(task.id)} tabIndex={-1} className="min-w-0 font-medium after:absolute after:inset-0">
          <AgentLine text={task.title} />
        </Link>
        <span className="min-w-0 flex-1 basis-0 text-xs text-ink-3 max-xl:hidden">
          <AgentLine text={withLocalTimes(task.reason)} />
        </span>
      </div>
      <div role="gridcell" className="relative min-w-0">
        <IdChip id={task.id} />
      </div>
      <div
        role="gridcell"
        className="min-w-0 text-xs text-ink-2"
        title={project === null ? undefined : visibleText(project)}
      >
        {project === null ? null : <AgentLine text={folderName(project)} />}
      </div>
      <div role="gridcell" className="min-w-0 text-xs text-ink-2">
        {task.agentName === null ? null : <AgentLine text={task.agentName} />}
        <CliName name={taskCli(task)} className="text-2xs text-ink-3" />
      </div>
      <div role="gridcell" className="relative min-w-0 text-xs">
        {task.issueId === null ? null : (
          <Link to={issuePath(task.issueId)} className="block truncate font-mono text-2xs text-ink-2">
            {task.issueId}
          </Link>
        )}
      </div>
      <div role="gridcell" className="text-right text-xs text-ink-2 max-sm:hidden">
        {task.attemptCount === 0 ? null : (
          <>
            {task.attemptCount}
            <span className="xl:sr-only"> {task.attemptCount === 1 ? 'attempt' : 'attempts'}</span>
          </>
        )}
      </div>
      <div role="gridcell" className="text-right text-xs text-ink-2">
        <TaskCost recorded={recorded} reported={task.costUsd} />
      </div>
      <div role="gridcell" className="text-right text-xs text-ink-3 max-xl:ml-auto">
        <When at={task.updatedAt} />
      </div>
    </div>
  )
}

/** The header of the list. */
export function TaskColumns() {
  const names = ['Status', 'Title', 'ID', 'Project', 'Worker', 'Issue', 'Attempts', 'Cost', 'Updated']
  return (
    <div
      role="row"
      aria-rowindex={1}
      className={`${TASK_COLUMN_CLASSES} h-7 shrink-0 border-b border-line px-3 text-2xs font-medium text-ink-3 max-xl:sr-only`}
    >
      {names.map((name, at) => (
        <div key={name} role="columnheader" className={at > 5 ? 'text-right' : ''}>
          {name}
        </div>
      ))}
    </div>
  )
}
