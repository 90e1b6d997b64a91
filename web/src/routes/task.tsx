import { useQueryClient } from '@tanstack/react-query'
import { useLocation, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isAppError } from '../../../src/domain/errors'
import { PageHead } from '../components/page-head'
import { TaskView } from '../components/task/task-view'
import { Empty, Loading } from '../components/ui/empty'
import { ErrorCard } from '../components/ui/error-card'
import { CommandLine } from '../components/ui/id-chip'
import { taskPath, useGo } from '../lib/links'
import { useTask } from '../lib/task-queries'
import { visibleText } from '../lib/visible-text'

/** One task, by its id or a beginning of it. */
export function TaskPage() {
  const { id = '' } = useParams({ strict: false })
  const { data, error, refetch } = useTask(id)
  const go = useGo()
  const queries = useQueryClient()
  const { searchStr } = useLocation()
  const whole = data?.task.id

  // The feed speaks of whole ids, and the address is what one copies.
  useEffect(() => {
    if (whole === undefined || whole === id) return
    queries.setQueryData(['task', whole], data)
    // What was told of it since it was read was told of the whole id alone.
    void queries.invalidateQueries({ queryKey: ['task', whole] })
    go(taskPath(whole) + searchStr, { replace: true })
  }, [whole, id, data, go, queries, searchStr])

  if (data !== undefined) return <TaskView key={data.task.id} detail={data} />
  return (
    <>
      <PageHead title={`Task ${visibleText(id)}`} />
      {error === null ? <Loading what="Reading the task" /> : <Failed error={error} onRetry={() => void refetch()} />}
    </>
  )
}

function Failed({ error, onRetry }: { error: unknown; onRetry(): void }) {
  if (!isAppError(error) || error.code !== 'not_found') return <ErrorCard error={error} onRetry={onRetry} />
  return (
    <Empty title={error.message}>
      <p>Tasks are listed under Tasks, or by</p>
      <CommandLine command="lode task list" />
    </Empty>
  )
}
