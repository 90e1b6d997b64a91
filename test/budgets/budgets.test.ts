import { expect, test } from 'bun:test'
import type { Budget } from '../../src/domain/budget/budget'
import { sessionId, type TaskId } from '../../src/domain/ids'
import { createBudgetService } from '../../src/engine/budgets/budget-service'
import type { PutBudget } from '../../src/engine/budgets/budgets'
import { countBudgets } from '../../src/engine/budgets/count'
import { newsOfBudget } from '../../src/engine/notify/news'
import { readOverview } from '../../src/engine/overview/overview'
import { failureOf, onEachDatabase } from '../store-contract/databases'
import { freshId, sampleSession, sampleSubagent, sampleUsage, subagentKeyOf } from '../store-contract/sample'
import { Crew, type Member, OPERATOR } from '../tasks/crew'

const NOON = Date.parse('2026-03-10T12:00:00Z')
const DAY = 86_400_000
let days = 0

onEachDatabase((database) => {
  /** Budgets and a day of its own, and a server's count. */
  async function begin() {
    const { store } = database
    const noon = NOON + days++ * DAY
    const crew = new Crew(store, { now: noon })
    const budgets = createBudgetService({ store, now: () => crew.now })
    for (const { name } of await store.budgets.rows()) await budgets.remove(OPERATOR, name)
    const count = async () => await budgets.takeCounts(await countBudgets(store, crew.now))
    const put = async (input: PutBudget) => {
      await budgets.put(OPERATOR, input)
      await count()
    }
    const shown = async (name: string): Promise<Budget | undefined> =>
      (await store.budgets.all(crew.now, [])).find((one) => one.name === name)
    const needs = async () =>
      (await readOverview(store, crew.now, { stuckAfterMs: 1, askingTools: new Set() }, { since: noon, limit: 500 }))
        .needs
    /** A conversation that the task is in, and what it uses, at opus-5-5's price of $4 for a million tokens. */
    const use = async (worker: Member, tokens: number) => {
      const given = await worker.take()
      const id = freshId('session')
      const conversation = {
        rung: 'fresh' as const,
        sessionId: sessionId(id),
        resumedSessionId: null,
        forked: false,
        forkPoint: null,
        whyNot: [],
      }
      await crew.service.report(worker.caller, given.attemptId, { conversation })
      await store.write(async (tx) => {
        const session = await sampleSession(tx, { id })
        const usage = { outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 }
        await tx.record.mergeUsage([
          sampleUsage(session, { at: crew.now, model: 'claude-opus-5-5', inputTokens: tokens, ...usage }),
        ])
      })
      return given
    }
    return { midnight: noon + DAY / 2, store, crew, budgets, count, put, shown, needs, use }
  }
  const statusOf = async (crew: Crew, id: TaskId) => {
    const { status, pausedBy, reason } = await crew.task(id)
    return { status, pausedBy, reason }
  }

  test('a budget of a task counts all below it, and holds them before a turn until more is allowed', async () => {
    const { crew, put, budgets, count, shown, needs, use } = await begin()
    const worker = await crew.worker(`w-${crypto.randomUUID()}`)
    const parent = await crew.create()
    const child = await crew.create({ parentTaskId: parent.id, continuity: 'fresh' })
    const other = await crew.create()
    await put({ name: 'tree', unit: 'usd', most: 4, action: 'ask', taskId: parent.id })
    await worker.end(await use(worker, 500_000), 'completed')
    await worker.end(await use(worker, 500_000), 'released')
    expect((await shown('tree'))?.state).toBe('within')
    await count()
    expect(await shown('tree')).toMatchObject({ used: 4, state: 'over', periodUntil: null, isEstimate: false })
    // The other task is nobody's budget.
    const given = await worker.take()
    expect(given.task.id).toBe(other.id)
    expect((await worker.poll({ capacity: 1 })).assignments).toEqual([])
    expect(await statusOf(crew, child.id)).toEqual({
      status: 'paused',
      pausedBy: 'limit',
      reason: 'The budget tree is used up: $4.00 of $4.00',
    })
    expect((await shown('tree'))?.heldTasks).toEqual([child.id])
    expect((await needs()).filter(({ kind }) => kind === 'budget')).toMatchObject([
      {
        title: 'budget tree',
        text: '$4.00 of $4.00 is used. Its tasks wait until you allow more.',
        command: 'lode budget allow tree',
        taskId: parent.id,
        canDismiss: true,
      },
    ])
    // Time does not help, and a resume by a person meets the same.
    await crew.pass(3_000)
    await crew.service.resume(OPERATOR, child.id)
    expect((await worker.poll({ capacity: 1 })).assignments).toEqual([])
    await budgets.allow(OPERATOR, 'tree', 1)
    expect((await needs()).filter(({ kind }) => kind === 'budget')).toEqual([])
    expect((await worker.take()).task.id).toBe(child.id)
    expect((await shown('tree'))?.heldTasks).toEqual([])
  })

  test('a budget of a day that parks stops its run, which goes on with the next day', async () => {
    const { crew, put, count, use, midnight } = await begin()
    const worker = await crew.worker(`w-${crypto.randomUUID()}`)
    const task = await crew.create()
    const given = await use(worker, 2_000_000)
    await put({ name: 'day', unit: 'tokens', most: 1_000_000, action: 'park' })
    const { commands } = await worker.poll()
    expect(commands).toMatchObject([{ kind: 'pause', attemptId: given.attemptId }])
    await worker.end(given, 'paused', { reason: '' })
    expect(await statusOf(crew, task.id)).toMatchObject({ status: 'paused', pausedBy: 'limit' })
    crew.now = midnight - 1
    await crew.service.sweep()
    expect((await worker.poll({ capacity: 1 })).assignments).toEqual([])
    crew.now = midnight
    await crew.service.sweep()
    expect((await worker.take()).task.id).toBe(task.id)
    await count()
    expect((await worker.poll()).commands).toEqual([])
  })

  test('a run that a person stops after its budget did waits for the person', async () => {
    const { crew, put, use } = await begin()
    const worker = await crew.worker(`w-${crypto.randomUUID()}`)
    const task = await crew.create()
    const given = await use(worker, 2_000_000)
    await put({ name: 'day', unit: 'tokens', most: 1_000_000, action: 'park' })
    await crew.service.pause(OPERATOR, task.id, {})
    await worker.end(given, 'paused', { reason: '' })
    expect((await crew.task(task.id)).pausedBy).toBe('person')
  })

  test('a budget that only warns holds nothing, and is told when it is nearly and when it is used up', async () => {
    const { store, crew, put, count, use, needs } = await begin()
    const worker = await crew.worker(`w-${crypto.randomUUID()}`)
    await crew.create()
    await put({ name: 'careful', unit: 'tokens', most: 1_000_000 })
    const near = async () => (await store.budgets.rows()).flatMap((row) => newsOfBudget(row, crew.now))
    await worker.end(await use(worker, 799_999), 'released')
    await count()
    expect(await near()).toEqual([])
    await worker.end(await use(worker, 1), 'released')
    await count()
    expect(await near()).toMatchObject([{ event: 'budget', text: '800,000 tokens of 1,000,000 tokens today is used.' }])
    await worker.end(await use(worker, 200_000), 'released')
    await count()
    expect(await near()).toEqual([])
    expect((await needs()).filter(({ kind }) => kind === 'budget')).toMatchObject([{ command: 'lode budget list' }])
    await worker.take()
  })

  test('a raised or removed budget lets its tasks go on, and one of another CLI holds none', async () => {
    const { crew, put, budgets, use } = await begin()
    const worker = await crew.worker(`w-${crypto.randomUUID()}`)
    await crew.create()
    await worker.end(await use(worker, 10), 'released')
    const isHeld = async () => (await worker.poll({ capacity: 1 })).assignments.length === 0
    const giveBack = async () => {
      for (const given of worker.held.values()) await worker.end(given, 'released')
    }
    await put({ name: 'b', unit: 'tokens', most: 5, action: 'ask', agentCli: 'codex' as never })
    expect(await isHeld()).toBe(false)
    await giveBack()
    await put({ name: 'b', most: 5, agentCli: null })
    expect(await isHeld()).toBe(true)
    await put({ name: 'b', most: 1_000 })
    expect(await isHeld()).toBe(false)
    await giveBack()
    await put({ name: 'b', most: 5 })
    expect(await isHeld()).toBe(true)
    await budgets.remove(OPERATOR, 'b')
    expect(await isHeld()).toBe(false)
  })

  test('a budget of a type of sub-agents counts what they used, and all others beside it', async () => {
    const { store, crew, put, shown } = await begin()
    const types = ['Explore', 'Explore', 'Explore:deep', null]
    await store.write(async (tx) => {
      const session = await sampleSession(tx, { id: freshId('session') })
      for (const [n, type] of types.entries()) {
        const subagentKey = await subagentKeyOf(tx.record, session, `a${n}`)
        await tx.record.mergeSubagents([sampleSubagent(session, `a${n}`, { type })])
        const usage = { inputTokens: 10 ** n, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 }
        await tx.record.mergeUsage([sampleUsage(session, { at: crew.now, subagentKey, ...usage })])
      }
    })
    const all = { unit: 'tokens', most: 2_000, period: 'day', action: 'warn' } as const
    await put({ ...all, name: 'all' })
    for (const subagent of ['Explore', 'Explore:deep', 'Plan'])
      await put({ ...all, name: `of-${subagent.length}`, subagent })
    expect((await shown('of-7'))?.used).toBe(11)
    expect((await shown('of-12'))?.used).toBe(100)
    expect((await shown('of-4'))?.used).toBe(0)
    expect((await shown('all'))?.used).toBe(1_111)
  })

  test('what makes no sense is refused with a hint', async () => {
    const { budgets, crew } = await begin()
    const task = await crew.create()
    const refuse = async (input: Partial<PutBudget>) => {
      const failure = await failureOf(budgets.put(OPERATOR, { name: 'b', unit: 'usd', most: 1, ...input }))
      expect(failure).toMatchObject({ code: 'invalid', hint: expect.any(String) })
    }
    await refuse({ name: '../b' })
    await refuse({ most: undefined })
    await refuse({ zone: 'Mars/Base' })
    await refuse({ unit: 'tokens', most: 1.5 })
    await refuse({ subagent: 'Explore', action: 'park' })
    await refuse({ taskId: task.id, project: 'x' })
    await refuse({ taskId: task.id, period: 'day' })
    expect(await failureOf(budgets.put(OPERATOR, { name: 'b', unit: 'usd', most: 0 }))).toMatchObject({
      code: 'invalid',
    })
    expect(await failureOf(budgets.put({ kind: 'viewer' }, { name: 'b', unit: 'usd', most: 1 }))).toMatchObject({
      code: 'forbidden',
    })
    expect(await failureOf(budgets.allow(OPERATOR, 'nothing', undefined))).toMatchObject({ code: 'not_found' })
  })
})
