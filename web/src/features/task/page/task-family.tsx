import { useMemo } from 'react'
import type { TaskId } from '#domain/ids'
import type { Task, TaskNode } from '#domain/task/task'
import { Link } from '../../../components/link'
import { AgentLine } from '../../../components/ui/agent-text'
import { ErrorLine } from '../../../components/ui/error-card'
import { IdChip } from '../../../components/ui/id-chip'
import { Status } from '../../../components/ui/status'
import { When } from '../../../components/ui/when'
import { taskPath } from '../../../lib/links'
import { taskListPath } from '../list/task-list-search'
import { type RecordedCost, type TaskCosts, useTaskCosts } from '../task-costs'
import { type TaskDetail, useRelated, useTask, useTaskTree } from '../task-queries'
import { TaskState } from '../task-state'
import { continuityWords } from '../task-words'
import { Section } from './section'
import { TaskCost } from './task-cost'

/** Rows of a list within the page at most; the list of tasks has the others. */
const MAX_SHOWN = 50
/** Rows of the tree at most. */
const MAX_TREE_SHOWN = 200

/** IDs of the task and of the related tasks whose costs the page shows. */
export const nearestOf = ({ task, children }: Pick<TaskDetail, 'task' | 'children'>): TaskId[] => [
  task.id,
  ...(task.parentTaskId === null ? [] : [task.parentTaskId]),
  ...children.slice(0, MAX_SHOWN).map(({ id }) => id),
]

interface TaskFamilyProps {
  detail: TaskDetail
  /** Costs of the tasks of `nearestOf`; `undefined` until they are loaded. */
  costs: TaskCosts | undefined
  isTree: boolean
  onTree(isTree: boolean): void
}

/** The parent, children and dependencies of a task. */
export function TaskFamily({ detail, costs, isTree, onTree }: TaskFamilyProps) {
  const { task } = detail
  const { children, dependencies } = useRelated(detail)
  const hasFamily = task.parentTaskId !== null || children.length > 0
  return (
    <>
      {hasFamily ? (
        <Section
          title="Parent and children"
          aside={
            <button
              type="button"
              aria-pressed={isTree}
              onClick={() => onTree(!isTree)}
              className="rounded-sm px-1 text-xs text-accent underline underline-offset-2 max-md:min-h-9"
            >
              {isTree ? 'Show as a list' : 'Show as a tree'}
            </button>
          }
        >
          {isTree ? <Tree task={task} /> : <Nearest task={task} tasks={children} costs={costs} />}
        </Section>
      ) : null}
      {dependencies.length === 0 ? null : (
        <Section
          title="Depends on"
          count={dependencies.length}
          aside={
            <span className="text-2xs text-ink-3">
              if one fails: {task.onDependencyFailure === 'fail' ? 'fail too' : 'wait for its retry'}
            </span>
          }
        >
          <ul>
            {dependencies.slice(0, MAX_SHOWN).map(({ id, status, title }) => (
              <li key={id} className="flex min-h-7 items-center gap-2 text-sm max-md:min-h-9 [&_button]:h-6">
                {status === null ? <Status status="gone" /> : <Status status={status} />}
                <Link to={taskPath(id)} className="min-w-0 flex-1 leading-6">
                  <AgentLine text={title ?? id} />
                </Link>
                <IdChip id={id} />
              </li>
            ))}
          </ul>
          {dependencies.length > MAX_SHOWN ? (
            <p className="text-xs text-ink-3">{dependencies.length - MAX_SHOWN} more</p>
          ) : null}
        </Section>
      )}
    </>
  )
}

