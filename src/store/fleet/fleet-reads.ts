import { sql } from 'kysely'
import type { Fleet, FleetReads } from '../../domain/overview/fleet'
import type { ShownTaskStatus, Wait } from '../../domain/task/task'
import { isoTime, type ReadContext } from '../sql/read-context'
import { listAgents } from '../tasks/reads/agents'
import { listLiveAttempts } from '../tasks/reads/attempts'
import { listTasks } from '../tasks/reads/tasks'
import { HAS_QUESTION } from '../tasks/shown'
import { readHosts } from './hosts'

/** Live attempts that are shown. */
const MOST_LEASES = 1_000
/** Tasks of the queue that are shown. */
const NEXT = 50

/** Reads who works and what waits. */
export function fleetReads(context: ReadContext): FleetReads {
  return {
    async show(now, textLimit) {
      const [hosts, agents, leases, queue] = await Promise.all([
        readHosts(context, now),
        listAgents(context),
        listLiveAttempts(context, MOST_LEASES),
        readQueue(context, textLimit),
      ])
      return { hosts, agents, leases, queue }
    },
  }
}

async function readQueue(context: ReadContext, textLimit: number | undefined): Promise<Fleet['queue']> {
  const { rows } = await sql<{ status: ShownTaskStatus; waiting_for: Wait | null; count: number; oldest: number }>`
    select case when t.offered_to is not null and t.status <> 'in_progress' then 'offered'
                when ${sql.raw(HAS_QUESTION)} = 1 then 'waiting' else t.status end as status,
           case when t.status = 'pending' then t.waiting_for end as waiting_for, count(*) as count, min(t.created_at) as oldest
      from tasks t where t.status in ('backlog', 'unassigned', 'pending', 'in_progress', 'paused') group by 1, 2
  `.execute(context.db)
  const queue: Fleet['queue'] = { byStatus: {}, waitingFor: {}, oldestAt: null, next: [] }
  let oldest = Number.POSITIVE_INFINITY
  for (const row of rows) {
    queue.byStatus[row.status] = (queue.byStatus[row.status] ?? 0) + row.count
    if (row.waiting_for !== null)
      queue.waitingFor[row.waiting_for] = (queue.waitingFor[row.waiting_for] ?? 0) + row.count
    if (QUEUED.includes(row.status)) oldest = Math.min(oldest, row.oldest)
  }
  if (Number.isFinite(oldest)) queue.oldestAt = isoTime(oldest)
  queue.next = (await listTasks(context, { statuses: QUEUED }, { limit: NEXT }, 'queue', textLimit)).rows
  return queue
}

/** To be taken, now or once what they wait for is there. */
const QUEUED: ShownTaskStatus[] = ['unassigned', 'pending', 'offered']
