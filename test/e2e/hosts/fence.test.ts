/** A task has one live run at most, whatever the network, the servers and the workers do: told by what the runs themselves do. */
import { afterEach, describe, expect, test } from 'bun:test'
import { until } from '../../lab/until'
import { processesOf } from '../tasks/attempt-processes'
import { Hosts, type HostsOptions, newPort, type Program, WAY } from './hosts'
import type { TestProxy } from './proxy'

let hosts: Hosts | undefined
afterEach(async () => {
  await hosts?.stop()
  hosts = undefined
}, 60_000)

const LEASE = 5

/** One server, a worker whose only way to it is a proxy, a task that it runs, and a second worker that waits for work. */
async function twoWorkers(options: HostsOptions) {
  hosts = await Hosts.start(options)
  const port = newPort()
  const server = await hosts.server({ name: 's1', port })
  const way = await hosts.wayTo(port)
  const first = await hosts.worker('w1', port, { by: WAY })
  const { id } = await hosts.create()
  await hosts.acting(1)
  const second = await hosts.worker('w2', port)
  return { hosts, server, way, first, second, id }
}

/** Attempt 2 begins, and goes on after the fault is over; attempt 1 never acted once it had begun. */
async function expectNoOverlap(world: Hosts, id: string, heal: () => unknown): Promise<void> {
  await world.acting(2)
  await heal()
  await world.acting(2, 50)
  expect(await world.completed(id)).toBe(2)
  const acts = world.acts()
  const beganAt = acts.indexOf(2)
  expect(acts.slice(beganAt).filter((attempt) => attempt === 1)).toEqual([])
  const [first, last] = await world.attempts(id)
  expect(first?.outcome).toBe('lost')
  expect(last?.outcome).toBe('completed')
}

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
  test.each(faults)(
    '%s',
    async (_name, begin, heal) => {
      const { hosts, way, first, id } = await twoWorkers({ database: 'sqlite', leaseSeconds: LEASE })
      await begin(way, first)
      await expectNoOverlap(hosts, id, () => heal(way, first))
    },
    120_000,
  )

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
  }, 120_000)

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
  }, 120_000)

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
  }, 120_000)
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
}, 120_000)

describe('a run is not ended', () => {
  test('by a database that stands still for 20 s of a lease of 60', async () => {
    hosts = await Hosts.start({ database: 'postgres', leaseSeconds: null })
    const [a, b] = [newPort(), newPort()]
    const { way, url } = await hosts.wayToDatabase()
    await hosts.server({ name: 's2', port: b, databaseUrl: url })
    await hosts.server({ name: 's1', port: a, databaseUrl: url })
    await hosts.worker('w1', a)
    const { id } = await hosts.create()
    await hosts.acting(1)
    await hosts.worker('w2', b)
    way.swallow(true)
    // The stall itself.
    await Bun.sleep(20_000)
    way.swallow(false)
    await hosts.acting(1, 50)
    expect(await hosts.completed(id)).toBe(1)
  }, 180_000)

  test('by a stall of a third of its lease, nor by connections that are cut again and again', async () => {
    const { hosts, way, id } = await twoWorkers({ database: 'sqlite', leaseSeconds: 9 })
    way.swallow(true)
    // The stall itself.
    await Bun.sleep(3_000)
    way.swallow(false)
    await hosts.acting(1, 20)
    for (const _ of Array.from({ length: 20 })) {
      way.cutAll()
      await hosts.acting(1, 20)
    }
    expect(await hosts.completed(id)).toBe(1)
  }, 120_000)

  test('by a server that is back before its end: it stood still meanwhile, and says so', async () => {
    const { hosts, way, id } = await twoWorkers({ database: 'sqlite', leaseSeconds: 20 })
    await way.refuse(true)
    way.cutAll()
    await until('the run to stand still', async () => {
      const before = hosts.acts().length
      await Bun.sleep(1_000)
      return hosts.acts().length === before
    })
    await way.refuse(false)
    await hosts.acting(1)
    expect(await hosts.completed(id)).toBe(1)
    const words = await hosts.words(id)
    expect(words).toContainEqual(expect.stringMatching(/^the server did not renew the lease: .* paused until it does$/))
    expect(words).toContainEqual(expect.stringMatching(/^the lease was renewed: .* after [\d.]+ s$/))
  }, 120_000)

  test('by the death of the one server of its machine, however long', async () => {
    // On a busy machine a server takes its time to begin, and that counts.
    const leaseSeconds = 9
    hosts = await Hosts.start({ database: 'sqlite', leaseSeconds })
    const port = newPort()
    const server = await hosts.server({ name: 's1', port })
    await hosts.worker('w1', port, { isApart: false, home: 's1' })
    const { id } = await hosts.create()
    await hosts.acting(1)
    await server.kill()
    const over = performance.now() + leaseSeconds * 1_400
    while (performance.now() < over) await hosts.acting(1, 1)
    await hosts.server({ name: 's1', port })
    await hosts.acting(1, 20)
    expect(await hosts.completed(id)).toBe(1)
  }, 120_000)
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
}, 120_000)
