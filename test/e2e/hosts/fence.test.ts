/** A task has one live run at most, whatever the network, the servers and the workers do: told by what the runs themselves do. */
import { afterEach, describe, expect, test } from 'bun:test'
import { processesOf } from '../tasks/attempt-processes'
import { Hosts, newPort, type Program, WAY } from './hosts'
import type { TestProxy } from './proxy'
import { expectNoOverlap, twoWorkers } from './two-workers'

let hosts: Hosts | undefined
afterEach(async () => {
  await hosts?.stop()
  hosts = undefined
})

const LEASE = 5

describe('a task has one live run, on machines that do not see each other,', () => {
  const faults: [string, (way: TestProxy, first: Program) => unknown, (way: TestProxy, first: Program) => unknown][] = [
    [
      'when its worker is refused',
      async (way) => {
        await way.refuse(true)
        way.cutAll()
      },
      (way) => way.refuse(false),
    ],
    ['when all that its worker says is swallowed', (way) => way.swallow(true), (way) => way.swallow(false)],
    ['when each word takes longer than a lease', (way) => way.delayMs(LEASE * 1_200), (way) => way.delayMs(0)],
    ['when its worker stands still', (_, first) => first.signal('SIGSTOP'), (_, first) => first.signal('SIGCONT')],
  ]
  test.each(faults)('%s', async (_name, begin, heal) => {
    hosts = await Hosts.start({ database: 'sqlite', leaseSeconds: LEASE })
    const { way, first, id } = await twoWorkers(hosts)
    await begin(way, first)
    await expectNoOverlap(hosts, id, () => heal(way, first))
  })

  test('when its server is killed and another speaks for the database', async () => {
    hosts = await Hosts.start({ database: 'postgres', leaseSeconds: LEASE })
    const [a, b] = [newPort(), newPort()]
    const server = await hosts.server({ name: 's1', port: a })
    // On the machine of its server, whose process it sees: with this database that proves nothing.
    await hosts.worker('w1', a, { isApart: false, home: 's1' })
    const { id } = await hosts.create()
    await hosts.acting(1)
    await hosts.server({ name: 's2', port: b })
    await hosts.worker('w2', b)
    await server.kill()
    await expectNoOverlap(hosts, id, () => {})
  })

  test('when its server has lost the database and another has it', async () => {
    hosts = await Hosts.start({ database: 'postgres', leaseSeconds: LEASE })
    const [a, b] = [newPort(), newPort()]
    const { way, url } = await hosts.wayToDatabase()
    await hosts.server({ name: 's1', port: a, databaseUrl: url })
    await hosts.worker('w1', a)
    const { id } = await hosts.create()
    await hosts.acting(1)
    await hosts.server({ name: 's2', port: b })
    await hosts.worker('w2', b)
    await way.refuse(true)
    way.cutAll()
    await expectNoOverlap(hosts, id, () => way.refuse(false))
  })

  test('when its server was gone, which let leases stand still, and the next one does not hear the worker', async () => {
    hosts = await Hosts.start({ database: 'sqlite', leaseSeconds: LEASE })
    const port = newPort()
    const server = await hosts.server({ name: 's1', port })
    const way = await hosts.wayTo(port)
    await hosts.worker('w1', port, { by: WAY, isApart: false, home: 's1' })
    const { id } = await hosts.create()
    await hosts.acting(1)
    await server.kill()
    // Longer than a lease: the worker knows that nobody can end it.
    const until1 = performance.now() + LEASE * 1_400
    while (performance.now() < until1) await hosts.acting(1, 1)
    await way.refuse(true)
    way.cutAll()
    await hosts.server({ name: 's1', port })
    await hosts.worker('w2', port)
    await expectNoOverlap(hosts, id, () => way.refuse(false))
  })
})

test('nothing of a run is left when another worker of its machine begins the next attempt, whatever its own worker hears', async () => {
  hosts = await Hosts.start({ database: 'sqlite', leaseSeconds: LEASE })
  const port = newPort()
  await hosts.server({ name: 's1', port })
  const way = await hosts.wayTo(port)
  await hosts.worker('w1', port, { by: WAY, isApart: false })
  const { id } = await hosts.create()
  await hosts.acting(1)
  await hosts.worker('w2', port, { isApart: false })
  way.swallow(true)
  await hosts.acting(2)
  expect(processesOf({ attempt: `${id}.1` })).toEqual([])
  way.swallow(false)
  expect(await hosts.completed(id)).toBe(2)
})

test('a server that is gone for all that a worker of another pid namespace can see proves nothing to it', async () => {
  hosts = await Hosts.start({ database: 'sqlite', leaseSeconds: LEASE })
  const port = newPort()
  const server = await hosts.server({ name: 's1', port })
  const way = await hosts.wayTo(port)
  // The same folder, as containers may share one.
  await hosts.worker('w1', port, { by: WAY, home: 's1' })
  const { id } = await hosts.create()
  await hosts.acting(1)
  await hosts.worker('w2', port)
  await way.refuse(true)
  way.cutAll()
  await expectNoOverlap(hosts, id, () => way.refuse(false))
  await server.kill()
})
