import type { ShownTaskStatus } from '#domain/task/task'
import { Link } from '../../components/link'
import { type Column, PlainTable } from '../../components/plain-table'
import { AgentLine } from '../../components/ui/agent-text'
import { Empty } from '../../components/ui/empty'
import { CommandLine, IdChip } from '../../components/ui/id-chip'
import { Panel } from '../../components/ui/panel'
import { Status, statusWord } from '../../components/ui/status'
import { When } from '../../components/ui/when'
import type { ListCursor } from '../../lib/keys/list-cursor'
import { taskPath } from '../../lib/links'
import { withLocalTimes } from '../../lib/time'
import { visibleText } from '../../lib/visible-text'
import { taskListPath } from '../task/list/task-list-search'
import { TaskState } from '../task/task-state'
import { cursorAt } from './cursor-at'
import { type Fleet, waitsInWords, whyNobody } from './fleet-words'

const COLUMNS: readonly Column[] = [
  { name: 'No.', isNumber: true, className: 'w-10' },
  { name: 'Task' },
  { name: 'Status', className: 'w-44 max-rows:w-28' },
  { name: 'Reason', from: 'rows', className: 'w-[36%]' },
  { name: 'Priority', isNumber: true, from: 'xl', className: 'w-16' },
  { name: 'Created', isNumber: true, from: 'xl', className: 'w-24' },
]

/** Statuses in display order: first those that a worker may take. */
const QUEUE_STATUSES: readonly ShownTaskStatus[] = ['waiting', 'unassigned', 'offered', 'pending', 'paused', 'backlog']

interface QueueProps {
  queue: Fleet['queue']
  fleet: Pick<Fleet, 'agents' | 'leases'>
  cursor: ListCursor
  /** Index of the first row for the cursor, which spans several tables. */
  begin: number
}

/** The queued tasks: how many wait for what, and which come next and why. */
export function Queue({ queue, fleet, cursor, begin }: QueueProps) {
  const { next, byStatus, waitingFor, oldestAt } = queue
  const waits = waitsInWords(waitingFor)
  const statuses = QUEUE_STATUSES.filter((status) => (byStatus[status] ?? 0) > 0)
  return (
    <Panel
      title="Queue"
      id="queue"
      aside={
        <Link to={taskListPath({ order: 'queue' })} className="text-xs text-accent underline">
          show all
        </Link>
      }
    >
      {statuses.length === 0 ? (
        <Empty title="The queue is empty.">
          <p>Create a task on the Tasks page, or run this in the project's folder:</p>
          <CommandLine command="lode task create 'Fix the failing tests'" />
        </Empty>
      ) : (
        <p className="flex flex-wrap gap-x-3 gap-y-0.5 px-3 py-2 text-xs text-ink-2">
          {statuses.map((status) => (
            <span key={status}>
              <b className="font-semibold text-ink">{byStatus[status]}</b> {statusWord(status)}
              {status === 'pending' && waits !== '' ? <span className="text-ink-3"> ({waits})</span> : null}
            </span>
          ))}
          {oldestAt === null ? null : (
            <span className="text-ink-3">
              the oldest was created <When at={oldestAt} />
            </span>
          )}
        </p>
      )}
      {next.length === 0 ? null : (
        <PlainTable
          label="Next tasks"
          columns={COLUMNS}
          testId="queue-row"
          rows={next.map((task, at) => {
            const why = (
              <Why key="why" reason={task.reason} nobody={task.waitingFor === null ? whyNobody(task, fleet) : null} />
            )
            return {
              key: task.id,
              cursor: cursorAt(cursor, begin + at),
              cells: [
                <span key="place" className="text-ink-3">
                  {at + 1}
                </span>,
                <span key="task" className="flex min-w-0 flex-wrap items-baseline gap-x-2">
                  <Link to={taskPath(task.id)} className="min-w-0 flex-1 max-rows:basis-full">
                    <AgentLine text={task.title} />
                  </Link>
                  <span className="max-xl:hidden">
                    <IdChip id={task.id} />
                  </span>
                  <span className="min-w-0 rows:hidden">{why}</span>
                </span>,
                <span key="state">
                  <span className="max-rows:hidden">
                    <TaskState task={task} />
                  </span>
                  <span className="rows:hidden">
                    <Status status={task.status} evidence={task.reason} />
                  </span>
                </span>,
                why,
                task.priority,
                <When key="at" at={task.createdAt} className="text-xs text-ink-3" />,
              ],
            }
          })}
        />
      )}
    </Panel>
  )
}

/** The task's reason by the server, and why no online worker can take it. */
function Why({ reason, nobody }: { reason: string; nobody: string | null }) {
  return (
    <span className="text-xs text-ink-3">
      {nobody === null ? null : <span className="block font-medium text-need">{visibleText(nobody)}</span>}
      <AgentLine text={withLocalTimes(reason)} />
    </span>
  )
}
