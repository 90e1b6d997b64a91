import { describe, expect, test } from 'bun:test'
import { TASK_LIMITS } from '../../src/domain/task/task-limits'
import type { CreateTask } from '../../src/engine/tasks/task-inputs'
import { onEachDatabase } from '../store-contract/databases'
import { Crew, callerOf, OPERATOR, refused } from './crew'

onEachDatabase((database) => {
  const crew = () => new Crew(database.store)
  const count = async () => Object.values(await database.store.tasks.countByStatus()).reduce((a, b) => a + b, 0)

  describe('a new task', () => {
    test('has every field that was given, and says why it is where it is', async () => {
      const c = crew()
      const worker = await c.worker('given', { capabilities: ['gpu'] })
      const epic = await c.service.createEpic(OPERATOR, { title: 'Big' }, null)
      const input: CreateTask = {
        task: '\n  First line\nsecond',
        priority: 70,
        tags: ['b', 'a', 'b'],
        source: 'cli',
        taskType: 'fix',
        dir: '/work/project',
        agentId: 'given',
        requiredCapabilities: ['gpu', 'gpu'],
        epicId: epic.id,
        issueId: epic.id,
        sessionId: 'chat-1' as never,
        model: 'opus',
        permissionMode: 'acceptEdits',
        maxTurns: 5,
        maxCostUsd: 1.5,
        timeoutMs: 60_000,
        retryPolicy: { maximumAttempts: 1 },
        worktree: { base: 'main' },
      }
      const { task, routed, isRepeat } = await c.make(input)
      expect({ routed, isRepeat }).toEqual({ routed: null, isRepeat: false })
      expect(task).toMatchObject({
        ...input,
        title: 'First line',
        tags: ['b', 'a'],
        agentId: worker.id,
        agentName: 'given',
        assignedBy: 'caller',
        requiredCapabilities: [c.word, 'gpu'],
        status: 'pending',
        reason: 'created by operator; assigned by its creator',
        retryPolicy: { maximumAttempts: 1, initialIntervalMs: 1_000 },
        worktree: { base: 'main' },
        claudeSessionId: null,
      })
      expect(await c.task(task.id)).toEqual(task)
      expect(await c.moves(task.id)).toEqual(['created -> pending: created by operator; assigned by its creator'])
    })

    test('waits for its time, and is woken then', async () => {
      const c = crew()
      const worker = await c.worker('timed', { capabilities: ['timed'] })
      await c.service.sweep()
      const notBefore = new Date(c.now + 5_000).toISOString()
      const task = await c.create({ notBefore, requiredCapabilities: ['timed'] })
      expect(task).toMatchObject({ status: 'pending', waitingFor: 'time', notBefore })
      expect((await worker.poll({ capacity: 1 })).assignments).toEqual([])
      expect((await refused(c.service.claim(worker.caller, task.id, {}))).message).toContain('waits until')
      await c.pass(6_000)
      expect(await c.task(task.id)).toMatchObject({ status: 'unassigned', waitingFor: null, notBefore: null })
      expect((await worker.take()).task.id).toBe(task.id)
    })

    test('in the backlog is taken by nobody until it is queued', async () => {
      const c = crew()
      const worker = await c.worker('shelf', { capabilities: ['shelf'] })
      const task = await c.create({ status: 'backlog', requiredCapabilities: ['shelf'] })
      expect((await worker.poll({ capacity: 1 })).assignments).toEqual([])
      expect((await refused(c.service.claim(worker.caller, task.id, {}))).code).toBe('conflict')
      await c.service.patch(OPERATOR, task.id, { status: 'unassigned' })
      expect((await worker.take()).task.id).toBe(task.id)
    })
  })

  describe('an Idempotency-Key', () => {
    test('makes one task of the same request, however often and at once it comes', async () => {
      const c = crew()
      const before = await count()
      const key = crypto.randomUUID()
      const made = await Promise.all([1, 2, 3, 4].map(() => c.make({ task: 'once', priority: 3, tags: ['x'] }, key)))
      expect(new Set(made.map(({ task }) => task.id)).size).toBe(1)
      expect(made.filter(({ isRepeat }) => !isRepeat)).toHaveLength(1)
      const again = await c.make({ tags: ['x'], priority: 3, task: 'once' }, key)
      expect(again).toMatchObject({ isRepeat: true, task: made[0]?.task })
      expect(await count()).toBe(before + 1)
    })

    test('with another request is a conflict, and another caller’s own', async () => {
      const c = crew()
      const key = crypto.randomUUID()
      const lead = await c.worker('keyed', { kind: 'lead' })
      const first = await c.make({ task: 'one' }, key)
      expect((await refused(c.make({ task: 'two' }, key))).code).toBe('conflict')
      const theirs = await c.make({ task: 'two' }, key, lead.caller)
      expect(theirs.task.id).not.toBe(first.task.id)
      expect((await refused(c.make({ task: 'x' }, 'a\nb'))).code).toBe('invalid')
      expect((await refused(c.make({ task: 'x' }, 'k'.repeat(201)))).code).toBe('invalid')
    })

    test('makes one epic', async () => {
      const c = crew()
      const key = crypto.randomUUID()
      const epic = await c.service.createEpic(OPERATOR, { title: 'E' }, key)
      expect(epic).toMatchObject({
        type: 'epic',
        status: 'open',
        priority: 2,
      })
      expect(epic.id).toMatch(/^ld-[0-9a-z]{4,}$/)
      expect(await c.service.createEpic(OPERATOR, { title: 'E' }, key)).toEqual(epic)
      const { task } = await c.service.createInEpic(
        OPERATOR,
        epic.id,
        { task: 'part', requiredCapabilities: [c.word] },
        null,
      )
      expect(task.epicId).toBe(epic.id)
    })
  })

  describe('refuses', () => {
    const long = 'x'.repeat(TASK_LIMITS.text + 1)
    const cases: [string, Partial<CreateTask>, string, string][] = [
      ['an empty text', { task: ' \n' }, 'invalid', 'task is empty'],
      ['a text over the limit', { task: long }, 'too_large', '200000'],
      ['a title over the limit', { title: 'x'.repeat(301) }, 'too_large', 'title'],
      ['too many tags', { tags: Array.from({ length: 51 }, String) }, 'too_large', 'tags'],
      ['a long tag', { tags: ['x'.repeat(101)] }, 'too_large', '100'],
      ['too many dependencies', { dependsOn: Array(1_001).fill('t-00000000') }, 'too_large', '1000'],
      ['a priority out of bounds', { priority: 101 }, 'invalid', 'priority'],
      ['a folder that is not absolute', { dir: 'here' }, 'invalid', 'dir'],
      ['a model that reads like a flag', { model: '--dangerously' }, 'invalid', 'model'],
      ['a revision that reads like a flag', { worktree: { base: '-b' } }, 'invalid', 'worktree.base'],
      ['a time that is none', { notBefore: 'tomorrow' }, 'invalid', 'notBefore'],
      ['a cost below nothing', { maxCostUsd: -1 }, 'invalid', 'maxCostUsd'],
      ['no try at all', { retryPolicy: { maximumAttempts: 0 } }, 'invalid', 'maximumAttempts'],
      ['an unknown dependency', { dependsOn: ['t-zzzzzzzz'] }, 'not_found', 't-zzzzzzzz'],
      ['an unknown agent', { agentId: 'nobody' }, 'not_found', 'nobody'],
      ['an unknown issue', { issueId: 'ld-none' }, 'not_found', 'ld-none'],
      ['an unknown epic', { epicId: 'ld-none' }, 'not_found', 'epic'],
      ['an assignment and an offer at once', { agentId: 'r', offeredTo: 'r' }, 'invalid', 'offeredTo'],
    ]
    test.each(cases)('%s, and makes nothing', async (_, input, code, message) => {
      const before = await count()
      const error = await refused(crew().create(input))
      expect(error.code).toBe(code)
      expect(error.message).toContain(message)
      expect(await count()).toBe(before)
    })

    test('an agent that can not do it', async () => {
      const c = crew()
      await c.worker('unable')
      const error = await refused(c.create({ agentId: 'unable', requiredCapabilities: ['gpu'] }))
      expect(error).toMatchObject({ code: 'conflict', message: 'unable lacks gpu.' })
    })

    test('more levels of parents than the limit', async () => {
      const c = crew()
      let parent = await c.create()
      for (let level = 0; level < TASK_LIMITS.depth; level++) parent = await c.create({ parentTaskId: parent.id })
      const error = await refused(c.create({ parentTaskId: parent.id }))
      expect(error).toMatchObject({ code: 'too_large', details: { limit: TASK_LIMITS.depth } })
    })
  })

  describe('an id', () => {
    test('may be a beginning that only one task has', async () => {
      const c = crew()
      const task = await c.create()
      expect((await c.service.cancel(OPERATOR, task.id.slice(0, 9), {})).id).toBe(task.id)
      expect((await c.service.retry(OPERATOR, task.id.slice(2), {})).id).toBe(task.id)
    })

    test('that is none, or nobody’s, is refused with what is near', async () => {
      const c = crew()
      const task = await c.create()
      const wrong = `${task.id.slice(0, 9)}${task.id.endsWith('0') ? '1' : '0'}`
      const error = await refused(c.service.cancel(OPERATOR, wrong, {}))
      expect(error).toMatchObject({ code: 'not_found', details: { nearest: [task.id] } })
      expect((await refused(c.service.cancel(OPERATOR, "t-'; drop", {}))).code).toBe('invalid')
      expect((await refused(c.service.cancel(OPERATOR, 't', {}))).code).toBe('invalid')
    })
  })

  describe('a run that makes a task', () => {
    test('is its parent and its maker, and the task starts fresh', async () => {
      const c = crew()
      const worker = await c.worker('maker', { capabilities: ['maker'] })
      const own = await c.create({ requiredCapabilities: ['maker'] })
      const given = await worker.take()
      const conversation = await worker.converse(given)
      const child = await c.create(
        { spawnedBy: { sessionId: 'forged' as never, toolUseId: 'toolu_9' as never } },
        callerOf(given, worker),
      )
      expect(child).toMatchObject({
        parentTaskId: own.id,
        continuity: 'fresh',
        status: 'unassigned',
        source: 'attempt',
        creatorAgentId: worker.id,
        spawnedBy: { sessionId: conversation, toolUseId: 'toolu_9' },
      })
    })
  })
})
