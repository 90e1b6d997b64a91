import { type Lease, RUNG_NAMES } from '../../lib/fleet-words'
import { taskPath } from '../../lib/links'
import type { ListCursor } from '../../lib/list-cursor'
import { lengthOf, useNow } from '../../lib/time'
import { Link } from '../link'
import { type Column, PlainTable } from '../plain-table'
import { AgentLine } from '../ui/agent-text'
import { Empty } from '../ui/empty'
import { IdChip } from '../ui/id-chip'
import { Panel } from '../ui/panel'
import { Status } from '../ui/status'
import { Took } from '../ui/when'
import { cursorAt } from './cursor-at'

const COLUMNS: readonly Column[] = [
  { name: 'Task' },
  { name: 'Try', isNumber: true, from: 'xl', className: 'w-14' },
  { name: 'Agent', from: 'rows', className: 'w-36' },
  { name: 'Machine', from: 'xl', className: 'w-32' },
  { name: 'Conversation', from: 'xl', className: 'w-28' },
  { name: 'Runs', isNumber: true, className: 'w-20' },
  { name: 'Lease', isNumber: true, className: 'w-24' },
]

interface LeasesProps {
  leases: readonly Lease[]
  /** Milliseconds by which the server's clock is ahead. */
  ahead: number
  cursor: ListCursor
  /** How many there are in all. */
  total: number
}

/** Attempts at work, those that lapse first before others. */
export function Leases({ leases, ahead, cursor, total }: LeasesProps) {
  return (
    <Panel title="At work" id="leases" count={total}>
      {leases.length === 0 ? (
        <Empty title="No task is at work." />
      ) : (
        <PlainTable
          label="Live leases"
          columns={COLUMNS}
          testId="lease-row"
          rows={leases.map(({ attempt, title, isWaiting }, at) => ({
            key: attempt.id,
            cursor: cursorAt(cursor, at),
            cells: [
              <span key="task" className="flex min-w-0 items-baseline gap-2">
                <Link to={taskPath(attempt.taskId)} className="min-w-0 flex-1">
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
                  not begun
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
          and {total - leases.length} more,{' '}
          <Link to="/tasks?status=live" className="text-accent underline">
            among the tasks
          </Link>
        </p>
      ) : null}
    </Panel>
  )
}

export const Unknown = () => <span className="whitespace-nowrap text-ink-3">unknown</span>

/** How long its worker has to be heard of again. Heard of, it has the whole lease anew. */
function TimeLeft({ until, ahead }: { until: string | null; ahead: number }) {
  const now = useNow()
  if (until === null) return <Unknown />
  const left = Date.parse(until) - (now + ahead)
  return left > 0 ? (
    <span title="until its worker is taken for lost, unless it is heard of">{lengthOf(left)} left</span>
  ) : (
    <span className="text-lost">lapsed</span>
  )
}
