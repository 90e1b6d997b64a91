import { Link } from '../../components/link'
import { type Column, PlainTable } from '../../components/plain-table'
import { AgentLine } from '../../components/ui/agent-text'
import { Empty } from '../../components/ui/empty'
import { IdChip } from '../../components/ui/id-chip'
import { Panel } from '../../components/ui/panel'
import { Status } from '../../components/ui/status'
import { Took } from '../../components/ui/when'
import type { ListCursor } from '../../lib/keys/list-cursor'
import { taskPath } from '../../lib/links'
import { lengthOf, useNow } from '../../lib/time'
import { cursorAt } from './cursor-at'
import { type Lease, RUNG_NAMES } from './fleet-words'

const COLUMNS: readonly Column[] = [
  { name: 'Task' },
  { name: 'Attempt', isNumber: true, from: 'xl', className: 'w-16' },
  { name: 'Worker', from: 'rows', className: 'w-36' },
  { name: 'Host', from: 'xl', className: 'w-32' },
  { name: 'Conversation', from: 'xl', className: 'w-28' },
  { name: 'Running for', isNumber: true, className: 'w-20' },
  { name: 'Lease', isNumber: true, className: 'w-24' },
]

interface LeasesProps {
  leases: readonly Lease[]
  /** How far the server's clock is ahead, in milliseconds. */
  ahead: number
  cursor: ListCursor
  /** Place of the first lease among the rows of the cursor. */
  begin: number
  /** Number of all live leases. */
  total: number
}

/** Running attempts, those whose lease expires first on top. */
export function Leases({ leases, ahead, cursor, begin, total }: LeasesProps) {
  return (
    <Panel title="Running" id="leases" count={total}>
      {leases.length === 0 ? (
        <Empty title="No tasks are running." />
      ) : (
        <PlainTable
          label="Live leases"
          columns={COLUMNS}
          testId="lease-row"
          rows={leases.map(({ attempt, title, isWaiting }, at) => ({
            key: attempt.id,
            cursor: cursorAt(cursor, begin + at),
            cells: [
              <span key="task" className="flex min-w-0 items-baseline gap-2 max-md:flex-col max-md:items-start">
                <Link to={taskPath(attempt.taskId)} className="min-w-0 flex-1 max-md:max-w-full">
                  <AgentLine text={title} />
                </Link>
                {isWaiting ? <Status status="waiting" /> : null}
                <span className="max-xl:hidden">
                  <IdChip id={attempt.taskId} />
                </span>
              </span>,
              attempt.number,
              <AgentLine key="agent" text={attempt.agentName} />,
              attempt.host === null ? <Unknown key="host" /> : <AgentLine key="host" text={attempt.host} />,
              attempt.conversation === null ? (
                <span key="rung" className="text-ink-3">
                  not started
                </span>
              ) : (
                RUNG_NAMES[attempt.conversation.rung]
              ),
              <Took key="runs" from={attempt.startedAt} to={null} />,
              <TimeLeft key="lease" until={attempt.leaseExpiresAt} ahead={ahead} />,
            ],
          }))}
        />
      )}
      {total > leases.length ? (
        <p className="border-t border-line px-3 py-2 text-xs text-ink-3">
          {total - leases.length} more{' '}
          <Link to="/tasks?status=live" className="text-accent underline">
            in the list of tasks
          </Link>
        </p>
      ) : null}
    </Panel>
  )
}

/** A value that is not known. */
export const Unknown = () => <span className="whitespace-nowrap text-ink-3">unknown</span>

/** How long the lease lasts. Each sign of life of the worker renews it. */
function TimeLeft({ until, ahead }: { until: string | null; ahead: number }) {
  const now = useNow()
  if (until === null) return <Unknown />
  const left = Date.parse(until) - (now + ahead)
  return left > 0 ? (
    <span title="If the worker is not heard from until then, the attempt counts as lost.">{lengthOf(left)} left</span>
  ) : (
    <span className="text-lost">expired</span>
  )
}
