/** Two workers and one task: the second waits until the first may no longer work on it. */
import { expect } from 'bun:test'
import { type Hosts, newPort, WAY } from './hosts'

/** One server, a worker whose only way to it is a proxy, a task that it runs, and a second worker that waits for work. */
export async function twoWorkers(hosts: Hosts) {
  const port = newPort()
  const server = await hosts.server({ name: 's1', port })
  const way = await hosts.wayTo(port)
  const first = await hosts.worker('w1', port, { by: WAY })
  const { id } = await hosts.create()
  await hosts.acting(1)
  const second = await hosts.worker('w2', port)
  return { server, way, first, second, id }
}

/** Attempt 2 begins, and goes on after the fault is over; attempt 1 never acted once it had begun. */
export async function expectNoOverlap(world: Hosts, id: string, heal: () => unknown): Promise<void> {
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
