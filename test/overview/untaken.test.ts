import { expect, test } from 'bun:test'
import { agentId, type TaskId, taskId, taskKey } from '../../src/domain/ids'
import type { Need } from '../../src/domain/overview/overview'
import type { OverviewReads, UntakenTasks, WeighedTask } from '../../src/domain/overview/overview-store'
import type { Store } from '../../src/domain/store'
import { createNeedService } from '../../src/engine/overview/need-service'
import { checkDismissal, countNeeds, readOverview } from '../../src/engine/overview/overview'
import { openStore } from '../../src/store/open'
import { openTestStore } from '../api/test-store'
import { make, onEachDatabase } from '../store-contract/databases'
import { addAgent, addTask, sampleAttempt } from '../store-contract/tasks-sample'
import { ago, MINUTE, NOW, SETTINGS } from './scene'

const weighed = (key: number, row: Partial<WeighedTask> = {}): WeighedTask => ({
  key: taskKey(key),
  id: taskId(`t-0000000${key}`),
  status: 'unassigned',
  sessionId: null,
  agentCli: null,
  failureClass: null,
  finishedAt: null,
  isTakenUp: false,
  attempt: null,
  ...row,
})

const HOUR_AGO = ago(60 * MINUTE)
const at = (time: number): string => new Date(time).toISOString()

const group = (row: Partial<UntakenTasks> = {}): UntakenTasks => ({
  agent: null,
  requiredCapabilities: [],
  missing: [],
  neededClis: [],
  lacksClis: false,
  isAnyoneOnline: true,
  ceiling: null,
  outside: null,
  count: 1,
  isMore: false,
  openSince: HOUR_AGO,
  heardAt: null,
  first: weighed(1),
  ...row,
})
const DESK = { id: agentId('a-00000001'), name: 'desk', isOnline: false, heardAt: ago(2 * MINUTE) }

let empty: ReturnType<typeof openTestStore> | undefined

/** Nothing else needs anybody. */
const needsOf = async (groups: UntakenTasks[], reads: Partial<OverviewReads> = {}): Promise<Need[]> => {
  empty ??= openTestStore()
  const { overview: nothing, feed } = await empty
  const face = (key: number) => ({
    title: `Paint hull ${key}`,
    project: '/harbour',
    issueId: null,
    agentName: null,
    agentCli: null,
    host: null,
    model: null,
    startedAt: null,
    costUsd: null,
    failureReason: null,
    output: null,
    reason: 'created',
    attempt: null,
  })
  const overview: OverviewReads = {
    ...nothing,
    untaken: async () => groups,
    taskFaces: async (keys) => new Map(keys.map((key) => [key, face(key)])),
    ...reads,
  }
  const source = { overview, feed }
  return (await readOverview(source, NOW, SETTINGS, { since: HOUR_AGO, limit: 50 })).needs
}

test('one task that nobody may take is told as itself, with why', async () => {
  expect(await needsOf([group({ isAnyoneOnline: false })])).toMatchObject([
    {
      id: `untaken:pool::${HOUR_AGO}`,
      kind: 'untaken',
      since: at(HOUR_AGO),
      title: 'Paint hull 1',
      text: 'no worker is online',
      evidence: `open since ${at(HOUR_AGO)}, and no agent that may take it has ever been online`,
      project: '/harbour',
      taskId: 't-00000001',
      command: 'lode work',
      canDismiss: true,
    },
  ])
})

test('tasks for which every worker drains say so, and how one takes them again', async () => {
  const of = async (...draining: string[]) => (await needsOf([group({ isAnyoneOnline: false, draining })]))[0]
  expect(await of('builder')).toMatchObject({
    text: "builder drains and takes no new tasks. To let it take them again, run 'lode machine resume builder'.",
    command: 'lode machine list',
  })
  expect((await of('builder', 'desk'))?.text).toBe(
    "builder and desk drain and take no new tasks. To let one take them again, run 'lode machine resume'.",
  )
})

test('several that ask for the same are one need, named by the first of them', async () => {
  const [three, most] = await needsOf([
    group({ count: 3, heardAt: ago(2 * MINUTE), requiredCapabilities: ['gpu'], missing: ['gpu'] }),
    group({ count: 1_024, isMore: true, openSince: ago(61 * MINUTE), first: weighed(2), agent: DESK }),
  ])
  expect(three).toMatchObject({
    id: `untaken:pool:gpu:${HOUR_AGO}`,
    title: '3 tasks wait',
    text: 'no online worker has gpu; the first is Paint hull 1',
    evidence: `the oldest is open since ${at(HOUR_AGO)}, and no agent that may take it has been online since ${at(ago(2 * MINUTE))}`,
    taskId: null,
    project: null,
    command: 'lode agent list',
  })
  expect(most).toMatchObject({ title: 'More than 1,024 tasks wait', taskId: null })
})

test('why nobody takes a task says what is lacking', async () => {
  const why = async (row: Partial<UntakenTasks>) => (await needsOf([group(row)]))[0]?.text
  const both = ['cpu', 'gpu']
  expect(await why({ requiredCapabilities: both, missing: both })).toBe('no online worker has cpu, gpu')
  expect(await why({ requiredCapabilities: both })).toBe('no online worker has all of cpu, gpu')
  expect(await why({ agent: DESK })).toBe(`desk is offline, last seen ${at(ago(2 * MINUTE))}`)
  expect(await why({ agent: { ...DESK, heardAt: null } })).toBe('desk is offline, never seen')
  const online = { agent: { ...DESK, isOnline: true }, requiredCapabilities: both, missing: ['gpu'] }
  expect(await why(online)).toBe('desk lacks gpu')
  const [need] = await needsOf([group(online)])
  expect(need?.command).toBe('lode task show t-00000001')
})

