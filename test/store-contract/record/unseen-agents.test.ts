import { expect, test } from 'bun:test'
import { UTC } from '../../../src/domain/cost/zone-days'
import { sessionId } from '../../../src/domain/ids'
import type { Store } from '../../../src/domain/store'
import { onEachDatabase } from '../databases'
import {
  freshId,
  type SampleSession,
  sampleEvent,
  sampleHost,
  sampleSession,
  sampleSubagent,
  sampleUsage,
} from '../sample'
import { readAll } from '../walk-tree'

const NOW = 10_000

/** The agent's own transcript comes: its lines and their usage. */
const ownLines = (store: Store, session: SampleSession, agent: string) =>
  store.write(async ({ record }) => {
    const { key } = await record.subagent(session.key, agent, 'agent')
    await record.insertEvents([sampleEvent(session, { subagentKey: key, isMainFile: false })])
    await record.mergeUsage([
      sampleUsage(session, { messageId: freshId('m'), subagentKey: key, isMainFile: false, inputTokens: 900 }),
    ])
  })

/** What the launcher heard. */
const told = (store: Store, session: SampleSession, agent: string, reportedTokens: number) =>
  store.write(({ record }) =>
    record.mergeSubagents([
      sampleSubagent(session, agent, { reportedTokens, startedAt: 500, model: 'claude-opus-5-5' }),
    ]),
  )

async function withMain(store: Store): Promise<{ session: SampleSession; folder: string }> {
  const folder = `/home/u/${freshId('unseen')}`
  const session = await store.write(async (tx) => {
    const made = await sampleSession(tx)
    await tx.record.setSessionProject(
      made.key,
      await tx.record.project(await sampleHost(tx.record), folder, null, folder),
    )
    await tx.record.mergeUsage([sampleUsage(made, { messageId: freshId('m'), inputTokens: 100 })])
    return made
  })
  return { session, folder }
}

/** What every read says of it. */
async function look(store: Store, { session, folder }: Awaited<ReturnType<typeof withMain>>) {
  const id = sessionId(session.id)
  const found = await store.sessions.find(id)
  const [agent] = await store.subagents.list(id)
  const { entries } = await readAll(store, `session:${id}`, NOW)
  const { entries: projects } = await readAll(store, null, NOW)
  const project = projects.find((entry) => entry.detail === folder)
  const { entries: inProject } = await readAll(store, project?.id ?? '', NOW)
  const sums = (since?: number) =>
    store.costs.sum({ by: 'session', sessionId: id, timeZone: UTC, limit: 10, ...(since !== undefined && { since }) })
  const rollup = (entry: (typeof entries)[number] | undefined) => [entry?.rollup?.tokens, entry?.rollup?.unknownAgents]
  return {
    agent: [agent?.usage, agent?.reportedTokens, agent?.costUsd],
    session: [found?.usage.inputTokens, found?.counts.unknownAgents],
    costs: [(await sums()).total.usage.inputTokens, (await sums()).unknownAgents, (await sums(501)).unknownAgents],
    trees: [rollup(project), rollup(inProject[0]), rollup(entries[0])],
  }
}

onEachDatabase((database) => {
  test('what an agent used without a transcript of its own is unknown in every sum, and its reported tokens are told', async () => {
    const { store } = database
    const made = await withMain(store)
    await told(store, made.session, 'a1', 12_345)
    expect(await look(store, made)).toEqual({
      agent: [null, 12_345, null],
      session: [100, 1],
      costs: [100, 1, 0],
      trees: [
        [109, 1],
        [109, 1],
        [0, 1],
      ],
    })
  })

  test('what was reported and what its transcript holds never count together, whichever comes first', async () => {
    const { store } = database
    const [before, after] = [await withMain(store), await withMain(store)]
    await told(store, before.session, 'a1', 12_345)
    await ownLines(store, before.session, 'a1')
    await ownLines(store, after.session, 'a1')
    await told(store, after.session, 'a1', 12_345)
    for (const made of [before, after])
      expect(await look(store, made)).toMatchObject({
        agent: [{ inputTokens: 900 }, null, expect.any(Number)],
        session: [1_000, 0],
        costs: [1_000, 0, 0],
        trees: [
          [1_018, 0],
          [1_018, 0],
          [909, 0],
        ],
      })
  })

  test('of several reports the largest counts, in every order', async () => {
    const { store } = database
    for (const reports of [
      [10, 30, 20],
      [30, 20, 10],
    ]) {
      const made = await withMain(store)
      for (const tokens of reports) await told(store, made.session, 'a1', tokens)
      expect((await look(store, made)).agent[1]).toBe(30)
    }
  })
})
