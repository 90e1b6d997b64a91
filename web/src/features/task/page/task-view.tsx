import { useSearch } from '@tanstack/react-router'
import { taskPath, useGo } from '../../../lib/links'
import type { Search } from '../../../lib/search'
import { LiveOutput } from '../../session/live/live-output'
import { useTaskCosts } from '../task-costs'
import { type TaskDetail, useRelated } from '../task-queries'
import { TaskAttempts } from './task-attempts'
import { TaskFacts } from './task-facts'
import { nearestOf, TaskFamily } from './task-family'
import { TaskHead } from './task-head'
import { TaskLog } from './task-log'
import { TaskMessages } from './task-messages'
import { parseNewTaskSearch, parseTaskPageSearch, type TaskPageSearch, writeTaskPageSearch } from './task-page-search'
import { TaskQuestions } from './task-questions'
import { TaskStory } from './task-story'
import { TaskTodos } from './task-todos'
import { TaskWork } from './task-work'

/** The page of a task: facts at the left and the log at the right, or below each other on narrow pages. */
export function TaskView({ detail }: { detail: TaskDetail }) {
  const { task, attempts, questions, todos } = detail
  const words: Search = useSearch({ strict: false })
  const search = parseTaskPageSearch(words)
  const costs = useTaskCosts(nearestOf({ task, ...useRelated(detail) }))
  const recorded = costs === undefined ? detail.recorded : (costs.get(task.id) ?? null)
  const go = useGo()
  const show = (change: { [Name in keyof TaskPageSearch]: TaskPageSearch[Name] | undefined }) => {
    const { log, tree } = { ...search, ...change }
    const shown = { ...(log !== undefined && { log }), ...(tree !== undefined && { tree }) }
    go(taskPath(task.id) + writeTaskPageSearch(shown, parseNewTaskSearch(words)), { replace: true })
  }
  return (
    <div data-testid="task-page" data-task={task.id} className="flex min-h-0 flex-1 flex-col max-lg:scrolls">
      <TaskHead detail={detail} recorded={recorded} />
      <div className="min-h-0 lg:grid lg:flex-1 lg:grid-cols-[minmax(0,11fr)_minmax(0,9fr)]">
        <div className="lg:scrolls">
          <TaskQuestions questions={questions} />
          <TaskStory task={task} />
          <TaskTodos todos={todos} sessionId={task.claudeSessionId} />
          <TaskAttempts attempts={attempts} />
          {attempts.some(({ branch }) => branch !== null) ? <TaskWork task={task} attempts={attempts} /> : null}
          <TaskFamily
            detail={detail}
            costs={costs}
            isTree={search.tree === true}
            onTree={(isTree) => show({ tree: isTree ? true : undefined })}
          />
          <TaskMessages id={task.id} isLive={attempts.some(({ isLive }) => isLive)} />
          <TaskFacts detail={detail} recorded={recorded} />
        </div>
        <div className="border-line max-lg:border-t lg:min-h-0 lg:border-l">
          <TaskLog
            id={task.id}
            attempts={attempts}
            view={search.log}
            onView={(log) => show({ log })}
            foot={<LiveOutput id={task.claudeSessionId} isOn={attempts.some(({ isLive }) => isLive)} />}
          />
        </div>
      </div>
    </div>
  )
}
