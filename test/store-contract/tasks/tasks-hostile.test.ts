import { expect, test } from 'bun:test'
import { agentId, attemptId, issueId, questionId, sessionId, type TaskKey, taskId } from '../../../src/domain/ids'
import type { NewTask, TaskFilter } from '../../../src/domain/task/task-store'
import { failureOf, onEachDatabase } from '../databases'
import { freshId } from '../sample'
import {
  addAgent,
  addTask,
  freshTaskId,
  sampleAgent,
  sampleAttempt,
  sampleIssue,
  sampleQuestion,
  sampleTask,
} from '../tasks-sample'

/** Texts that broke one layer or another somewhere. */
const TEXTS: [string, string][] = [
  ['empty', ''],
  ['a lone surrogate', 'before\ud800after'],
  ['NUL', 'a\u0000b'],
  ['emoji', '👩‍👩‍👧 family, é, ﬃ, ‮reversed'],
  ['SQL', `'); drop table tasks; --`],
  ['parameters', '$1 ?1 :name @x %s ?'],
  ['JSON', '{"a":"\\u0000\\ud800"}'],
  ['a megabyte', 'x'.repeat(1_048_576)],
  ['line ends', 'a\r\nb\u2028c\u0085d'],
]

const clean = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')

onEachDatabase((database) => {
  for (const [name, text] of TEXTS) {
    test(`text comes back as it was, but for NUL and lone surrogates: ${name}`, async () => {
      const { store } = database
      const short = text.slice(0, 500)
      const agent = await addAgent(store, {
        name: `${short}${freshId('agent')}`,
        capabilities: [short],
        hostname: text,
      })
      const row: Partial<NewTask> = {
        text,
        title: text,
        reason: text,
        progress: text,
        output: text,
        failureReason: text,
        dispatchReason: text,
        dir: text,
        model: text,
        worktreeBase: text,
        tags: [text, short],
        taskType: short,
        source: short,
        requiredCapabilities: [short],
        sessionId: sessionId(short),
        lastSessionId: sessionId(short),
        parentTaskId: taskId(`none ${short}`),
        epicId: issueId(short),
        creatorAgentKey: agent.key,
        agentKey: agent.key,
        status: 'pending',
      }
      const task = await addTask(store, row)
      const seen = await store.tasks.find(task.id)
      expect(seen).toMatchObject({
        task: clean(text),
        title: clean(text),
        reason: clean(text),
        progress: clean(text),
        output: clean(text),
        dir: clean(text),
        tags: [clean(text), clean(short)],
        requiredCapabilities: [clean(short)],
        claudeSessionId: sessionId(clean(short)),
        agentName: clean(agent.name),
      })
      const found: TaskFilter[] = [
        { sessionId: sessionId(short) },
        { parentTaskId: taskId(`none ${short}`) },
        { epicId: issueId(short) },
        { taskType: short, source: short, tag: short },
        { tag: text },
      ]
      for (const filter of found)
        expect((await store.tasks.list(filter, { limit: 100 })).rows.map(({ id }) => id)).toContain(task.id)
      await store.tasks.list({ text, project: text, agentId: agentId(text), statuses: ['offered'] }, { limit: 5 })
      expect((await store.tasks.findAgent(agent.name))?.id).toBe(agent.id)
      expect(await store.tasks.findAgent(`no ${text}`)).toBeUndefined()
      expect(await store.tasks.matchPrefix(text)).toEqual([])
      const held = await store.write(async (tx) => await tx.tasks.claimable(agent, 1))
      // Its own row was made before the texts were cleaned; as stored, both are the same.
      const stored = await store.write(async (tx) => await tx.tasks.agentByKey(agent.key))
      expect(stored?.capabilities).toEqual([clean(short)])
      expect(held?.id).toBe(task.id)
      await store.write((tx) => tx.tasks.updateTask(task.key, { status: 'cancelled' }))
    })

    test(`what belongs to an attempt comes back the same way: ${name}`, async () => {
      const { store } = database
      const agent = await addAgent(store)
      const task = await addTask(store)
      const conversation = {
        rung: 'fresh' as const,
        sessionId: sessionId(text),
        resumedSessionId: null,
        forked: false,
        forkPoint: null,
        whyNot: [{ rung: 'native' as const, reason: text, detail: text }],
      }
      const uuid = crypto.randomUUID()
      const issue = sampleIssue({ title: text, description: text })
      await store.write(async ({ tasks }) => {
        const key = await tasks.insertAttempt(sampleAttempt(task, agent.key))
        await tasks.updateAttempt(key, { cwd: text, failureReason: text, conversation, wish: 'pause' })
        await tasks.insertQuestion(
          sampleQuestion({ attemptKey: key, taskKey: task.key }, { toolName: text, input: JSON.stringify(text) }),
        )
        await tasks.appendLog(task.key, [{ at: 1, attempt: 1, kind: 'text', text }])
        await tasks.insertIssue(issue)
        await tasks.addRejection(task.key, agent.key, text)
        await tasks.rememberAnswer(text.slice(0, 500), uuid, text, text)
        expect((await tasks.recallAnswer(text.slice(0, 500), uuid))?.answer).toBe(clean(text))
      })
      const [attempt] = await store.tasks.attempts(task.id)
      expect(attempt).toMatchObject({
        cwd: clean(text),
        failureReason: clean(text),
        conversation: { sessionId: clean(text), whyNot: [{ reason: clean(text), detail: clean(text) }] },
      })
      const { rows } = await store.tasks.questions({ taskId: task.id }, { limit: 5 })
      expect(rows[0]?.toolName).toBe(clean(text))
      expect((await store.tasks.log(task.id, 0, 5))[0]?.text).toBe(clean(text).slice(0, 4_000))
      expect((await store.tasks.findIssue(issue.id))?.title).toBe(clean(text))
      expect(await store.tasks.hasWork(agent, [attemptId(text), attemptId(`${task.id}.1`)], true, 1)).toBe(true)
    })
  }

  test('ids that nothing has find nothing', async () => {
    const { store } = database
    for (const id of ['', 'x', '../../etc/passwd', `' or 1=1 --`, 'a\u0000b', '\ud800', 'y'.repeat(100_000)]) {
      expect(await store.tasks.find(taskId(id))).toBeUndefined()
      expect(await store.tasks.tree(taskId(id))).toBeUndefined()
      expect(await store.tasks.attempts(taskId(id))).toEqual([])
      expect(await store.tasks.children(taskId(id))).toEqual([])
      expect(await store.tasks.log(taskId(id), 0, 5)).toEqual([])
      expect(await store.tasks.findQuestion(questionId(id))).toBeUndefined()
      expect(await store.tasks.findIssue(issueId(id))).toBeUndefined()
      await store.write(async ({ tasks }) => {
        expect(await tasks.task(taskId(id))).toBeUndefined()
        expect(await tasks.attempt(attemptId(id))).toBeUndefined()
        expect(await tasks.agent(agentId(id))).toBeUndefined()
        expect(await tasks.question(questionId(id))).toBeUndefined()
        expect(await tasks.issue(issueId(id))).toBeUndefined()
      })
    }
  })

  test('numbers that can’t be kept exactly are refused, and nothing is changed', async () => {
    const { store } = database
    const largest = Number.MAX_SAFE_INTEGER
    const task = await addTask(store, { timeoutMs: largest, maxCostUsd: 0.1, priority: -largest })
    const agent = await addAgent(store)
    for (const wrong of [largest + 1, Number.NaN, Number.POSITIVE_INFINITY, -1e300]) {
      for (const write of [
        () => store.write((tx) => tx.tasks.updateTask(task.key, { timeoutMs: wrong })),
        () => store.write((tx) => tx.tasks.updateTask(task.key, { costUsd: wrong })),
        () => store.write((tx) => tx.tasks.insertTask(sampleTask({ priority: wrong }))),
        () => store.write((tx) => tx.tasks.insertAgent(sampleAgent({ concurrency: wrong }))),
        () => store.write((tx) => tx.tasks.insertAttempt(sampleAttempt(task, agent.key, { leaseMs: wrong }))),
      ])
        expect((await failureOf(write())).code).toBe('invalid')
    }
    const row = await store.write(async (tx) => await tx.tasks.taskByKey(task.key))
    expect(row).toMatchObject({ timeoutMs: largest, maxCostUsd: 0.1, costUsd: null, priority: -largest })
    await store.write((tx) => tx.tasks.updateTask(task.key, { notBefore: largest }))
    expect((await store.tasks.find(task.id))?.notBefore).toBe('+275760-09-13T00:00:00.000Z')
  })

  test('a row that needs one which is not there is refused', async () => {
    const { store } = database
    const nowhere = -7 as TaskKey
    const agent = await addAgent(store)
    const refused = [
      () => store.write((tx) => tx.tasks.insertTask(sampleTask({ parentKey: nowhere }))),
      () => store.write((tx) => tx.tasks.addDependencies(nowhere, [nowhere])),
      () => store.write((tx) => tx.tasks.insertAttempt(sampleAttempt({ key: nowhere, id: freshTaskId() }, agent.key))),
      () => store.write((tx) => tx.tasks.addRejection(nowhere, agent.key, null)),
    ]
    for (const write of refused) expect((await failureOf(write())).code).toBe('conflict')
    expect(await database.store.write(async (tx) => await tx.tasks.taskByKey(nowhere))).toBeUndefined()
  })
})
