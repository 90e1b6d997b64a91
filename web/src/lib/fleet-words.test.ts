import { expect, test } from 'bun:test'
import { clockAhead, type Fleet, type FleetAgent, isFree, roomInWords, waitsInWords, whyNobody } from './fleet-words'

const agent = (more: Partial<FleetAgent> = {}): FleetAgent => ({
  id: 'a-1' as FleetAgent['id'],
  name: 'ann',
  kind: 'worker',
  status: 'online',
  host: 'quay',
  capabilities: [],
  concurrency: 2,
  running: 0,
  limitedUntil: null,
  version: null,
  description: null,
  model: null,
  isSpecialist: false,
  createdAt: '2026-11-22T00:00:00.000Z',
  lastSeenAt: null,
  ...more,
})

type Queued = Fleet['queue']['next'][number]
const task = (more: Partial<Queued> = {}) =>
  ({ agentId: null, offeredTo: null, requiredCapabilities: [], ...more }) as Queued

test('what waits is told by what for, the most common reasons of waiting first', () => {
  expect(waitsInWords({ time: 1, dependency: 2 })).toBe('2 for another task, 1 for its time')
  expect(waitsInWords({})).toBe('')
})

test('a task that nobody who is there may take says so', () => {
  expect(whyNobody(task(), [agent()])).toBeNull()
  expect(whyNobody(task(), [])).toBe('no worker is online')
  expect(whyNobody(task(), [agent({ status: 'offline' })])).toBe('no worker is online')
  expect(whyNobody(task(), [agent({ isSpecialist: true })])).toBe('no worker is online')
  expect(whyNobody(task({ requiredCapabilities: ['gpu'] }), [agent()])).toBe('no worker that is online has gpu')
  const two = [agent({ capabilities: ['gpu'] }), agent({ capabilities: ['docker'] })]
  expect(whyNobody(task({ requiredCapabilities: ['gpu', 'docker'] }), two)).toBe(
    'no worker that is online has all of gpu, docker',
  )
  const away = [agent(), agent({ id: 'a-2' as FleetAgent['id'], name: 'bob', status: 'offline' })]
  expect(whyNobody(task({ agentId: 'a-2' as Queued['agentId'] }), away)).toBe('bob is offline')
})

test('room is what workers have left that are there and not limited', () => {
  const now = Date.parse('2026-11-22T12:00:00Z')
  expect(isFree(agent({ limitedUntil: '2026-11-22T13:00:00Z' }), now)).toBe(false)
  expect(isFree(agent({ limitedUntil: '2026-11-22T11:00:00Z' }), now)).toBe(true)
  expect(roomInWords([agent({ running: 1 }), agent({ running: 2 }), agent({ status: 'offline' })], now)).toBe(
    '2 workers online, room for 1 more task',
  )
})

test('ends of leases are counted by the clock that set them', () => {
  expect(clockAhead('2026-11-22T12:00:05.000Z', Date.parse('2026-11-22T12:00:00.000Z'))).toBe(5_000)
})
