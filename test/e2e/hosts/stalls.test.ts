/** What ends no run: a database, a network or a server that is away for a while. */
import { afterEach, describe, expect, test } from 'bun:test'
import { until } from '../../lab/until'
import { Hosts, newPort } from './hosts'
import { twoWorkers } from './two-workers'

let hosts: Hosts | undefined
afterEach(async () => {
  await hosts?.stop()
  hosts = undefined
})

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
  })

  test('by a stall of a third of its lease, nor by connections that are cut again and again', async () => {
    hosts = await Hosts.start({ database: 'sqlite', leaseSeconds: 9 })
    const { way, id } = await twoWorkers(hosts)
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
  })

  test('by a server that is back before its end: it stood still meanwhile, and says so', async () => {
    const world = await Hosts.start({ database: 'sqlite', leaseSeconds: 20 })
    hosts = world
    const { way, id } = await twoWorkers(world)
    await way.refuse(true)
    way.cutAll()
    await until('the run to stand still', async () => {
      const before = world.acts().length
      await Bun.sleep(1_000)
      return world.acts().length === before
    })
    await way.refuse(false)
    await hosts.acting(1)
    expect(await hosts.completed(id)).toBe(1)
    const words = await hosts.words(id)
    expect(words).toContainEqual(expect.stringMatching(/^the server did not renew the lease: .* paused until it does$/))
    expect(words).toContainEqual(expect.stringMatching(/^the lease was renewed: .* after [\d.]+ s$/))
  })

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
  })
})
