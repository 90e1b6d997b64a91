import { useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { PageHead } from '../components/page-head'
import { SavedViews, viewProject } from '../components/saved-views'
import { Button } from '../components/ui/button'
import { Empty, Loading } from '../components/ui/empty'
import { ErrorCard } from '../components/ui/error-card'
import { CommandLine } from '../components/ui/id-chip'
import { KeyHint } from '../components/ui/key-hint'
import { useNewTask } from '../features/task/form/new-task-place'
import { TaskFilters } from '../features/task/list/task-filters'
import { parseTaskListSearch, taskListPath } from '../features/task/list/task-list-search'
import { TaskTable } from '../features/task/list/task-table'
import { countTasks, useTaskList } from '../features/task/task-queries'
import { useGo } from '../lib/links'
import { parseSearch, type Search } from '../lib/search'

/** All tasks, filtered by the address. */
export function TasksPage() {
  const words: Search = useSearch({ strict: false })
  const search = useMemo(() => parseTaskListSearch(words), [words])
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useTaskList(search)
  const go = useGo()
  const dialog = useNewTask({ keys: 'n', label: 'new task', folder: search.project })
  const tasks = useMemo(() => data?.pages.flatMap((page) => page.tasks) ?? [], [data])
  const projects = useMemo(() => tasks.flatMap(({ project }) => (project === null ? [] : [project])), [tasks])
  const more = useCallback(() => void fetchNextPage(), [fetchNextPage])
  return (
    <>
      <PageHead
        title="Tasks"
        actions={
          <>
            <SavedViews
              list="tasks"
              search={taskListPath(search).slice('/tasks'.length)}
              count={countTasks}
              project={viewProject(search.project)}
              onOpen={(wanted) => go(taskListPath(parseTaskListSearch(parseSearch(wanted))), { replace: true })}
            />
            <Button act="tasks.create" look="main" icon={<Plus aria-hidden size={14} />} onClick={() => dialog.open()}>
              New task <KeyHint keys="n" />
            </Button>
          </>
        }
      />
      <TaskFilters search={search} projects={projects} onChange={(next) => go(taskListPath(next), { replace: true })} />
      {error !== null && data === undefined ? <ErrorCard error={error} onRetry={() => void refetch()} /> : null}
      {data === undefined && error === null ? <Loading what="Reading tasks" /> : null}
      {data === undefined ? null : tasks.length === 0 ? (
        <NoTasks isNarrowed={Object.keys(search).length > 0} />
      ) : (
        <TaskTable tasks={tasks} hasMore={hasNextPage} isAsking={isFetchingNextPage} onMore={more} />
      )}
      {dialog.element}
    </>
  )
}

function NoTasks({ isNarrowed }: { isNarrowed: boolean }) {
  if (isNarrowed)
    return (
      <Empty title="No tasks match these filters.">
        <p>Remove a filter to see more.</p>
      </Empty>
    )
  return (
    <Empty title="No tasks yet.">
      <p>
        A task is work that a worker gives to an agent. Press <b>n</b> to create one, or run this in the project's
        folder:
      </p>
      <CommandLine command="lode task create 'Fix the failing tests'" />
    </Empty>
  )
}