test('nothing is told before a minute is over: since the task was open, and since somebody might have taken it', async () => {
  const told = async (row: Partial<UntakenTasks>) => (await needsOf([group(row)])).length
  expect(await told({ openSince: ago(MINUTE - 1) })).toBe(0)
  expect(await told({ openSince: ago(MINUTE) })).toBe(1)
  expect(await told({ heardAt: ago(MINUTE - 1) })).toBe(0)
  expect(await told({ heardAt: ago(MINUTE) })).toBe(1)
  // However long: it still waits.
  expect(await told({ openSince: ago(400 * 86_400_000) })).toBe(1)
})

test('a need is named by who, by what is asked for, and by the wait of its oldest', async () => {
  const idOf = async (row: Partial<UntakenTasks>) => (await needsOf([group(row)]))[0]?.id ?? 'none'
  const one = await idOf({})
  // More of them, or a worker that came and went, are the same occasion.
  expect(await idOf({ count: 7, first: weighed(5), heardAt: ago(5 * MINUTE) })).toBe(one)
  const hostile = ['a/b', `\u0000${'x'.repeat(300)}`]
  const others = [
    one,
    await idOf({ openSince: HOUR_AGO + 1 }),
    await idOf({ agent: DESK }),
    await idOf({ requiredCapabilities: ['gpu'] }),
    await idOf({ requiredCapabilities: hostile }),
    await idOf({ requiredCapabilities: hostile.slice(0, 1) }),
  ]
  expect(new Set(others).size).toBe(others.length)
  for (const id of others) expect(id).toMatch(/^untaken:[\w.+:-]{5,120}$/)
})

onEachDatabase((database) => {
  const inOwnQueue = async (work: (store: Store) => Promise<void>): Promise<void> => {
    const { place, remove } = await make(database.kind)
    const store = await openStore({ ...place, mode: 'read-write', migrate: true })
    try {
      await work(store)
    } finally {
      await store.close()
      await remove()
    }
  }

  test('a dismissed wait stays away while more join it, and comes back with another oldest', async () => {
    await inOwnQueue(async (store) => {
      const soon = Date.now() + 10 * MINUTE
      const needs = async (): Promise<Need[]> =>
        (await readOverview(store, soon, SETTINGS, { since: soon, limit: 50 })).needs
      const oldest = await addTask(store, { title: 'Paint the hull' })
      const [need] = await needs()
      expect(need).toMatchObject({ kind: 'untaken', title: 'Paint the hull', taskId: oldest.id })
      expect(await countNeeds(store, soon, SETTINGS)).toEqual({ untaken: 1 })
      await checkDismissal(store, need?.id ?? '', soon, SETTINGS)
      await createNeedService({ store }).dismiss(need?.id ?? '', 'a person')
      expect(await needs()).toEqual([])
      // Not in the same millisecond.
      const before = Date.now()
      while (Date.now() === before) await Bun.sleep(1)
      await addTask(store)
      expect(await needs()).toEqual([])
      await store.write(({ tasks }) => tasks.updateTask(oldest.key, { status: 'completed' }))
      const left = await needs()
      expect(left.map(({ kind, id }) => [kind, id === need?.id])).toEqual([['untaken', false]])
    })
  })

  test('a task whose worker was lost is told as lost alone, and as not taken once that is old', async () => {
    await inOwnQueue(async (store) => {
      const now = Date.now() + 10 * MINUTE
      const told = async (at: number): Promise<[string, TaskId | null][]> =>
        (await readOverview(store, at, SETTINGS, { since: at, limit: 50 })).needs.map((need) => [
          need.kind,
          need.taskId,
        ])
      const agent = await addAgent(store)
      const task = await addTask(store, { attemptCount: 1, lostCount: 1 })
      await store.write(async ({ tasks }) => {
        const key = await tasks.insertAttempt(sampleAttempt(task, agent.key))
        await tasks.updateAttempt(key, { endedAt: now - 5 * MINUTE, outcome: 'lost', leaseExpiresAt: null })
      })
      expect(await told(now)).toEqual([['lost', task.id]])
      const other = await addTask(store)
      expect(await told(now)).toEqual([
        ['lost', task.id],
        ['untaken', other.id],
      ])
      await store.write(({ tasks }) => tasks.updateTask(other.key, { status: 'completed' }))
      expect(await told(now + 8 * 86_400_000)).toEqual([['untaken', task.id]])
    })
  })
})

test('what is above every ceiling says which mode it needs, which is the highest, and what to do', async () => {
  const ceiling = { needed: 'acceptEdits', highest: 'default' }
  const [one] = await needsOf([group({ ceiling })])
  expect(one?.text).toBe(
    "no online worker may run tasks with acceptEdits; the highest mode allowed is default. To let tasks do so, run 'lode config set worker.maxPermissionMode acceptEdits' on the worker's machine.",
  )
  const [own] = await needsOf([group({ ceiling, agent: { ...DESK, isOnline: true } })])
  expect(own?.text).toStartWith('desk may not run tasks with acceptEdits; the highest mode allowed is default.')
})

test('what is in no folder of any worker says which folder it is, and what to do', async () => {
  const [one] = await needsOf([group({ outside: '/srv/site' })])
  expect(one?.text).toStartWith('no online worker that may run it does so in /srv/site. To let one do so')
  const [own] = await needsOf([group({ outside: '/srv/site', agent: { ...DESK, isOnline: true } })])
  expect(own?.text).toContain('does not run tasks in /srv/site')
})
