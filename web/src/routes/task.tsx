import { useParams } from '@tanstack/react-router'
import { isAppError } from '../../../src/domain/errors'
import { PageHead } from '../components/page-head'
import { TaskView } from '../components/task/task-view'
import { Empty, Loading } from '../components/ui/empty'
import { ErrorCard } from '../components/ui/error-card'
import { CommandLine } from '../components/ui/id-chip'
import { taskPath } from '../lib/links'
import { useTask } from '../lib/task-queries'
import { visibleText } from '../lib/visible-text'
import { useWholeAddress } from '../lib/whole-address'

/** One task, by its id or a beginning of it. */
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
      <p>Tasks are listed under Tasks, or by</p>
      <CommandLine command="lode task list" />
    </Empty>
  )
}
