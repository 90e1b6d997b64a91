import { useQuery } from '@tanstack/react-query'
import { PageHead } from '../components/page-head'
import { Loading } from '../components/ui/empty'
import { ErrorCard } from '../components/ui/error-card'
import { Agents } from '../features/fleet/agents'
import { fleetQuery } from '../features/fleet/fleet-query'
import { clockAhead, type Fleet, roomInWords } from '../features/fleet/fleet-words'
import { Hosts } from '../features/fleet/hosts'
import type { Lane } from '../features/fleet/lanes/lane-query'
import { lanePath } from '../features/fleet/lanes/lane-words'
import { LanesPanel } from '../features/fleet/lanes/lanes'
import { useLanes } from '../features/fleet/lanes/use-lanes'
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
  const work = useLanes()
  const { hosts, agents, leases, queue } = narrowed(fleet, work.brushed)
  const shown = leases.slice(0, MAX_LEASES)
  const paths = [
    ...work.lanes.map(lanePath),
    ...shown.map(({ attempt }) => taskPath(attempt.taskId)),
    ...queue.next.map(({ id }) => taskPath(id)),
  ]
  const go = useGo()
  const cursor = useListCursor({
    count: paths.length,
    group: 'Fleet',
    onOpen: (at) => {
      const path = paths[at]
      if (path !== undefined) go(path)
    },
  })
  const begin = work.lanes.length
  return (
    <div className="flex flex-col gap-3 p-3 md:p-4">
      <LanesPanel work={work} cursor={cursor} />
      <Leases leases={shown} total={leases.length} ahead={ahead} cursor={cursor} begin={begin} />
      <Queue queue={queue} fleet={fleet} cursor={cursor} begin={begin + shown.length} />
      <Agents agents={agents} now={fleet.now} />
      <Hosts hosts={hosts} />
    </div>
  )
}

/** What is of these lanes; all where none are chosen. What waits has no lane, and stays. */
function narrowed(fleet: Fleet, lanes: readonly Lane[] | null): Fleet {
  if (lanes === null) return fleet
  const tasks = new Set(lanes.map(({ taskId }) => taskId))
  const names = new Set(lanes.map(({ agentName }) => agentName))
  const hosts = new Set(lanes.map(({ host }) => host))
  return {
    ...fleet,
    leases: fleet.leases.filter(({ attempt }) => tasks.has(attempt.taskId)),
    agents: fleet.agents.filter(({ name }) => names.has(name)),
    hosts: fleet.hosts.filter(({ name, hostname }) => hosts.has(name) || hosts.has(hostname)),
  }
}
