import { expect, test } from 'bun:test'
import { openStore } from '../../../src/store/open'
import { make, onEachDatabase } from '../databases'
import { sampleSession, sessionChange } from '../sample'
import { addAgent, addTask, sampleAttempt } from '../tasks-sample'

onEachDatabase((database) => {
  test('the fleet is its hosts with what they run, its leases, and its queue', async () => {
    const { place, remove } = await make(database.kind)
    const store = await openStore({ ...place, mode: 'read-write', migrate: true })
    try {
      const now = Date.now()
      expect(await store.fleet.show(now)).toEqual({
        hosts: [],
        agents: [],
        leases: [],
        queue: { byStatus: {}, waitingFor: {}, oldestAt: null, next: [] },
      })
      const here = await addAgent(store)
      const there = await addAgent(store, { hostName: 'installation-9', hostname: 'far', lastSeenAt: now })
      await addAgent(store, { hostName: null, hostname: null, kind: 'lead' })
      await store.write(async (tx) => {
        for (const state of ['working', 'ended'] as const) {
          const session = await sampleSession(tx)
          await tx.record.mergeSession([
            sessionChange(session.key, {
              lastEventAt: now,
              activity: { state, at: now, evidence: 'test', reason: null },
            }),
          ])
        }
      })
      const low = await addTask(store, { priority: 1 })
      const high = await addTask(store, { priority: 90 })
      await addTask(store, { status: 'pending', waitingFor: 'retry', notBefore: now + 1_000 })
      await addTask(store, { status: 'pending', waitingFor: 'dependency' })
      await addTask(store, { status: 'backlog' })
      await addTask(store, { status: 'completed' })
      const offered = await addTask(store, { priority: 95 })
      await store.write(({ tasks }) =>
        tasks.putOffer({ taskKey: offered.key, agentKey: here.key, expiresAt: now + 1_000 }),
      )
      for (const [agent, hostName, leaseExpiresAt] of [
        [here, 'installation-1', now + 9_000],
        [there, 'installation-9', now + 3_000],
      ] as const) {
        const task = await addTask(store, { status: 'in_progress', title: `on ${hostName}` })
        await store.write(({ tasks }) =>
          tasks.insertAttempt(sampleAttempt(task, agent.key, { hostName, leaseExpiresAt })),
        )
      }
      const fleet = await store.fleet.show(now)
      expect(new Map(fleet.hosts.map(({ name, lastSeenAt: _, ...host }) => [name, host]))).toEqual(
        new Map([
          ['installation-1', { hostname: 'box', agents: 1, liveSessions: 1, liveAttempts: 1 }],
          ['installation-9', { hostname: 'far', agents: 1, liveSessions: 0, liveAttempts: 1 }],
        ]),
      )
      expect(fleet.agents.length).toBe(3)
      expect(fleet.leases.map(({ title, attempt }) => [title, attempt.isLive, attempt.agentName])).toEqual([
        ['on installation-9', true, there.name],
        ['on installation-1', true, here.name],
      ])
      expect(fleet.queue).toMatchObject({
        byStatus: { unassigned: 2, pending: 2, backlog: 1, offered: 1, in_progress: 2 },
        waitingFor: { retry: 1, dependency: 1 },
        oldestAt: (await store.tasks.find(low.id))?.createdAt,
      })
      expect(fleet.queue.next.slice(0, 2).map(({ id }) => id)).toEqual([offered.id, high.id])
      expect(fleet.queue.next.length).toBe(5)
    } finally {
      await store.close()
      await remove()
    }
  })
})