function Nearest({ task, tasks, costs }: { task: Task; tasks: readonly Task[]; costs: TaskCosts | undefined }) {
  const parent = useTask(task.parentTaskId ?? task.id).data?.task
  return (
    <>
      {task.parentTaskId === null ? null : (
        <div className="pb-1">
          {parent === undefined || parent.id === task.id ? (
            <Link to={taskPath(task.parentTaskId)} className="font-mono text-xs">
              {task.parentTaskId}
            </Link>
          ) : (
            <FamilyRow
              task={parent}
              recorded={costs?.get(parent.id)}
              level={0}
              note={`parent; this task ${continuityWords(task)}`}
            />
          )}
        </div>
      )}
      {tasks.length === 0 ? null : (
        <ul aria-label="Children">
          {tasks.slice(0, MAX_SHOWN).map((child) => (
            <li key={child.id}>
              <FamilyRow
                task={child}
                recorded={costs?.get(child.id)}
                level={task.parentTaskId === null ? 0 : 1}
                note={continuityNote(child)}
              />
            </li>
          ))}
        </ul>
      )}
      {tasks.length > MAX_SHOWN ? (
        <Link to={taskListPath({ parent: task.id })} className="text-xs text-accent underline underline-offset-2">
          All {tasks.length.toLocaleString('en')} children
        </Link>
      ) : null}
    </>
  )
}

const continuityNote = ({ parentTaskId, continuity }: Task): string =>
  parentTaskId !== null && continuity === 'fresh' ? 'new conversation' : ''

/** The tree below the parent, or below the task if it has none. */
function Tree({ task }: { task: Task }) {
  const { data, error } = useTaskTree(task.parentTaskId ?? task.id, true)
  const rows = useMemo(() => (data === undefined ? [] : flat(data.tree)), [data])
  const costs = useTaskCosts(rows.map(({ node }) => node.task.id))
  if (data === undefined)
    return error === null ? <p className="text-xs text-ink-3">Reading the tree …</p> : <ErrorLine error={error} />
  return (
    <>
      <ul aria-label="Task tree">
        {rows.slice(0, MAX_TREE_SHOWN).map(({ node, level }) => (
          <li key={node.task.id} aria-current={node.task.id === task.id ? 'true' : undefined}>
            <FamilyRow
              task={node.task}
              recorded={costs?.get(node.task.id)}
              level={level}
              note={continuityNote(node.task)}
              isSelf={node.task.id === task.id}
            />
          </li>
        ))}
      </ul>
      {rows.length > MAX_TREE_SHOWN || data.isCut ? (
        <p className="text-xs text-ink-3">
          Showing the first {Math.min(rows.length, MAX_TREE_SHOWN)} of {rows.length.toLocaleString('en')}
          {data.isCut ? ' and more' : ''}.
        </p>
      ) : null}
    </>
  )
}

/** Flattens a tree depth first. It uses an explicit stack, because a tree may be deeper than the call stack allows. */
function flat(root: TaskNode): { node: TaskNode; level: number }[] {
  const rows: { node: TaskNode; level: number }[] = []
  const stack = [{ node: root, level: 0 }]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    rows.push(next)
    const level = next.level + 1
    stack.push(...next.node.children.map((node) => ({ node, level })).reverse())
  }
  return rows
}

interface FamilyRowProps {
  task: Task
  recorded: RecordedCost | undefined
  level: number
  note: string
  isSelf?: boolean
}

function FamilyRow({ task, recorded, level, note, isSelf = false }: FamilyRowProps) {
  return (
    <div
      className={`flex min-h-7 flex-wrap items-center gap-x-2 text-sm max-md:min-h-9 md:flex-nowrap ${isSelf ? 'row-current' : ''}`}
      style={{ paddingLeft: `${Math.min(level, 12)}rem` }}
    >
      <TaskState task={task} />
      <Link to={taskPath(task.id)} className="min-w-0 flex-1 basis-40 leading-6">
        <AgentLine text={task.title} />
      </Link>
      <span className="flex min-w-0 items-center gap-2 whitespace-nowrap text-xs text-ink-3 [&_button]:h-6">
        {note === '' ? null : <span className="truncate max-xl:hidden">{note}</span>}
        <IdChip id={task.id} />
        <TaskCost recorded={recorded} reported={task.costUsd} />
        <When at={task.updatedAt} />
      </span>
    </div>
  )
}
