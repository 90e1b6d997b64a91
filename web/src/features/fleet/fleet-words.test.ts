import { expect, test } from 'bun:test'
import {
  clockAhead,
  type Fleet,
  type FleetAgent,
  isFree,
  machineInWords,
  roomInWords,
  waitsInWords,
  whyNobody,
} from './fleet-words'

const agent = (more: Partial<FleetAgent> = {}): FleetAgent => ({
  id: 'a-1' as FleetAgent['id'],
  name: 'ann',
  kind: 'worker',
  status: 'online',
  host: 'quay',
  capabilities: [],
  clis: null,
  machine: null,
  drainingSince: null,
  restartAskedAt: null,
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

test('a machine is told by what it has', () => {
  const machine = { platform: 'linux', arch: 'x64', cores: 1, memoryBytes: 16e9, gpus: [], repositories: [] }
  expect(machineInWords(machine)).toBe('1 core, 15 GiB')
  expect(machineInWords({ ...machine, cores: 8, gpus: ['H100', 'H100'] })).toBe('8 cores, 15 GiB, 2 GPUs (H100)')
})

test('what waits is told by what for, the most common reasons of waiting first', () => {
  expect(waitsInWords({ time: 1, dependency: 2 })).toBe('2 waiting for another task, 1 waiting for their start time')
  expect(waitsInWords({})).toBe('')
})

test('a task that nobody who is there may take says so', () => {
  expect(whyNobody(task(), { agents: [agent()], leases: [] })).toBeNull()
  expect(whyNobody(task(), { agents: [], leases: [] })).toBe('no worker is online')
  expect(whyNobody(task(), { agents: [agent({ status: 'offline' })], leases: [] })).toBe('no worker is online')
  expect(whyNobody(task(), { agents: [agent({ isSpecialist: true })], leases: [] })).toBe('no worker is online')
  const draining = agent({ name: 'builder', drainingSince: '2026-11-22T00:00:00.000Z' })
  expect(whyNobody(task(), { agents: [draining], leases: [] })).toStartWith('builder drains and takes no new tasks.')
  expect(whyNobody(task({ requiredCapabilities: ['gpu'] }), { agents: [agent()], leases: [] })).toBe(
    'no online worker has gpu',
  )
  const two = [agent({ capabilities: ['gpu'] }), agent({ capabilities: ['docker'] })]
  expect(whyNobody(task({ requiredCapabilities: ['gpu', 'docker'] }), { agents: two, leases: [] })).toBe(
    'no online worker has all of gpu, docker',
  )
  const away = [agent(), agent({ id: 'a-2' as FleetAgent['id'], name: 'bob', status: 'offline' })]
  expect(whyNobody(task({ agentId: 'a-2' as Queued['agentId'] }), { agents: away, leases: [] })).toBe('bob is offline')
})

test('a task whose worker is full says so, and how many of its runs wait for the person', () => {
  const full = agent({ name: 'laptop', running: 2 })
  const lease = (isWaiting: boolean) =>
    ({ attempt: { agentId: full.id }, title: '', isWaiting }) as Fleet['leases'][number]
  const why = (agents: FleetAgent[], waits: boolean[], more: Partial<Queued> = {}) =>
    whyNobody(task(more), { agents, leases: waits.map(lease) })
  expect(why([full], [true, true])).toBe('laptop is full: 2 of 2 busy, all wait for your answer')
  expect(why([full], [true, false])).toBe('laptop is full: 2 of 2 busy, 1 waits for your answer')
  expect(why([full], [false, false])).toBe('laptop is full: 2 of 2 busy')
  const other = agent({ id: 'a-2' as FleetAgent['id'], name: 'desk', running: 1 })
  expect(why([full, other], [true, true])).toBeNull()
  expect(why([full, other], [true, true], { agentId: full.id })).toBe(
    'laptop is full: 2 of 2 busy, all wait for your answer',
  )
  expect(why([full, agent({ ...other, running: 2 })], [true])).toBe(
    'all 2 workers are full: 4 of 4 busy, 1 waits for your answer',
  )
})

test('room is what workers have left that are there and not limited', () => {
  const now = Date.parse('2026-11-22T12:00:00Z')
  expect(isFree(agent({ limitedUntil: '2026-11-22T13:00:00Z' }), now)).toBe(false)
  expect(isFree(agent({ limitedUntil: '2026-11-22T11:00:00Z' }), now)).toBe(true)
  expect(roomInWords([agent({ running: 1 }), agent({ running: 2 }), agent({ status: 'offline' })], now)).toBe(
    '2 workers online, room for 1 more task',
  )
  expect(roomInWords([agent({ status: 'offline' })], now)).toBe('No worker is online. lode work starts one.')
})

test('ends of leases are counted by the clock that set them', () => {
  expect(clockAhead('2026-11-22T12:00:05.000Z', Date.parse('2026-11-22T12:00:00.000Z'))).toBe(5_000)
})
