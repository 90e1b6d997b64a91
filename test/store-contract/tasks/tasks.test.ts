import { expect, test } from 'bun:test'
import {
  type AgentKey,
  address,
  agentId,
  eventId,
  issueId,
  planId,
  sessionId,
  type TaskKey,
  taskId,
} from '../../../src/domain/ids'
import type { NewTask, TaskPatch } from '../../../src/domain/task/task-store'
import { failureOf, onEachDatabase } from '../databases'
import { addAgent, addTask, freshTaskId, sampleAgent, sampleIssue, sampleTask } from '../tasks-sample'

/** A value other than the default in every field. */
const everyField = (agent: AgentKey, parent: { key: TaskKey; id: NewTask['id'] }): Required<NewTask> => ({
  id: freshTaskId(),
  text: 'all of it',
  title: 'all',
  status: 'pending',
  reason: 'waits',
  priority: 7,
  tags: ['a', 'b'],
  source: 'cli',
  taskType: 'review',
  dir: '/work/x',
  repository: 'https://host/app.git',
  share: '["ada","app"]',
  agentKey: agent,
  assignedBy: 'affinity',
  creatorAgentKey: agent,
  requiredCapabilities: ['bun', 'gpu'],
  agentClis: ['codex', 'claude-code'],
  neededClis: ['codex'],
  parentTaskId: parent.id,
  parentKey: parent.key,
  depth: 1,
  continuity: 'fresh',
  continueNow: true,
  onDependencyFailure: 'wait',
  unmetCount: 2,
  epicId: issueId('ld-1'),
  issueId: issueId('ld-2'),
  spawnedSessionId: sessionId('s-1'),
  spawnedToolUseId: 'toolu_1',
  sessionId: sessionId('s-2'),
  lastSessionId: sessionId('s-3'),
  nextSessionId: sessionId('s-4'),
  forkAt: eventId('5c1f0d5e-2b7a-4f3e-9f43-0a6c1d2e3f40'),
  startRung: 'preamble',
  progress: 'half',
  progressAt: 11,
  output: 'out',
  failureReason: 'broke',
  failureClass: 'crash',
  finishedBy: 'runner',
  pausedBy: 'limit',
  waitingFor: 'retry',
  notBefore: 12,
  model: 'opus',
  permissionMode: 'plan',
  maxTurns: 13,
  maxCostUsd: 1.25,
  timeoutMs: 14,
  retryPolicy: { maximumAttempts: 1, initialIntervalMs: 2, backoffCoefficient: 1.5, maximumIntervalMs: 4 },
  isWorktree: true,
  worktreeBase: 'main',
  attemptCount: 15,
  triesUsed: 16,
  lostCount: 17,
  dispatchReason: 'the only one',
  costUsd: 0.1,
  replyTo: address('t-aaaaaaaa'),
  onChildDone: 'resume',
  planId: planId('p-aaaaaaaa'),
  planKey: 'build',
  specialistId: agentId('a-bbbbbbbb'),
  startedAt: 18,
  finishedAt: 19,
})

