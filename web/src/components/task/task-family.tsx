import { useMemo } from 'react'
import type { TaskId } from '../../../../src/domain/ids'
import type { Task, TaskNode } from '../../../../src/domain/task'
import { taskPath } from '../../lib/links'
import { type RecordedCost, type TaskCosts, useTaskCosts } from '../../lib/task-costs'
import { taskListPath } from '../../lib/task-list-search'
import { type TaskDetail, useRelated, useTask, useTaskTree } from '../../lib/task-queries'
import { continuityWords } from '../../lib/task-words'
import { Link } from '../link'
import { AgentLine } from '../ui/agent-text'
import { ErrorLine } from '../ui/error-card'
import { IdChip } from '../ui/id-chip'
import { Status } from '../ui/status'
import { When } from '../ui/when'
import { Section } from './section'
import { TaskCost } from './task-cost'
import { TaskState } from './task-state'

/** Rows of a list within the page; more are a list of their own. */
const SHOWN = 50

/** The task and those of its family whose rows stand on the page: whose costs are shown. */
export const nearestOf = ({ task, children }: Pick<TaskDetail, 'task' | 'children'>): TaskId[] => [
  task.id,
  ...(task.parentTaskId === null ? [] : [task.parentTaskId]),
  ...children.slice(0, SHOWN).map(({ id }) => id),
]

interface TaskFamilyProps {
  detail: TaskDetail
  /** Of `nearestOf`; `undefined` until they are known. */
  costs: TaskCosts | undefined
  isTree: boolean
  onTree(isTree: boolean): void
}

/** The task that it follows up, its children, and what it depends on. */
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
              {isTree ? 'only the nearest' : 'as a tree'}
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
              when one fails: {task.onDependencyFailure === 'fail' ? 'fails too' : 'waits for its retry'}
            </span>
          }
        >
          <ul>
            {dependencies.slice(0, SHOWN).map(({ id, status, title }) => (
              <li key={id} className="flex min-h-7 items-center gap-2 text-sm max-md:min-h-9 [&_button]:h-6">
                {status === null ? <Status status="gone" /> : <Status status={status} />}
                <Link to={taskPath(id)} className="min-w-0 flex-1 leading-6">
                  <AgentLine text={title ?? id} />
                </Link>
                <IdChip id={id} />
              </li>
            ))}
          </ul>
          {dependencies.length > SHOWN ? (
            <p className="text-xs text-ink-3">and {dependencies.length - SHOWN} more</p>
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
          {tasks.slice(0, SHOWN).map((child) => (
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
      {tasks.length > SHOWN ? (
        <Link to={taskListPath({ parent: task.id })} className="text-xs text-accent underline underline-offset-2">
          All {tasks.length.toLocaleString('en')} children
        </Link>
      ) : null}
    </>
  )
}

const continuityNote = ({ parentTaskId, continuity }: Task): string =>
  parentTaskId !== null && continuity === 'fresh' ? 'new conversation' : ''

/** Its parent (or itself) with all that is below, the first rows of it. */
function Tree({ task }: { task: Task }) {
  const { data, error } = useTaskTree(task.parentTaskId ?? task.id, true)
  const rows = useMemo(() => (data === undefined ? [] : flat(data.tree)), [data])
  const costs = useTaskCosts(rows.map(({ node }) => node.task.id))
  if (data === undefined)
    return error === null ? <p className="text-xs text-ink-3">Reading …</p> : <ErrorLine error={error} />
  return (
    <>
      <ul aria-label="All of it">
        {rows.slice(0, SHOWN * 4).map(({ node, level }) => (
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
      {rows.length > SHOWN * 4 || data.isCut ? (
        <p className="text-xs text-ink-3">
          These are the first {Math.min(rows.length, SHOWN * 4)} of {rows.length.toLocaleString('en')}
          {data.isCut ? ' and more' : ''}.
        </p>
      ) : null}
    </>
  )
}

/** Each before its children, with a stack of our own: a tree may be deeper than the engine's call stack would bear. */
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
