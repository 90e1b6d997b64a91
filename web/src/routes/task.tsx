import { useParams } from '@tanstack/react-router'
import { isAppError } from '#domain/errors'
import { PageHead } from '../components/page-head'
import { Empty, Loading } from '../components/ui/empty'
import { ErrorCard } from '../components/ui/error-card'
import { CommandLine } from '../components/ui/id-chip'
import { TaskView } from '../features/task/page/task-view'
import { useTask } from '../features/task/task-queries'
import { taskPath } from '../lib/links'
import { visibleText } from '../lib/visible-text'
import { useWholeAddress } from '../lib/whole-address'

/** One task, by its ID or a unique prefix of it. */
export function TaskPage() {
  const { id = '' } = useParams({ strict: false })
  const { data, error, refetch } = useTask(id)
  useWholeAddress(id, data?.task.id, taskPath)

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
      <p>See all tasks on the Tasks page, or run:</p>
      <CommandLine command="lode task list" />
    </Empty>
  )
}
