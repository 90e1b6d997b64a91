import { expect, test } from 'bun:test'
import { UTC } from '../../src/domain/cost/zone-days'
import { sessionId } from '../../src/domain/ids'
import type { Store } from '../../src/domain/store'
import { readTimeline } from '../../src/engine/conversation/read-timeline'
import { readOverview } from '../../src/engine/overview/overview'
import { onEachDatabase } from '../store-contract/databases'
import { freshId, sampleEvent, sampleUsage, subagentKeyOf } from '../store-contract/sample'
import { readAll } from '../store-contract/walk-tree'
import { addRun, addSession, addWork, ago, DAY, inSession, MINUTE, NOW, SETTINGS } from './scene'

interface Told {
  costUsd: number | null
  isEstimate: boolean
}

const costOf = (of: Told | null | undefined) =>
  of ? { costUsd: of.costUsd === null ? null : Number(of.costUsd.toFixed(6)), isEstimate: of.isEstimate } : undefined

/** A task at work in a session of these models, a message of a million tokens each; the first one is a sub-agent's. */
async function addTaskOf(store: Store, models: readonly [string, ...string[]]) {
  const folder = `/home/u/${freshId('priced')}`
  const session = await addSession(store, { activity: 'working', at: ago(MINUTE), process: 'alive', cwd: folder })
  const agent = await addRun(store, session, { startedAt: ago(2 * MINUTE), endedAt: ago(MINUTE) })
  await store.write(async ({ record }) => {
    const key = await subagentKeyOf(record, session, agent)
    await record.insertEvents([sampleEvent(session, { subagentKey: key, isMainFile: false, at: ago(MINUTE) })])
    await record.mergeUsage(
      models.map((model, at) =>
        sampleUsage(session, {
          model,
          at: ago(MINUTE),
          inputTokens: 1_000_000,
          outputTokens: 0,
          cacheReadTokens: 0,
          cacheCreationTokens: 0,
          ...(at === 0 && { subagentKey: key, isMainFile: false }),
        }),
      ),
    )
  })
  const id = sessionId(session.id)
  const work = await addWork(
    store,
    { status: 'in_progress', lastSessionId: id },
    { conversation: inSession(session), startedAt: ago(5 * MINUTE) },
  )
  return { session: id, agent, task: work.id }
}

/** What every read says that this cost, by who says it. */
async function told(store: Store, { session, agent, task }: Awaited<ReturnType<typeof addTaskOf>>) {
  const found = await store.sessions.find(session)
  if (found === undefined) throw new Error('the session is not there')
  const { running, finished } = await readOverview(store, NOW, SETTINGS, { since: ago(DAY), limit: 200 })
  const { entries: below } = await readAll(store, `session:${session}`, NOW)
  const { entries: ofTask } = await readAll(store, `task:${task}`, NOW)
  const timeline = await readTimeline(store.conversations, found, { limit: 10, askingTools: SETTINGS.askingTools })
  const costs = await store.costs.sum({ by: 'task', taskId: task, timeZone: UTC, limit: 10 })
  const agents = await store.subagents.list(session)
  return {
    whole: {
      session: costOf(found),
      task: costOf((await store.costs.ofTasks([task])).get(task)),
      running: costOf(running.find((row) => row.taskId === task)),
      tree: costOf(ofTask.find((entry) => entry.sessionId === session)?.rollup),
      costs: costOf(costs.rows[0]),
      total: costOf(costs.total),
    },
    agent: {
      subagent: costOf(agents.find(({ id }) => id === agent)),
      finished: costOf(finished.find((row) => row.subagentId === agent)),
      tree: costOf(below.find((entry) => entry.subagentId === agent)?.rollup),
      lane: costOf(timeline.lanes.find((lane) => lane.subagent?.id === agent)),
    },
    main: costOf(timeline.lanes[0]),
  }
}

const allAre = (of: object, cost: Told) =>
  expect(of).toEqual(Object.fromEntries(Object.keys(of).map((name) => [name, cost])))

onEachDatabase((database) => {
  test('what an unknown model of a known family costs is told as an estimate wherever a cost is told', async () => {
    const { store } = database
    const { whole, agent, main } = await told(store, await addTaskOf(store, ['claude-opus-9', 'claude-opus-5-5']))
    allAre(whole, { costUsd: 8, isEstimate: true })
    allAre(agent, { costUsd: 4, isEstimate: true })
    expect(main).toEqual({ costUsd: 4, isEstimate: false })
  })

  test('what only models of the list cost is marked nowhere', async () => {
    const { store } = database
    const { whole, agent, main } = await told(store, await addTaskOf(store, ['claude-opus-5', 'claude-opus-5-5']))
    allAre(whole, { costUsd: 9, isEstimate: false })
    allAre(agent, { costUsd: 5, isEstimate: false })
    expect(main).toEqual({ costUsd: 4, isEstimate: false })
  })

  test('a model without any price is left out of every sum, which says so, and alone it has no cost', async () => {
    const { store } = database
    const { whole, agent, main } = await told(store, await addTaskOf(store, ['nobody-knows-1', 'claude-opus-5-5']))
    allAre(whole, { costUsd: 4, isEstimate: true })
    allAre(agent, { costUsd: null, isEstimate: false })
    expect(main).toEqual({ costUsd: 4, isEstimate: false })
    const unpriced = await told(store, await addTaskOf(store, ['nobody-knows-1', 'nobody-knows-2']))
    allAre(unpriced.whole, { costUsd: null, isEstimate: false })
  })
})
