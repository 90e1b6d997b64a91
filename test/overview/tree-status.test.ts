/** The tree and the overview tell the same of the same thing, and a filter shows what it says. */
import { expect, test } from 'bun:test'
import { listByStatus } from '../../src/api/server/handlers/record/list-sessions'
import { statusesAt } from '../../src/api/server/present-session'
import { sessionId } from '../../src/domain/ids'
import type { PageRequest } from '../../src/domain/port'
import { SHOWN_SESSION_STATUSES } from '../../src/domain/session/session'
import { SHOWN_TASK_STATUSES } from '../../src/domain/task/task'
import { needPlaces, readOverview } from '../../src/engine/overview/overview'
import { openStore } from '../../src/store/open'
import { make, onEachDatabase } from '../store-contract/databases'
import { makeWorld } from '../store-contract/tree-world'
import { all, SETTINGS, walk } from '../store-contract/walk-tree'
import { addCall, addSession, addWork, ago, MINUTE, NOW } from './scene'

const WORK = ['project', 'task', 'session']

onEachDatabase((database) => {
  const world = async (
    seed: number,
    check: (given: { store: typeof database.store; now: number }) => Promise<void>,
  ) => {
    const { place, remove } = await make(database.kind)
    const store = await openStore({ ...place, mode: 'read-write', migrate: true })
    try {
      const { now } = await makeWorld(store, seed)
      await check({ store, now })
    } finally {
      await store.close()
      await remove()
    }
  }

  test('what is asked for as running has something that runs in it, and nothing that runs is left out', async () => {
    await world(21, async ({ store, now }) => {
      const whole = all(await walk(store, now)).filter(({ entry }) => WORK.includes(entry.kind))
      const running = all(await walk(store, now, { statuses: ['running', 'in_progress'] }))
      const shown = running.filter(({ entry }) => WORK.includes(entry.kind))
      expect(shown.map(({ entry }) => [entry.id, (entry.rollup?.running ?? 0) > 0])).toEqual(
        shown.map(({ entry }) => [entry.id, true]),
      )
      expect(new Set(shown.map(({ entry }) => entry.id))).toEqual(
        new Set(whole.flatMap(({ entry }) => ((entry.rollup?.running ?? 0) > 0 ? [entry.id] : []))),
      )
      expect(shown.length).toBeGreaterThan(0)
      const isOver = (status: string | null) => status === 'lost' || status === 'ended'
      expect(shown.filter(({ entry }) => isOver(entry.status))).toEqual([])
    })
  })

  test('what is asked for as needed is what the overview says, and the counts add up to it', async () => {
    await world(22, async ({ store, now }) => {
      const needs = await needPlaces(store, now, SETTINGS)
      const listed = await readOverview(store, now, SETTINGS, { since: now, limit: 200 })
      const told = listed.needs.map((need) => need.taskId ?? need.sessionId)
      const shown = all(await walk(store, now, { needed: true, needs }))
      const named = shown.flatMap(({ entry }) => {
        const id = entry.kind === 'task' ? entry.taskId : entry.kind === 'session' ? entry.sessionId : null
        const isNamed = needs.tasks.some((one) => one.id === id) || needs.sessions.some((one) => one.id === id)
        return id !== null && isNamed ? [id as string] : []
      })
      expect(new Set<unknown>(named)).toEqual(new Set<unknown>(told))
      expect(told.length).toBeGreaterThan(2)
      // Nothing else but what is on the way to one, and each project counts what it holds.
      const roots = shown.filter(({ entry }) => entry.kind === 'project')
      expect(shown.filter(({ entry }) => WORK.includes(entry.kind) && (entry.rollup?.needs ?? 0) === 0)).toEqual([])
      const once = new Set(told.filter((id) => id !== null))
      expect(roots.reduce((sum, { entry }) => sum + (entry.rollup?.needs ?? 0), 0)).toBeGreaterThanOrEqual(once.size)
    })
  })

  test('a session shows as the same in the tree and in the overview: stuck, waiting for its question, running', async () => {
    const { store } = database
    const state = { activity: 'working', process: 'alive' } as const
    const stuck = await addSession(store, { ...state, at: ago(20 * MINUTE) })
    await addCall(store, stuck, { id: 'toolu_silent', name: 'Bash', at: ago(20 * MINUTE) })
    const running = await addSession(store, { ...state, at: ago(MINUTE) })
    const asking = await addSession(store, { ...state, at: ago(20 * MINUTE) })
    const conversation = { rung: 'native', sessionId: sessionId(asking.id), resumedSessionId: null } as const
    const work = await addWork(
      store,
      { status: 'in_progress', lastSessionId: sessionId(asking.id) },
      { conversation: { ...conversation, forked: false, forkPoint: null, whyNot: [] } },
    )
    await work.ask(NOW + 5 * MINUTE)
    const { running: rows } = await readOverview(store, NOW, SETTINGS, { since: NOW, limit: 200 })
    const read = await statusesAt(NOW, SETTINGS, store)
    const nodes = all(await walk(store, NOW))
    const expected = [
      [stuck.id, 'stuck'],
      [running.id, 'running'],
      [asking.id, 'waiting'],
    ] as const
    for (const [id, status] of expected) {
      const inTree = nodes.find(({ entry }) => entry.kind === 'session' && entry.sessionId === id)
      expect([id, inTree?.entry.status]).toEqual([id, status])
      expect([id, rows.find((row) => row.sessionId === id)?.sessionStatus]).toEqual([id, status])
      const stored = await store.sessions.find(sessionId(id))
      expect([id, (await read(stored === undefined ? [] : [stored]))[0]?.status]).toEqual([id, status])
      const only = all(await walk(store, NOW, { statuses: [status] })).map(({ entry }) => entry.sessionId as string)
      expect(expected.map(([other]) => [other, only.includes(other)])).toEqual(
        expected.map(([other]) => [other, other === id]),
      )
    }
    const task = nodes.find(({ entry }) => entry.kind === 'task' && entry.taskId === work.id)
    expect([task?.entry.status, task?.entry.rollup?.running]).toEqual(['waiting', 0])
    expect(rows.find((row) => row.taskId === work.id)?.taskStatus).toBe('waiting')
  })

  test('a session is the same in the list of sessions and in the tree, and the filters divide the list', async () => {
    await world(24, async ({ store, now }) => {
      const read = await statusesAt(now, SETTINGS, store)
      const list = (page: PageRequest) => store.sessions.list({}, page)
      const { rows } = await list({ limit: 500 })
      const shown = await read(rows)
      const nodes = all(await walk(store, now)).filter(({ entry }) => entry.kind === 'session')
      const statusOf = new Map(nodes.map(({ entry }) => [entry.sessionId as string, entry.status as string]))
      const both = rows.flatMap(({ id }, at) => (statusOf.has(id) ? [[id, shown[at]?.status as string] as const] : []))
      expect(both.length).toBeGreaterThan(10)
      expect(new Set(both.map(([, status]) => status)).size).toBeGreaterThan(2)
      expect(both).toEqual(both.map(([id]) => [id, statusOf.get(id) as string]))
      for (const status of SHOWN_SESSION_STATUSES) {
        const only: string[] = []
        for (let cursor: string | undefined; ; ) {
          const page = await listByStatus(list, [status], { limit: 7, cursor }, read)
          only.push(...page.rows.map(({ id }) => id))
          if (page.nextCursor === null) break
          cursor = page.nextCursor
        }
        expect([status, only]).toEqual([
          status,
          rows.flatMap(({ id }, at) => (shown[at]?.status === status ? [id] : [])),
        ])
      }
    })
  })

  test('a list of tasks by status is what its rows say, and a run that asks waits for its person everywhere', async () => {
    await world(23, async ({ store }) => {
      const { rows } = await store.tasks.list({}, { limit: 500 })
      const asking = rows.filter(({ status }) => status === 'waiting')
      expect(asking.length).toBeGreaterThan(0)
      for (const status of SHOWN_TASK_STATUSES) {
        const only = await store.tasks.list({ statuses: [status] }, { limit: 500 })
        expect([status, only.rows.map(({ id }) => id)]).toEqual([
          status,
          rows.flatMap((task) => (task.status === status ? [task.id] : [])),
        ])
      }
      const fleet = await store.fleet.show(Date.now())
      expect(fleet.queue.byStatus.waiting).toBe(asking.length)
      const waits = fleet.leases.flatMap(({ attempt, isWaiting }) => (isWaiting ? [attempt.taskId] : []))
      expect(waits.toSorted()).toEqual(asking.map(({ id }) => id).toSorted())
    })
  })
})
