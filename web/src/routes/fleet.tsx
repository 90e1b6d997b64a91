import { useQuery } from '@tanstack/react-query'
import { Agents } from '../components/fleet/agents'
import { Hosts } from '../components/fleet/hosts'
import { Leases } from '../components/fleet/leases'
import { Queue } from '../components/fleet/queue'
import { PageHead } from '../components/page-head'
import { Loading } from '../components/ui/empty'
import { ErrorCard } from '../components/ui/error-card'
import { fleetQuery } from '../lib/fleet-query'
import { clockAhead, type Fleet, roomInWords } from '../lib/fleet-words'
import { taskPath, useGo } from '../lib/links'
import { useListCursor } from '../lib/list-cursor'

/** More leases than a person looks through are left to the list of tasks. */
const MOST_LEASES = 100

/** Who works, on which machines, at what and for how long yet; and what waits. */
export function FleetPage() {
  const { data, error, refetch, dataUpdatedAt } = useQuery(fleetQuery)
  return (
    <>
      <PageHead title="Fleet" {...(data !== undefined && { below: roomInWords(data.agents, Date.parse(data.now)) })} />
      <div data-testid="fleet-page" className="scrolls min-h-0 flex-1">
        {error !== null ? <ErrorCard error={error} onRetry={() => void refetch()} /> : null}
        {data === undefined ? (
          error === null ? (
            <Loading what="Looking at who works" />
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
  const leases = fleet.leases.slice(0, MOST_LEASES)
  const tasks = [...leases.map(({ attempt }) => attempt.taskId), ...queue.next.map(({ id }) => id)]
  const go = useGo()
  const cursor = useListCursor({
    count: tasks.length,
    group: 'Tasks of the fleet',
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