onEachDatabase((database) => {
  test('a task comes back with every field as it was stored, and as it was changed', async () => {
    const { store } = database
    const agent = await addAgent(store)
    const parent = await addTask(store)
    const full = everyField(agent.key, parent)
    const bare = sampleTask()
    const made = await store.write(async (tx) => {
      const inserted = [await tx.tasks.insertTask(full), await tx.tasks.insertTask(bare)] as const
      const keys = [inserted[0].key, inserted[1].key] as const
      const seen = [await tx.tasks.task(full.id), await tx.tasks.taskByKey(keys[1])]
      expect(seen).toEqual([
        { ...full, key: keys[0], createdAt: tx.now, updatedAt: tx.now },
        { ...bare, key: keys[1], createdAt: tx.now, updatedAt: tx.now },
      ])
      expect(seen).toEqual([...inserted])
      return { keys, at: tx.now }
    })
    const { id: _, parentTaskId, parentKey, depth, creatorAgentKey, ...changes } = full
    await store.write(async (tx) => {
      await tx.tasks.updateTask(made.keys[1], changes)
      const kept = { id: bare.id, parentTaskId: null, parentKey: null, depth: 0, creatorAgentKey: null }
      expect(await tx.tasks.taskByKey(made.keys[1])).toEqual({
        ...full,
        ...kept,
        key: made.keys[1],
        createdAt: made.at,
        updatedAt: tx.now,
      })
    })
    const nullable: TaskPatch = Object.fromEntries(
      Object.entries(changes).flatMap(([name]) => (bare[name as keyof NewTask] === null ? [[name, null]] : [])),
    )
    await store.write(async (tx) => {
      await tx.tasks.updateTask(made.keys[0], nullable)
      expect(await tx.tasks.task(full.id)).toMatchObject({
        ...full,
        ...nullable,
        parentTaskId,
        parentKey,
        depth,
        creatorAgentKey,
      })
      await tx.tasks.updateTask(made.keys[0], {})
      for (const key of made.keys) await tx.tasks.updateTask(key, { status: 'cancelled' })
      expect(await tx.tasks.task(taskId('t-nosuch'))).toBeUndefined()
    })
  })

  test('an id is given once, and the unit that tries again loses nothing else', async () => {
    const { store } = database
    const { id } = await addTask(store)
    const issue = sampleIssue()
    const agent = sampleAgent()
    await store.write(async (tx) => {
      await tx.tasks.insertIssue(issue)
      await tx.tasks.insertAgent(agent)
    })
    for (const again of [
      () => store.write((tx) => tx.tasks.insertTask(sampleTask({ id }))),
      () => store.write((tx) => tx.tasks.insertIssue(issue)),
      () => store.write((tx) => tx.tasks.insertAgent(agent)),
      () => store.write((tx) => tx.tasks.insertAgent(sampleAgent({ name: agent.name }))),
    ])
      expect((await failureOf(again())).code).toBe('conflict')
    const seen = await store.write(async (tx) => {
      const refused = await failureOf((async () => await tx.tasks.insertTask(sampleTask({ id })))())
      const next = freshTaskId()
      await tx.tasks.insertTask(sampleTask({ id: next }))
      return { code: refused.code, next: await tx.tasks.task(next) }
    })
    expect(seen).toMatchObject({ code: 'conflict', next: { text: 'do it' } })
  })

  test('dependencies are told from both ends, over any number of steps', async () => {
    const { store } = database
    const [a, b, c, d, alone] = (await Promise.all(Array.from({ length: 5 }, () => addTask(store)))) as [
      Made,
      Made,
      Made,
      Made,
      Made,
    ]
    await store.write(async ({ tasks }) => {
      await tasks.lockDependencies()
      await tasks.addDependencies(d.key, [c.key, a.key])
      await tasks.addDependencies(d.key, [c.key])
      await tasks.addDependencies(c.key, [b.key])
      await tasks.addDependencies(b.key, [a.key])
      await tasks.addDependencies(alone.key, [])
      const named = (await tasks.dependencies(d.key)).toSorted((x, y) => x.key - y.key)
      expect(named).toEqual(
        [a, c].map(({ key, id }) => ({ key, id, status: 'unassigned' as const })).toSorted((x, y) => x.key - y.key),
      )
      expect((await tasks.dependents(a.key)).map((row) => row.key)).toEqual([b.key, d.key].toSorted((x, y) => x - y))
      expect(await tasks.dependsOn(d.key, a.key)).toBe(true)
      expect(await tasks.dependsOn(c.key, a.key)).toBe(true)
      expect(await tasks.dependsOn(a.key, d.key)).toBe(false)
      expect(await tasks.dependsOn(alone.key, a.key)).toBe(false)
      expect(await tasks.dependsOn(a.key, a.key)).toBe(false)

      await tasks.removeDependencies(d.key, [c.key, alone.key])
      expect((await tasks.dependencies(d.key)).map(({ id }) => id)).toEqual([a.id])
      expect(await tasks.dependents(c.key)).toEqual([])
    })
  })

  test('dependents that are over are left out, but for those that failed only because of a dependency', async () => {
    const { store } = database
    const base = await addTask(store)
    const expected: TaskKey[] = []
    const states: [Partial<NewTask>, boolean][] = [
      [{ status: 'backlog' }, true],
      [{ status: 'pending', waitingFor: 'dependency' }, true],
      [{ status: 'in_progress' }, true],
      [{ status: 'paused' }, true],
      [{ status: 'completed' }, false],
      [{ status: 'cancelled' }, false],
      [{ status: 'failed', failureClass: 'crash' }, false],
      [{ status: 'failed', failureClass: null }, false],
      [{ status: 'failed', failureClass: 'dependency_failed' }, true],
    ]
    for (const [state, isGiven] of states) {
      const task = await addTask(store, state)
      await store.write((tx) => tx.tasks.addDependencies(task.key, [base.key]))
      if (isGiven) expected.push(task.key)
    }
    expect((await store.write(async (tx) => await tx.tasks.dependents(base.key))).map((row) => row.key)).toEqual(
      expected,
    )
  })

  test('children that wait for their parent are found', async () => {
    const { store } = database
    const parent = await addTask(store)
    const below = { parentKey: parent.key, parentTaskId: parent.id, depth: 1 }
    const waits = await addTask(store, { ...below, status: 'pending', waitingFor: 'parent' })
    await addTask(store, below)
    expect((await store.write(async (tx) => await tx.tasks.waitingChildren(parent.key))).map((row) => row.id)).toEqual([
      waits.id,
    ])
  })

  test('tasks are due when their time has passed and they wait for it, the longest overdue first', async () => {
    const { store } = database
    const late = await addTask(store, { status: 'pending', waitingFor: 'retry', notBefore: 10 })
    const later = await addTask(store, { status: 'pending', waitingFor: 'limit', notBefore: 5 })
    const timed = await addTask(store, { status: 'pending', waitingFor: 'time', notBefore: 20 })
    const paused = await addTask(store, { status: 'paused', pausedBy: 'limit', notBefore: 15 })
    for (const row of [
      { status: 'pending', waitingFor: 'retry', notBefore: 21 },
      { status: 'pending', waitingFor: 'dependency', notBefore: 1 },
      { status: 'paused', pausedBy: 'person', notBefore: 1 },
      { status: 'pending', waitingFor: 'retry', notBefore: null },
      { status: 'cancelled', waitingFor: 'retry', notBefore: 1 },
      { status: 'unassigned', notBefore: 1 },
    ] satisfies Partial<NewTask>[])
      await addTask(store, row)
    const due = (at: number, limit: number) =>
      store.write(async (tx) => (await tx.tasks.due(at, limit)).map((row) => row.id))
    expect(await due(20, 10)).toEqual([later.id, late.id, paused.id, timed.id])
    expect(await due(20, 2)).toEqual([later.id, late.id])
    expect(await due(4, 10)).toEqual([])
  })

  test('what an agent that is gone leaves behind is found', async () => {
    const { store } = database
    const gone = await addAgent(store, { lastSeenAt: 10 })
    const never = await addAgent(store, { lastSeenAt: null })
    const there = await addAgent(store, { lastSeenAt: 20 })
    const idle = await addAgent(store, { lastSeenAt: 10 })
    const affine = await addTask(store, { agentKey: gone.key, assignedBy: 'affinity', status: 'pending' })
    await addTask(store, { agentKey: gone.key, assignedBy: 'affinity', status: 'in_progress' })
    await addTask(store, { agentKey: gone.key, assignedBy: 'caller', status: 'pending' })
    await addTask(store, { agentKey: there.key, assignedBy: 'affinity', status: 'pending' })
    await addTask(store, { agentKey: idle.key, assignedBy: 'caller', status: 'pending' })
    const shut = await addTask(store, { agentKey: never.key, status: 'paused', pausedBy: 'shutdown' })
    await addTask(store, { agentKey: never.key, status: 'paused', pausedBy: 'person' })
    await store.write(async ({ tasks }) => {
      expect((await tasks.goneAgents(20)).map((agent) => agent.id)).toEqual([gone.id, never.id])
      expect((await tasks.goneAgents(21)).length).toBe(3)
      expect((await tasks.affine(gone.key)).map((row) => row.id)).toEqual([affine.id])
      expect(await tasks.affine(never.key)).toEqual([])
      expect((await tasks.pausedByShutdown(never.key)).map((row) => row.id)).toEqual([shut.id])
    })
  })

  test('an agent comes back as it was stored, by key, id and name, and as it was changed', async () => {
    const { store } = database
    const stored = sampleAgent({ capabilities: ['a', 'b'], kind: 'lead', lastSeenAt: 5, limitedUntil: 6 })
    await store.write(async (tx) => {
      const key = await tx.tasks.insertAgent(stored)
      const row = { ...stored, key, createdAt: tx.now }
      expect(await tx.tasks.agentByKey(key)).toEqual(row)
      expect(await tx.tasks.agent(stored.id)).toEqual(row)
      expect(await tx.tasks.agentByName(stored.name)).toEqual(row)
      const tokenHash = new Uint8Array(32).fill(9)
      const changes = {
        name: 'renamed',
        capabilities: [],
        concurrency: 4,
        tokenHash,
        lastSeenAt: 7,
        limitedUntil: null,
      }
      await tx.tasks.updateAgent(key, changes)
      expect(await tx.tasks.agent(stored.id)).toEqual({ ...row, ...changes })
      expect(await tx.tasks.agentByName(stored.name)).toBeUndefined()
      expect(await tx.tasks.agentByKey(-1 as AgentKey)).toBeUndefined()
    })
  })

  test('one offer stands at a time, and is found when it expires; rejections stand until they are taken back', async () => {
    const { store } = database
    const [one, two] = [await addAgent(store), await addAgent(store)]
    const task = await addTask(store)
    await store.write(async ({ tasks }) => {
      expect(await tasks.offer(task.key)).toBeUndefined()
      await tasks.putOffer({ taskKey: task.key, agentKey: one.key, expiresAt: 10 })
      await tasks.putOffer({ taskKey: task.key, agentKey: two.key, expiresAt: 20 })
      const offer = { taskKey: task.key, agentKey: two.key, expiresAt: 20 }
      expect(await tasks.offer(task.key)).toEqual(offer)
      expect((await tasks.shown(task.key)).status).toBe('offered')
      expect(await tasks.expiredOffers(19)).toEqual([])
      expect(await tasks.expiredOffers(20)).toEqual([offer])
      await tasks.removeOffer(task.key)
      expect(await tasks.offer(task.key)).toBeUndefined()
      expect((await tasks.shown(task.key)).status).toBe('unassigned')

      expect(await tasks.isRejected(task.key, one.key)).toBe(false)
      await tasks.addRejection(task.key, one.key, 'no')
      await tasks.addRejection(task.key, one.key, null)
      expect(await tasks.isRejected(task.key, one.key)).toBe(true)
      expect(await tasks.isRejected(task.key, two.key)).toBe(false)
      await tasks.removeRejection(task.key, one.key)
      expect(await tasks.isRejected(task.key, one.key)).toBe(false)
    })
  })

  test('an answer is remembered by route, caller and key, and forgotten by its age', async () => {
    const { store } = database
    await store.write(async (tx) => {
      expect(await tx.tasks.recallAnswer('POST /x', 'k')).toBeUndefined()
      await tx.tasks.rememberAnswer('POST /x', 'k', 'hash', '{"a":1}')
      await tx.tasks.rememberAnswer('POST /y', 'k', 'other', '{}')
      expect(await tx.tasks.recallAnswer('POST /x', 'k')).toEqual({ requestHash: 'hash', answer: '{"a":1}' })
      expect(await tx.tasks.recallAnswer('POST /x', 'l')).toBeUndefined()
      await tx.tasks.forgetAnswers(tx.now, 10)
      expect(await tx.tasks.recallAnswer('POST /y', 'k')).toBeDefined()
      await tx.tasks.forgetAnswers(tx.now + 1, 1)
      expect(await tx.tasks.recallAnswer('POST /x', 'k')).toBeUndefined()
      expect(await tx.tasks.recallAnswer('POST /y', 'k')).toBeDefined()
    })
  })

  test('of two creates with one key at once the second is given the answer of the first', async () => {
    const { store } = database
    const create = () =>
      store.write(async ({ tasks }) => {
        const known = await tasks.recallAnswer('create', 'once')
        if (known !== undefined) return known.answer
        const row = sampleTask()
        await tasks.insertTask(row)
        await tasks.rememberAnswer('create', 'once', 'hash', row.id)
        return row.id
      })
    const answers = await Promise.all(Array.from({ length: 8 }, create))
    expect(new Set(answers).size).toBe(1)
  })

  test('an issue is kept with its parent', async () => {
    const { store } = database
    const parent = sampleIssue()
    const child = sampleIssue({ type: 'task', parentId: parent.id, description: 'below' })
    await store.write(async ({ tasks }) => {
      await tasks.insertIssue(parent)
      await tasks.insertIssue(child)
      expect(await tasks.issue(parent.id)).toEqual(parent)
      expect(await tasks.issue(child.id)).toEqual(child)
      expect(await tasks.issue(issueId('ld-none'))).toBeUndefined()
    })
  })

  test('a unit that fails leaves nothing of its tasks', async () => {
    const { store } = database
    const row = sampleTask()
    const error = await failureOf(
      store.write(async ({ tasks }) => {
        await tasks.insertTask(row)
        throw new Error('changed my mind')
      }),
    )
    expect(error.message).toBe('changed my mind')
    expect(await store.tasks.find(row.id)).toBeUndefined()
  })
})

type Made = Awaited<ReturnType<typeof addTask>>
