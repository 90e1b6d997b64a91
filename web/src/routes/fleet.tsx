import { useQuery } from '@tanstack/react-query'
import { PageHead } from '../components/page-head'
import { Loading } from '../components/ui/empty'
import { ErrorCard } from '../components/ui/error-card'
import { Agents } from '../features/fleet/agents'
import { fleetQuery } from '../features/fleet/fleet-query'
import { clockAhead, type Fleet, roomInWords } from '../features/fleet/fleet-words'
import { Hosts } from '../features/fleet/hosts'
import { Leases } from '../features/fleet/leases'
import { Queue } from '../features/fleet/queue'
import { useListCursor } from '../lib/keys/list-cursor'
import { taskPath, useGo } from '../lib/links'

/** Leases shown at most. The list of tasks has the others. */
const MAX_LEASES = 100

/** The workers and their hosts, what they work on, and what is queued. */
export function FleetPage() {
  const { data, error, refetch, dataUpdatedAt } = useQuery(fleetQuery)
  return (
    <>
      <PageHead title="Fleet" {...(data !== undefined && { below: roomInWords(data.agents, Date.parse(data.now)) })} />
      <div data-testid="fleet-page" className="scrolls min-h-0 flex-1">
        {error !== null ? <ErrorCard error={error} onRetry={() => void refetch()} /> : null}
        {data === undefined ? (
          error === null ? (
            <Loading what="Reading the fleet" />
          ) : null
        ) : (
          <Parts fleet={data} ahead={clockAhead(data.now, dataUpdatedAt)} />
        )}
      </div>
    </>
  )
}

function Parts({ fleet, ahead }: { fleet: Fleet; ahead: number }) {
  const { hosts, agents, queue } = fleet
  const leases = fleet.leases.slice(0, MAX_LEASES)
  const tasks = [...leases.map(({ attempt }) => attempt.taskId), ...queue.next.map(({ id }) => id)]
  const go = useGo()
  const cursor = useListCursor({
    count: tasks.length,
    group: 'Fleet',
    onOpen: (at) => {
      const task = tasks[at]
      if (task !== undefined) go(taskPath(task))
    },
  })
  return (
    <div className="flex flex-col gap-3 p-3 md:p-4">
      <Leases leases={leases} total={fleet.leases.length} ahead={ahead} cursor={cursor} />
      <Queue queue={queue} fleet={fleet} cursor={cursor} begin={leases.length} />
      <Agents agents={agents} now={fleet.now} />
      <Hosts hosts={hosts} />
    </div>
  )
}
