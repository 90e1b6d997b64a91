import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import type { AgentKey } from '../../../src/domain/ids'
import type { Store } from '../../../src/domain/store'
import { DEFAULT_LEASE_MS } from '../../../src/domain/task/worker-protocol'
import { openStore } from '../../../src/store/open'
import { ALL_SETS } from '../../../src/store/tasks/capability-sets'
import { make, onEachDatabase } from '../databases'
import { addAgent, addTask, sampleTask } from '../tasks-sample'

onEachDatabase((database) => {
  /** A whole queue decides what nobody takes, so each test has one of its own. */
  const inOwnQueue = async (work: (store: Store, path: string | undefined) => Promise<void>): Promise<void> => {
    const { place, remove } = await make(database.kind)
    const store = await openStore({ ...place, mode: 'read-write', migrate: true })
    try {
      await work(store, place.path)
    } finally {
      await store.close()
      await remove()
    }
  }
  const untaken = async (store: Store, now = Date.now()) => {
    const groups = await store.overview.untaken(now, [])
    return groups.map(({ first, openSince, ceiling, outside, neededClis, lacksClis, ...group }) => ({
      ...group,
      ...(neededClis.length > 0 && { neededClis, lacksClis }),
      ...(ceiling && { ceiling }),
      ...(outside && { outside }),
      first: first.id,
    }))
  }
  const take = (store: Store, agent: AgentKey) =>
    store.write(async ({ tasks }) => {
      const row = await tasks.agentByKey(agent)
      return row && (await tasks.claimable(row, Date.now()))
    })

  test('tasks of the pool are told while nobody is online, in one group with its first, and no more when somebody is', async () => {
    await inOwnQueue(async (store) => {
      expect(await untaken(store)).toEqual([])
      const before = Date.now()
      await addTask(store, { priority: 1 })
      const first = await addTask(store, { priority: 9 })
      const pool = { agent: null, requiredCapabilities: [], missing: [], count: 2, isMore: false, first: first.id }
      expect(await untaken(store)).toEqual([{ ...pool, isAnyoneOnline: false, heardAt: null }])
      const [group] = await store.overview.untaken(Date.now(), [])
      expect(group?.openSince).toBeGreaterThanOrEqual(before)
      expect(group?.openSince).toBeLessThanOrEqual(Date.parse((await store.tasks.find(first.id))?.updatedAt ?? ''))

      const heardAt = Date.now()
      const worker = await addAgent(store, { lastSeenAt: heardAt })
      expect(await untaken(store, heardAt + DEFAULT_LEASE_MS)).toEqual([])
      // Not heard of for longer than a lease, it is away; and so it is once no process speaks for it.
      const away = [{ ...pool, isAnyoneOnline: false, heardAt }]
      expect(await untaken(store, heardAt + DEFAULT_LEASE_MS + 1)).toEqual(away)
      // One that drains is there, and is named.
      await store.write(({ tasks }) => tasks.updateAgent(worker.key, { drainingSince: heardAt }))
      expect(await untaken(store, heardAt)).toEqual(away.map((one) => ({ ...one, draining: [worker.name] })))
      await store.write(({ tasks }) => tasks.updateAgent(worker.key, { drainingSince: null, bootId: null }))
      expect(await untaken(store, heardAt)).toEqual(away)
    })
  })

  test('what is in no folder of a worker is left to one that runs tasks there, and told while there is none', async () => {
    await inOwnQueue(async (store) => {
      const now = Date.now()
      const worker = await addAgent(store, { lastSeenAt: now })
      const setDirs = (key: AgentKey, dirs: string[]) => store.write(({ tasks }) => tasks.setAgentDirs(key, dirs))
      await setDirs(worker.key, ['/work', "/o'dd/%_dir"])
      const elsewhere = await addTask(store, { dir: '/workshop/site', priority: 9 })
      const odd = await addTask(store, { dir: '/o'.concat("'dd/%_dir/in"), priority: 5 })
      const inside = await addTask(store, { dir: '/work', priority: 4 })
      const nowhere = await addTask(store, { dir: null, priority: 3 })
      const row = async (key: AgentKey) => {
        const found = await store.write(({ tasks }) => tasks.agentByKey(key))
        if (found === undefined) throw new Error('no agent')
        return found
      }
      const group = { agent: null, requiredCapabilities: [], missing: [], count: 1, isMore: false, heardAt: null }
      const told = [{ ...group, isAnyoneOnline: true, first: elsewhere.id, outside: '/workshop/site' }]
      expect(await untaken(store, now)).toEqual(told)
      for (const expected of [odd, inside, nowhere]) {
        expect((await take(store, worker.key))?.id).toBe(expected.id)
        await store.write(({ tasks }) => tasks.updateTask(expected.key, { status: 'completed' }))
      }
      expect(await take(store, worker.key)).toBeUndefined()
      expect(await store.tasks.hasWork(await row(worker.key), [], true, now)).toBe(false)
      expect(await untaken(store, now)).toEqual(told)

      const runsIn = (dir: string) => store.write(({ tasks }) => tasks.runsIn(worker.key, dir))
      const asked = ['/work', '/work/in', '/workshop', "/o'dd/%_dir/in", '/', '/w']
      expect(await Promise.all(asked.map(runsIn))).toEqual([true, true, false, true, false, false])
      const other = await addAgent(store, { lastSeenAt: now })
      await setDirs(other.key, ['/workshop'])
      expect(await untaken(store, now)).toEqual([])
      expect(await store.tasks.hasWork(await row(other.key), [], true, now)).toBe(true)
      expect((await take(store, other.key))?.id).toBe(elsewhere.id)
      // A worker without folders takes tasks anywhere.
      await setDirs(worker.key, [])
      expect(await store.tasks.hasWork(await row(worker.key), [], true, now)).toBe(true)
    })
  })

  test('what is above the ceiling of a worker is left to one with a higher ceiling, and told with both while there is none', async () => {
    await inOwnQueue(async (store) => {
      const now = Date.now()
      const low = await addAgent(store, { lastSeenAt: now, maxPermissionMode: 'default' })
      const above = await addTask(store, { permissionMode: 'acceptEdits', priority: 9 })
      const given = await addTask(store, { permissionMode: 'invented', status: 'pending', agentKey: low.key })
      const plain = await addTask(store)
      const group = {
        requiredCapabilities: [],
        missing: [],
        count: 1,
        isMore: false,
        isAnyoneOnline: true,
        heardAt: null,
      }
      const agent = { id: low.id, name: low.name, isOnline: true, heardAt: now }
      const ofPool = { ...group, agent: null, first: above.id, ceiling: { needed: 'acceptEdits', highest: 'default' } }
      const ofLow = { ...group, agent, first: given.id, ceiling: { needed: 'invented', highest: 'default' } }
      expect(await untaken(store, now)).toEqual([ofPool, ofLow])
      const has = (key: typeof low) => store.tasks.hasWork(key, [], true, now)
      const row = async (key: AgentKey) => {
        const found = await store.write(({ tasks }) => tasks.agentByKey(key))
        if (found === undefined) throw new Error('no such agent')
        return found
      }
      expect(await has(await row(low.key))).toBe(true)
      expect((await take(store, low.key))?.id).toBe(plain.id)
      await store.write(({ tasks }) => tasks.updateTask(plain.key, { status: 'backlog' }))
      expect(await take(store, low.key)).toBeUndefined()
      expect(await has(await row(low.key))).toBe(false)

      const high = await addAgent(store, { lastSeenAt: now, maxPermissionMode: 'bypassPermissions' })
      expect(await untaken(store, now)).toEqual([ofLow])
      expect((await take(store, high.key))?.id).toBe(above.id)
      // One that does not say takes it and says it itself.
      await store.write(({ tasks }) => tasks.updateAgent(low.key, { maxPermissionMode: null }))
      expect((await take(store, low.key))?.id).toBe(given.id)
      expect(await untaken(store, now)).toEqual([])
    })
  })

  test('tasks that ask for what no worker has are told with what is lacking, by what they ask for', async () => {
    await inOwnQueue(async (store) => {
      const now = Date.now()
      const cpu = await addAgent(store, { lastSeenAt: now, capabilities: ['cpu', 'docker'] })
      await addAgent(store, { lastSeenAt: now, capabilities: ['cuda'] })
      await addTask(store)
      await addTask(store, { requiredCapabilities: ['cpu'] })
      const gpu = await addTask(store, { requiredCapabilities: ['cpu', 'gpu'] })
      const both = await addTask(store, { requiredCapabilities: ['cuda', 'docker'] })
      const group = { agent: null, count: 1, isMore: false, isAnyoneOnline: true, heardAt: null }
      expect(await untaken(store, now)).toEqual([
        { ...group, requiredCapabilities: ['cpu', 'gpu'], missing: ['gpu'], first: gpu.id },
        { ...group, requiredCapabilities: ['cuda', 'docker'], missing: [], first: both.id },
      ])
      // Exactly what is left when the workers took theirs.
      const taken = await take(store, cpu.key)
      expect(taken === undefined || [gpu.id, both.id].includes(taken.id)).toBe(false)
    })
  })

  test('an assigned task is told while its agent is away, however many others are there', async () => {
    await inOwnQueue(async (store) => {
      const now = Date.now()
      await addAgent(store, { lastSeenAt: now })
      const desk = await addAgent(store, { name: 'desk', lastSeenAt: now - 3_600_000 })
      const never = await addAgent(store, { name: 'painter', bootId: null })
      const assigned = { status: 'pending' as const, assignedBy: 'caller' as const }
      const task = await addTask(store, { ...assigned, agentKey: desk.key })
      const described = await addTask(store, { ...assigned, agentKey: never.key })
      const group = { requiredCapabilities: [], missing: [], count: 1, isMore: false, isAnyoneOnline: true }
      const asked = { isOnline: false, heardAt: null }
      const ofNever = {
        ...group,
        agent: { ...asked, id: never.id, name: 'painter' },
        heardAt: null,
        first: described.id,
      }
      const heardAt = now - 3_600_000
      expect(await untaken(store, now)).toEqual([
        { ...group, agent: { id: desk.id, name: 'desk', isOnline: false, heardAt }, heardAt, first: task.id },
        ofNever,
      ])
      await store.write(({ tasks }) => tasks.updateAgent(desk.key, { lastSeenAt: now }))
      expect(await untaken(store, now)).toEqual([ofNever])
      // It came back without what its task asks for.
      const heavy = await addTask(store, { ...assigned, agentKey: desk.key, requiredCapabilities: ['crane'] })
      expect((await untaken(store, now)).map(({ agent, missing, first }) => [agent?.name, missing, first])).toEqual([
        ['desk', ['crane'], heavy.id],
        ['painter', [], described.id],
      ])
    })
  })

  test('what waits for something else, is over, or is told already is not among them', async () => {
    await inOwnQueue(async (store) => {
      const now = Date.now()
      await addTask(store, { status: 'backlog' })
      await addTask(store, { status: 'paused' })
      await addTask(store, { status: 'completed' })
      await addTask(store, { status: 'pending', waitingFor: 'dependency', unmetCount: 1 })
      await addTask(store, { status: 'pending', waitingFor: 'time', notBefore: now + 60_000 })
      const notBefore = now + 3_600_000
      const later = await addTask(store, { notBefore })
      expect(await untaken(store, now)).toEqual([])
      const [due] = await store.overview.untaken(notBefore, [])
      // It did not wait for anybody before its time.
      expect(due).toMatchObject({ count: 1, openSince: notBefore, first: { id: later.id } })
      expect(await store.overview.untaken(notBefore, [later.key])).toEqual([])
      const other = await addTask(store)
      expect(await store.overview.untaken(notBefore, [later.key])).toMatchObject([
        { count: 1, first: { id: other.id } },
      ])
      // An offer is its agent's until it lapses.
      const desk = await addAgent(store, { lastSeenAt: now })
      const offered = { taskKey: other.key, agentKey: desk.key, expiresAt: now + 60_000 }
      await store.write(({ tasks }) => tasks.putOffer(offered))
      expect(await untaken(store, now)).toEqual([])
      expect((await untaken(store, now + 20_000)).map(({ agent }) => agent?.id)).toEqual([desk.id])
    })
  })

  test('ten thousand tasks of fifty sets cost a look-up for each set and a bounded look at their tasks', async () => {
    await inOwnQueue(async (store, path) => {
      const SETS = 50
      const agents = [(await addAgent(store)).key, (await addAgent(store)).key]
      for (let from = 0; from < 10_000; from += 2_000)
        await store.write(async ({ tasks }) => {
          for (let i = from; i < from + 2_000; i++) {
            const set = i % SETS
            const agentKey = set % 10 === 9 ? (agents[set % 20 === 9 ? 0 : 1] ?? null) : null
            await tasks.insertTask(sampleTask({ requiredCapabilities: [`c${set}`], agentKey }))
          }
        })
      const groups = await store.overview.untaken(Date.now() + 1_000, [])
      // 45 of the pool and 5 of agents.
      expect(groups.length).toBe(SETS)
      expect(
        new Set(groups.map(({ agent, requiredCapabilities }) => `${agent?.id} ${requiredCapabilities}`)).size,
      ).toBe(SETS)
      expect(groups.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(1_024)
      expect(groups.every(({ count, isMore }) => count >= 10 && isMore)).toBe(true)
      if (path === undefined) return
      const raw = new Database(path, { readonly: true })
      const plan = raw
        .prepare<{ detail: string }, []>(`explain query plan with recursive ${ALL_SETS} select * from open_sets`)
        .all()
      raw.close()
      const tasks = plan.map(({ detail }) => detail).filter((detail) => /\bt\b/.test(detail))
      expect(tasks.length).toBe(4)
      expect(plan.filter(({ detail }) => detail.includes('TEMP B-TREE'))).toEqual([])
      for (const detail of tasks) expect(detail).toMatch(/^(SEARCH|SCAN) t USING (COVERING )?INDEX tasks_open/)
    })
  })
})
