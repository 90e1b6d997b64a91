import { expect, test } from 'bun:test'
import { type AttemptKey, attemptId, questionId } from '../../../src/domain/ids'
import type { Store } from '../../../src/domain/store'
import type { AttemptPatch, AttemptRow } from '../../../src/domain/task/task-store'
import { attemptRow } from '../../samples/tasks'
import { failureOf, onEachDatabase } from '../databases'
import { addAgent, addTask, sampleAttempt, sampleQuestion } from '../tasks-sample'

const ENDED: AttemptPatch = { endedAt: 5, leaseExpiresAt: null, outcome: 'lost' }

onEachDatabase((database) => {
  test('an attempt comes back with every field as it was stored, and as it was changed', async () => {
    const { store } = database
    const { task, agent } = await taskWithAgent(store)
    await store.write(async (tx) => {
      const stored = sampleAttempt(task, agent.key)
      const key = await tx.tasks.insertAttempt(stored)
      const row: AttemptRow = attemptRow({ ...stored, key, taskId: task.id, startedAt: tx.now })
      expect(await tx.tasks.attempt(stored.id)).toEqual(row)
      expect(await tx.tasks.liveAttempt(task.key)).toEqual(row)
      expect(await tx.tasks.newestAttempt(task.key)).toEqual(row)
      expect(await tx.tasks.liveAttempts(agent.id)).toEqual([row])
      const changes: AttemptPatch = {
        bootId: 'boot-2',
        wish: 'pause',
        wishReason: 'lunch',
        conversation: {
          rung: 'native',
          sessionId: 's-1' as never,
          resumedSessionId: 's-1' as never,
          forked: false,
          forkPoint: null,
          whyNot: [{ rung: 'restored', reason: 'x', detail: null }],
        },
        cwd: '/w',
        branch: 'b',
        base: 'c0ffee',
        cliVersion: '2.1.328',
        pid: 7,
        pidStarted: 'then',
        leaseExpiresAt: null,
        endedAt: 9,
        outcome: 'failed',
        failureClass: 'crash',
        failureReason: 'broke',
        exitCode: 1,
        signal: 'SIGKILL',
        numTurns: 3,
        costUsd: 0.25,
        usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheCreationTokens: 4 },
      }
      await tx.tasks.updateAttempt(key, changes)
      expect(await tx.tasks.attempt(stored.id)).toEqual({ ...row, ...changes } as AttemptRow)
      expect(await tx.tasks.liveAttempt(task.key)).toBeUndefined()
      expect(await tx.tasks.liveAttempts(agent.id)).toEqual([])
      expect((await tx.tasks.newestAttempt(task.key))?.key).toBe(key)
      expect(await tx.tasks.attempt(attemptId('t-none.1'))).toBeUndefined()
    })
  })

  test('a task never has two live attempts, nor two of one number', async () => {
    const { store } = database
    const { task, agent } = await taskWithAgent(store)
    const first = await addAttempt(store, task, agent.key, 1)
    expect((await failureOf(addAttempt(store, task, agent.key, 2))).code).toBe('conflict')
    await store.write((tx) => tx.tasks.updateAttempt(first, ENDED))
    expect((await failureOf(addAttempt(store, task, agent.key, 1))).code).toBe('conflict')
    const second = await addAttempt(store, task, agent.key, 2)
    await store.write(async ({ tasks }) => {
      expect((await tasks.liveAttempt(task.key))?.key).toBe(second)
      expect((await tasks.newestAttempt(task.key))?.number).toBe(2)
    })
    expect((await failureOf(store.write((tx) => tx.tasks.updateAttempt(first, { endedAt: null })))).code).toBe(
      'conflict',
    )
  })

  test('leases are renewed each by its own length, and never those of an attempt that is over', async () => {
    const { store } = database
    const { task, agent } = await taskWithAgent(store)
    const other = await addTask(store)
    const over = await addTask(store)
    const keys = [
      await addAttempt(store, task, agent.key, 1, { leaseMs: 100, leaseExpiresAt: 10 }),
      await addAttempt(store, other, agent.key, 1, { leaseMs: 200, leaseExpiresAt: 10 }),
      await addAttempt(store, over, agent.key, 1, { leaseMs: 300, leaseExpiresAt: 10 }),
    ]
    await store.write(async ({ tasks }) => {
      await tasks.updateAttempt(keys[2] as AttemptKey, ENDED)
      const renewed = await tasks.renewLeases([...keys, -1 as AttemptKey], 1_000)
      expect(renewed.toSorted((a, b) => a - b)).toEqual(keys.slice(0, 2))
      expect(await tasks.renewLeases([], 1_000)).toEqual([])
      const live = await tasks.liveAttempts(agent.id)
      expect(live.map((row) => row.leaseExpiresAt)).toEqual([1_100, 1_200])
      expect((await tasks.newestAttempt(over.key))?.leaseExpiresAt).toBeNull()

      expect(await tasks.expired(1_100, 10)).toEqual([])
      expect((await tasks.expired(1_201, 10)).map((row) => row.key)).toEqual(keys.slice(0, 2))
      expect((await tasks.expired(1_201, 1)).map((row) => row.key)).toEqual(keys.slice(0, 1))

      expect(await tasks.extendAllLeases(5_000)).toBeGreaterThanOrEqual(2)
      expect((await tasks.liveAttempts(agent.id)).map((row) => row.leaseExpiresAt)).toEqual([5_100, 5_200])
      expect((await tasks.newestAttempt(over.key))?.leaseExpiresAt).toBeNull()
    })
  })

  test('the lease clock tells when somebody looked last', async () => {
    await database.store.write(async ({ tasks }) => {
      expect(await tasks.leaseClock(10_000, 4_000)).toBe(0)
      expect(await tasks.leaseClock(20_000, 4_000)).toBe(10_000)
      expect(await tasks.leaseClock(21_000, 4_000)).toBe(20_000)
    })
    expect(await database.store.write(async (tx) => await tx.tasks.leaseClock(30_000, 4_000))).toBe(20_000)
  })

  test('a question is asked, found by its deadline, answered, and taken once', async () => {
    const { store } = database
    const { task, agent } = await taskWithAgent(store)
    const attempt = await addAttempt(store, task, agent.key, 1)
    const of = { attemptKey: attempt, taskKey: task.key }
    const asked = sampleQuestion(of, { deadline: 10, toolUseId: 'toolu_1', description: 'lists', default: 'allow' })
    const later = sampleQuestion(of, { deadline: 20, isCut: true, input: '{"cut' })
    await store.write(async ({ tasks }) => {
      await tasks.insertQuestion(later)
      await tasks.insertQuestion(asked)
      expect(await tasks.question(asked.id)).toEqual(asked)
      expect(await tasks.question(questionId('q-none'))).toBeUndefined()
      expect(await tasks.openQuestions({ attempt })).toEqual([later, asked])
      expect(await tasks.openQuestions({ dueBefore: 10 })).toEqual([])
      expect(await tasks.openQuestions({ dueBefore: 21 })).toEqual([asked, later])
      expect(await tasks.answersFor([attempt])).toEqual([])

      const answer = { status: 'answered', behavior: 'deny', message: 'no', answeredBy: 'me', answeredAt: 5 } as const
      await tasks.updateQuestion(asked.id, answer)
      await tasks.updateQuestion(later.id, { status: 'withdrawn' })
      expect(await tasks.answersFor([attempt, -1 as AttemptKey])).toEqual([{ ...asked, ...answer }])
      expect(await tasks.answersFor([])).toEqual([])
      await tasks.updateQuestion(asked.id, { isTaken: true })
      expect(await tasks.answersFor([attempt])).toEqual([])
      expect(await tasks.openQuestions({ attempt })).toEqual([])
    })
    expect((await failureOf(store.write((tx) => tx.tasks.insertQuestion(asked)))).code).toBe('conflict')
  })

  test('a poll has work when somebody wishes or answers something, and not for an attempt that is not its own', async () => {
    const { store } = database
    const { task, agent } = await taskWithAgent(store)
    const stranger = await addAgent(store)
    const attempt = await addAttempt(store, task, agent.key, 1)
    const ids = [attemptId(`${task.id}.1`), attemptId('t-none.1')]
    const has = (who = agent) => store.tasks.hasWork(who, ids, false, 1)
    expect(await has()).toBe(false)
    const steps: [set: (tasks: Tasks) => unknown, unset: (tasks: Tasks) => unknown][] = [
      [
        (tasks) => tasks.updateAttempt(attempt, { wish: 'pause' }),
        (tasks) => tasks.updateAttempt(attempt, { wish: null }),
      ],
      [
        (tasks) =>
          tasks.insertQuestion(
            sampleQuestion({ attemptKey: attempt, taskKey: task.key }, { id: questionId(task.id), status: 'expired' }),
          ),
        (tasks) => tasks.updateQuestion(questionId(task.id), { isTaken: true }),
      ],
    ]
    for (const [set, unset] of steps) {
      await store.write(async ({ tasks }) => void (await set(tasks)))
      expect(await has()).toBe(true)
      expect(await has(stranger)).toBe(false)
      await store.write(async ({ tasks }) => void (await unset(tasks)))
      expect(await has()).toBe(false)
    }
    await store.write((tx) => tx.tasks.updateAttempt(attempt, { wish: 'cancel', ...ENDED }))
    expect(await has()).toBe(false)
  })

  test('renewals, ends and cancels of the same attempts at once leave every attempt in one state', async () => {
    const { store } = database
    const agent = await addAgent(store)
    const made: { task: Awaited<ReturnType<typeof addTask>>; key: AttemptKey }[] = []
    for (let i = 0; i < 6; i++) {
      const task = await addTask(store)
      made.push({ task, key: await addAttempt(store, task, agent.key, 1, { leaseExpiresAt: 10 }) })
    }
    const keys = made.map(({ key }) => key)
    const units: Promise<unknown>[] = []
    for (const { task } of made) {
      units.push(store.write(async ({ tasks }) => void (await tasks.renewLeases(keys.toReversed(), 1_000))))
      // By the attempt first, as a report comes.
      units.push(
        store.write(async ({ tasks }) => {
          const attempt = await tasks.attempt(attemptId(`${task.id}.1`))
          await tasks.taskByKey(task.key)
          if (attempt?.endedAt === null) await tasks.updateAttempt(attempt.key, ENDED)
        }),
      )
      // By the task first, as a person's cancel comes.
      units.push(
        store.write(async ({ tasks }) => {
          await tasks.task(task.id)
          const live = await tasks.liveAttempt(task.key)
          if (live) await tasks.updateAttempt(live.key, { wish: 'cancel' })
        }),
      )
    }
    await Promise.all(units)
    const rows = await store.write(
      async ({ tasks }) => await Promise.all(made.map(async ({ task }) => await tasks.newestAttempt(task.key))),
    )
    for (const row of rows) expect(row).toMatchObject({ endedAt: 5, leaseExpiresAt: null })
  })
})

type Tasks = Parameters<Parameters<Store['write']>[0]>[0]['tasks']

async function taskWithAgent(store: Store) {
  return { task: await addTask(store), agent: await addAgent(store) }
}

const addAttempt = (
  store: Store,
  task: Awaited<ReturnType<typeof addTask>>,
  agent: AttemptRow['agentKey'],
  number: number,
  row: Parameters<typeof sampleAttempt>[2] = {},
) => store.write(async (tx) => await tx.tasks.insertAttempt(sampleAttempt(task, agent, { ...row, number })))
