import { expect, test } from 'bun:test'
import type { RecordedCost } from '../../../src/domain/cost/cost'
import { UTC } from '../../../src/domain/cost/zone-days'
import { type AgentKey, type SessionId, sessionId, type TaskId, type TaskKey, taskId } from '../../../src/domain/ids'
import type { Store } from '../../../src/domain/store'
import type { AttemptOutcome } from '../../../src/domain/task/task'
import { onEachDatabase } from '../databases'
import { freshId, sampleSession, sampleUsage, subagentKeyOf } from '../sample'
import { addAgent, addTask, sampleAttempt } from '../tasks-sample'
import { HOUR } from '../tree-world'

interface Had {
  number: number
  session: SessionId
  at: number
  outcome?: AttemptOutcome
}

/** Lets a task have a conversation from a time on. */
const give = (store: Store, agent: AgentKey, task: { key: TaskKey; id: string }, had: Had): Promise<void> =>
  store.write(async ({ tasks }) => {
    const key = await tasks.insertAttempt(sampleAttempt(task, agent, { number: had.number }))
    await tasks.updateAttempt(key, {
      startedAt: had.at,
      endedAt: had.at + 1,
      outcome: had.outcome ?? 'completed',
      conversation: {
        rung: 'native',
        sessionId: had.session,
        resumedSessionId: null,
        forked: false,
        forkPoint: null,
        whyNot: [],
      },
    })
  })

type Message = { at?: number | null; input: number; model?: string; agent?: string }

/** A recorded conversation with nothing but messages. */
const record = (store: Store, messages: readonly Message[]): Promise<SessionId> =>
  store.write(async (tx) => {
    const session = await sampleSession(tx, { id: freshId('session') })
    const rows = []
    for (const { at = 1, input, model = 'claude-opus-5-5', agent } of messages)
      rows.push(
        sampleUsage(session, {
          at,
          model,
          inputTokens: input,
          outputTokens: 0,
          cacheReadTokens: 0,
          cacheCreationTokens: 0,
          ...(agent !== undefined && { subagentKey: await subagentKeyOf(tx.record, session, agent) }),
        }),
      )
    await tx.record.mergeUsage(rows)
    return sessionId(session.id)
  })

/** Sums to a millionth of a dollar. */
const rounded = ({ usage, costUsd }: RecordedCost) => ({
  ...usage,
  microUsd: costUsd === null ? null : Math.round(costUsd * 1e6),
})

/** What both ways of asking say of these tasks; that they are equal is asserted. */
async function told(store: Store, ids: readonly TaskId[]): Promise<(number | undefined)[]> {
  const few = await store.costs.ofTasks(ids)
  const { rows } = await store.costs.sum({ by: 'task', timeZone: UTC, limit: 1_000 })
  const all = rows.filter((row) => row.taskId !== null && ids.includes(row.taskId))
  expect(new Map([...few].map(([id, cost]) => [id as string, rounded(cost)]))).toEqual(
    new Map(all.map((row) => [row.key, rounded(row)])),
  )
  return ids.map((id) => few.get(id)?.usage.inputTokens)
}

onEachDatabase((database) => {
  test('a task is told what its conversations come to, agents and an attempt that reported nothing counted in', async () => {
    const { store } = database
    const agent = await addAgent(store)
    const task = await addTask(store)
    const killed = await record(store, [{ input: 100_000 }, { input: 20_000, agent: 'a1' }])
    const anew = await record(store, [{ input: 3_000 }])
    await give(store, agent.key, task, { number: 1, session: killed, at: 1_000, outcome: 'lost' })
    await give(store, agent.key, task, { number: 2, session: anew, at: 2_000 })
    expect((await store.tasks.find(task.id))?.costUsd).toBeNull()
    expect(await told(store, [task.id])).toEqual([123_000])
    expect((await store.costs.ofTasks([task.id])).get(task.id)?.costUsd).toBeGreaterThan(0.1)
    // Said by its key it is the same.
    const byKey = await store.overview.taskCosts([task.key])
    expect(byKey.get(task.key)).toEqual((await store.costs.ofTasks([task.id])).get(task.id) as RecordedCost)
  })

  test('a conversation that went from task to task is of each while the task had it, whichever are asked for', async () => {
    const { store } = database
    const agent = await addAgent(store)
    const [first, second, third] = [await addTask(store), await addTask(store), await addTask(store)]
    const now = 1_000 * HOUR
    const session = await record(store, [
      { at: null, input: 1 },
      { at: now - HOUR, input: 10 },
      { at: now + HOUR, input: 100 },
      { at: now + 2 * HOUR, input: 1_000 },
      { at: now + 5 * HOUR, input: 10_000, model: 'claude-haiku-4-5' },
      { at: now + 7 * HOUR, input: 100_000 },
    ])
    const other = await record(store, [{ input: 7 }])
    await give(store, agent.key, first, { number: 1, session, at: now })
    await give(store, agent.key, second, { number: 1, session, at: now + 2 * HOUR })
    await give(store, agent.key, third, { number: 1, session, at: now + 4 * HOUR })
    // The first has it back, and another for itself.
    await give(store, agent.key, first, { number: 2, session, at: now + 6 * HOUR })
    await give(store, agent.key, first, { number: 3, session: other, at: now + 8 * HOUR })
    expect(await told(store, [first.id, second.id, third.id])).toEqual([100_118, 1_000, 10_000])
    expect(await told(store, [second.id])).toEqual([1_000])
    expect(await told(store, [third.id, first.id])).toEqual([10_000, 100_118])
  })

  test('what has no price is left out of the dollars, and there are none where nothing has one', async () => {
    const { store } = database
    const agent = await addAgent(store)
    const [mixed, unpriced] = [await addTask(store), await addTask(store)]
    const some = await record(store, [{ input: 1_000_000 }, { input: 500, model: 'nobody-knows-1' }])
    const none = await record(store, [{ input: 500, model: 'nobody-knows-1' }])
    await give(store, agent.key, mixed, { number: 1, session: some, at: 1 })
    await give(store, agent.key, unpriced, { number: 1, session: none, at: 1 })
    expect(await told(store, [mixed.id, unpriced.id])).toEqual([1_000_500, 500])
    const costs = await store.costs.ofTasks([mixed.id, unpriced.id])
    expect(costs.get(mixed.id)?.costUsd).toBeGreaterThan(1)
    expect(costs.get(unpriced.id)?.costUsd).toBeNull()
  })

  test('of a task without a recorded message nothing is told', async () => {
    const { store } = database
    const agent = await addAgent(store)
    const [begun, silent, early, waiting] = [
      await addTask(store),
      await addTask(store),
      await addTask(store),
      await addTask(store),
    ]
    await give(store, agent.key, begun, { number: 1, session: sessionId(freshId('session')), at: 1 })
    await give(store, agent.key, silent, { number: 1, session: await record(store, []), at: 1 })
    // Had the conversation and said nothing in it, while another did.
    const passed = await record(store, [{ at: HOUR, input: 5 }])
    await give(store, agent.key, waiting, { number: 1, session: passed, at: 1 })
    await give(store, agent.key, early, { number: 1, session: passed, at: 2 * HOUR })
    const ids = [begun.id, silent.id, early.id, taskId('t-nobody01'), waiting.id]
    expect(await told(store, ids)).toEqual([undefined, undefined, undefined, undefined, 5])
    expect(await store.costs.ofTasks([])).toEqual(new Map())
  })
})
