import { expect, test } from 'bun:test'
import { operations } from '../../../src/api/contract/operations'
import { MAX_TASK_COSTS } from '../../../src/api/contract/protocol'
import { type TaskId, taskId } from '../../../src/domain/ids'
import type { Store } from '../../../src/domain/store'
import { onEachDatabase } from '../../store-contract/databases'
import { sampleSession, sampleUsage } from '../../store-contract/sample'
import { schemaOf } from '../answers/declared-answers'
import { TOKEN } from '../start-api'
import { joinWorker, serveTasks } from './serve-tasks'

/** A conversation with one message, as the record has it. */
const record = (store: Store, id: string, inputTokens: number): Promise<void> =>
  store.write(async (tx) => {
    const session = await sampleSession(tx, { id })
    await tx.record.mergeUsage([sampleUsage(session, { model: 'claude-opus-5-5', inputTokens })])
  })

onEachDatabase((database) => {
  const tokens = { outputTokens: 2, cacheReadTokens: 3, cacheCreationTokens: 4 }

  test('what is recorded of a task stands beside what its run reported, and is told of many at once', async () => {
    await using api = serveTasks(database.store)
    const worker = await joinWorker(api)
    const { client } = api
    const { task } = await client.tasks.create({ task: 'dig', agentId: worker.join.name })
    const { task: idle } = await client.tasks.create({ task: 'rest', status: 'backlog' })
    const { assignment } = await worker.client.tasks.claim(task.id)
    const run = api.as(assignment?.token ?? '')
    const session = crypto.randomUUID()
    expect((await client.tasks.get(task.id)).recorded).toBeNull()
    await run.tasks.setConversation(task.id, { claudeSessionId: session })
    expect((await client.tasks.get(task.id)).recorded).toBeNull()
    await record(database.store, session, 1_000_000)

    const { task: shown, recorded } = await client.tasks.get(task.id)
    // The run goes on: it has reported nothing yet.
    expect(shown.costUsd).toBeNull()
    expect(recorded?.usage).toEqual({ inputTokens: 1_000_000, ...tokens })
    expect(recorded?.costUsd).toBeGreaterThan(1)
    const { costs } = await client.tasks.costs({ id: [task.id, idle.id, taskId('t-nobody01')] })
    expect(costs as object[]).toEqual([{ taskId: task.id, ...recorded }])
    const [row] = (await client.costs({ by: 'task', taskId: task.id })).rows
    expect(row).toMatchObject({ ...recorded })
    expect(schemaOf(operations.tasks.costs).parse({ costs })).toEqual({ costs })
    // The run sees its own; the run of another tree nothing of it.
    expect((await run.tasks.get(task.id)).recorded).toEqual(recorded)
    const onlooker = await joinWorker(api)
    const { task: other } = await client.tasks.create({ task: 'look', agentId: onlooker.join.name })
    const { assignment: looking } = await onlooker.client.tasks.claim(other.id)
    await expect(api.as(looking?.token ?? '').tasks.get(task.id)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('costs are asked for by whole ids, as many as one answer holds, and by who may see costs', async () => {
    await using api = serveTasks(database.store)
    const { task } = await api.client.tasks.create({ task: 'dig', status: 'backlog' })
    const many = (count: number): TaskId[] => Array.from({ length: count }, (_, n) => taskId(`t-none${n}`))
    expect(await api.client.tasks.costs({ id: many(MAX_TASK_COSTS) })).toEqual({ costs: [] })
    // A beginning is no id here, and the word of the path is no task.
    expect(await api.client.tasks.costs({ id: [taskId(task.id.slice(0, 6))] })).toEqual({ costs: [] })
    const refused: [string, string][] = [
      ['', 'query'],
      ['?id=', 'id'],
      [`?id=${many(MAX_TASK_COSTS + 1).join(',')}`, 'id'],
      ['?id=a%20b', 'id'],
      ['?id=t-a&id=t-b', 'twice'],
      [`?id=${task.id}&since=2026-01-01T00:00:00Z`, 'since'],
    ]
    for (const [query, word] of refused) {
      const headers = { authorization: `Bearer ${TOKEN}` }
      const response = await fetch(`${api.origin}/api/tasks/costs${query}`, { headers })
      const { error } = (await response.json()) as { error: object }
      expect([query, response.status]).toEqual([query, 400])
      expect(JSON.stringify(error)).toContain(word)
    }
    const worker = await joinWorker(api)
    await expect(worker.client.tasks.costs({ id: [task.id] })).rejects.toMatchObject({ status: 403 })
  })
})
