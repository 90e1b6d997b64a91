import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { agentId, attemptId, issueId, questionId, sessionId, type TaskId, taskId } from '../../../src/domain/ids'
import type { Page, PageRequest } from '../../../src/domain/port'
import type { Store } from '../../../src/domain/store'
import type { TaskNode } from '../../../src/domain/task/task'
import type { NewTask, TaskFilter, TaskPatch } from '../../../src/domain/task/task-store'
import type { StorePlace } from '../../../src/store/open'
import { failureOf, onEachDatabase } from '../databases'
import { freshId, sampleHost, sampleSession } from '../sample'
import { addAgent, addTask, sampleAttempt, sampleIssue, sampleQuestion, sampleTask } from '../tasks-sample'

onEachDatabase((database) => {
  test('a task is shown with what other tables say of it, the same inside a unit and outside', async () => {
    const { store } = database
    const [worker, lead] = [await addAgent(store), await addAgent(store, { kind: 'lead' })]
    const first = await addTask(store)
    const second = await addTask(store)
    const made = await addTask(store, {
      agentKey: worker.key,
      creatorAgentKey: lead.key,
      assignedBy: 'offer',
      spawnedSessionId: sessionId('s-1'),
      spawnedToolUseId: 'toolu_1',
      lastSessionId: sessionId('s-2'),
      isWorktree: true,
      worktreeBase: 'main',
      notBefore: 1_000,
    })
    const inside = await store.write(async ({ tasks }) => {
      await tasks.addDependencies(made.key, [second.key, first.key])
      await tasks.putOffer({ taskKey: made.key, agentKey: worker.key, expiresAt: 2_000 })
      return await tasks.shown(made.key)
    })
    const seen = await store.tasks.find(made.id)
    expect(seen).toEqual(inside)
    expect(seen).toMatchObject({
      id: made.id,
      status: 'offered',
      agentId: worker.id,
      agentName: worker.name,
      creatorAgentId: lead.id,
      offeredTo: worker.id,
      offerExpiresAt: '1970-01-01T00:00:02.000Z',
      notBefore: '1970-01-01T00:00:01.000Z',
      dependsOn: [first.id, second.id].toSorted((a, b) => a.localeCompare(b)),
      spawnedBy: { sessionId: 's-1', toolUseId: 'toolu_1' },
      claudeSessionId: 's-2',
      worktree: { base: 'main' },
    })
    expect(await store.tasks.find(first.id)).toMatchObject({
      status: 'unassigned',
      agentId: null,
      agentName: null,
      offeredTo: null,
      dependsOn: [],
      spawnedBy: null,
      worktree: null,
      project: null,
    })
    await store.write((tx) => tx.tasks.updateTask(made.key, { status: 'in_progress', nextSessionId: sessionId('s-3') }))
    expect(await store.tasks.find(made.id)).toMatchObject({ status: 'in_progress', claudeSessionId: 's-3' })
    expect(await store.tasks.find(taskId('t-none'))).toBeUndefined()
  })

  test('a task belongs to the project of its conversation, else to the nearest one around its folder', async () => {
    const { store } = database
    const id = freshId('conversation')
    await store.write(async (tx) => {
      const host = await sampleHost(tx.record)
      const session = await sampleSession(tx, { id })
      for (const [root, name] of [
        ['/work', 'work'],
        ['/work/deep', 'deep'],
        ['/talk', 'talk'],
      ] as const) {
        const key = await tx.record.project(host, root, null, name)
        if (name === 'talk') await tx.record.setSessionProject(session.key, key as never)
      }
    })
    const cases: [Partial<NewTask>, string | null][] = [
      [{ lastSessionId: sessionId(id), dir: '/work/deep' }, '/talk'],
      [{ lastSessionId: sessionId('not-recorded'), dir: '/work/deep/x' }, '/work/deep'],
      [{ dir: '/work/deep' }, '/work/deep'],
      [{ dir: '/work/deeper' }, '/work'],
      [{ dir: '/elsewhere' }, null],
      [{}, null],
    ]
    const source = freshId('project')
    const made: TaskId[] = []
    for (const [row, project] of cases) {
      const task = await addTask(store, { ...row, source })
      made.push(task.id)
      expect((await store.tasks.find(task.id))?.project).toBe(project)
    }
    const ids = async (project: string) =>
      (await store.tasks.list({ project, source }, { limit: 10 })).rows.map((row) => row.id)
    expect(await ids('/work/deep')).toEqual([made[2], made[1]] as TaskId[])
    expect(await ids('deep')).toEqual([made[2], made[1]] as TaskId[])
    expect(await ids('/work')).toEqual([made[3]] as TaskId[])
    expect(await ids('talk')).toEqual([made[0]] as TaskId[])
  })

  test('tasks are found by each filter, and by several at once', async () => {
    const { store } = database
    const source = freshId('filters')
    const agent = await addAgent(store)
    const parent = await addTask(store)
    const add = async (row: Partial<NewTask>) => (await addTask(store, { source, ...row })).id
    const made = {
      agent: await add({ agentKey: agent.key, status: 'pending' }),
      parent: await add({ parentKey: parent.key, parentTaskId: parent.id }),
      lost: await add({ parentTaskId: taskId('t-vanished') }),
      epic: await add({ epicId: issueId('ld-e'), status: 'completed' }),
      issue: await add({ issueId: issueId('ld-i') }),
      session: await add({ sessionId: sessionId('s-owner') }),
      tag: await add({ tags: ['blue', 'say "hi"'], taskType: 'review' }),
      text: await add({ title: 'Mend the ÉCLAiré', text: 'in 100% of\nKitchens' }),
    }
    const offered = await addTask(store, { source })
    await store.write((tx) => tx.tasks.putOffer({ taskKey: offered.key, agentKey: agent.key, expiresAt: 1 }))
    const all = [...Object.values(made), offered.id]
    const expected: [TaskFilter, TaskId[]][] = [
      [{}, all],
      [{ agentId: agent.id }, [made.agent]],
      [{ agentId: agentId('a-none') }, []],
      [{ parentTaskId: parent.id }, [made.parent]],
      [{ parentTaskId: taskId('t-vanished') }, [made.lost]],
      [{ epicId: issueId('ld-e') }, [made.epic]],
      [{ issueId: issueId('ld-i') }, [made.issue]],
      [{ sessionId: sessionId('s-owner') }, [made.session]],
      [{ tag: 'blue' }, [made.tag]],
      [{ tag: 'say "hi"' }, [made.tag]],
      [{ tag: 'blu' }, []],
      [{ tag: '"' }, []],
      [{ taskType: 'review' }, [made.tag]],
      [{ text: 'éclair mend' }, [made.text]],
      [{ text: 'éclaiRÉ' }, [made.text]],
      [{ text: 'KITCHENS 100%' }, [made.text]],
      [{ text: 'kitchens bedroom' }, []],
      [{ text: `ÉCLAIR ${made.text.toUpperCase()}` }, [made.text]],
      [{ text: '_' }, []],
      [{ text: '  ' }, all],
      [{ statuses: ['completed', 'pending'] }, [made.agent, made.epic]],
      [{ statuses: ['offered'] }, [offered.id]],
      [{ statuses: ['offered', 'pending'] }, [made.agent, offered.id]],
      [{ statuses: ['unassigned'], tag: 'blue' }, [made.tag]],
      [{ statuses: ['unassigned'] }, all.filter((id) => ![made.agent, made.epic, offered.id].includes(id))],
      [{ statuses: [] }, []],
    ]
    for (const [filter, ids] of expected) {
      const { rows } = await store.tasks.list({ source, ...filter }, { limit: 100 })
      expect([filter, rows.map((row) => row.id)]).toEqual([filter, ids.toReversed()])
    }
  })

  test('tasks page by their age, and by the order in which they will be taken', async () => {
    const { store } = database
    const source = freshId('pages')
    const made: { id: TaskId; priority: number }[] = []
    for (let i = 0; i < 23; i++) {
      const priority = [50, 100, 0][i % 3] as number
      made.push({
        priority,
        ...(await addTask(store, { source, priority, status: i % 2 === 0 ? 'pending' : 'backlog' })),
      })
    }
    const newest = made.map(({ id }) => id).toReversed()
    const queue = made.toSorted((a, b) => b.priority - a.priority).map(({ id }) => id)
    for (const limit of [1, 5, 23, 24])
      for (const statuses of [undefined, ['pending', 'backlog'] satisfies TaskFilter['statuses']]) {
        const filter = statuses === undefined ? { source } : { source, statuses }
        const ids = async (order?: 'newest' | 'queue') =>
          (await walk((page) => store.tasks.list(filter, page, order), limit)).map((row) => row.id)
        expect(await ids()).toEqual(newest)
        expect(await ids('queue')).toEqual(queue)
      }
    const cursor = (await store.tasks.list({ source }, { limit: 1 })).nextCursor ?? ''
    for (const ask of [
      () => store.tasks.list({ source }, { limit: 1, cursor }, 'queue'),
      () => store.tasks.list({}, { limit: 1, cursor }),
      () => store.tasks.list({ source }, { limit: 0 }),
      () => store.tasks.list({ source }, { limit: 1_001 }),
      () => store.tasks.questions({}, { limit: 1, cursor }),
      () => store.tasks.issues({}, { limit: 1, cursor }),
    ])
      expect((await failureOf(ask())).code).toBe('invalid')
  })

  test('ids are found by their beginning, at most 20', async () => {
    const { store } = database
    await store.write(async ({ tasks }) => {
      for (let i = 0; i < 25; i++)
        await tasks.insertTask(sampleTask({ id: taskId(`t-pre${String(i).padStart(2, '0')}xx`) }))
    })
    expect(await store.tasks.matchPrefix('t-pre07')).toEqual([taskId('t-pre07xx')])
    expect((await store.tasks.matchPrefix('t-pre')).length).toBe(20)
    for (const none of ['', 'T-PRE07', 't-pre07xxx', '%', 'pre07', '\u{10ffff}', '\0'])
      expect(await store.tasks.matchPrefix(none)).toEqual([])
  })

  test('a tree holds everything below a task, each below its parent, the oldest first', async () => {
    const { store } = database
    const root = await addTask(store)
    const below = (parent: typeof root, depth: number) =>
      addTask(store, { parentKey: parent.key, parentTaskId: parent.id, depth })
    const a = await below(root, 1)
    const b = await below(root, 1)
    const aa = await below(a, 2)
    const ba = await below(b, 2)
    const ab = await below(a, 2)
    const aaa = await below(aa, 3)
    const ids = (node: TaskNode): unknown => [node.task.id, ...node.children.map(ids)]
    const tree = await store.tasks.tree(root.id)
    expect(tree && [ids(tree.root), tree.isCut]).toEqual([
      [root.id, [a.id, [aa.id, [aaa.id]], [ab.id]], [b.id, [ba.id]]],
      false,
    ])
    expect(ids((await store.tasks.tree(aa.id))?.root as TaskNode)).toEqual([aa.id, [aaa.id]])
    expect((await store.tasks.children(root.id)).map((row) => row.id)).toEqual([a.id, b.id])
    expect(await store.tasks.children(aaa.id)).toEqual([])
    expect(await store.tasks.tree(taskId('t-none'))).toBeUndefined()
  })

  test('a tree of more than 10,000 tasks is cut and says so', async () => {
    const { store } = database
    const root = await addTask(store)
    await addTask(store, { parentKey: root.key, parentTaskId: root.id, depth: 1, source: 'many' })
    for (let round = 0; round < 14; round++) await doubleTasks(database.place, 'many')
    const tree = await store.tasks.tree(root.id)
    expect([tree?.root.children.length, tree?.isCut]).toEqual([9_999, true])
  })

  test('attempts are shown in their order, with their agent and host', async () => {
    const { store } = database
    const agent = await addAgent(store, { hostname: 'laptop' })
    const task = await addTask(store)
    const key = await store.write(async ({ tasks, record }) => {
      await record.host('installation-7', 'box-7')
      const first = await tasks.insertAttempt(sampleAttempt(task, agent.key, { hostName: 'installation-7' }))
      await tasks.updateAttempt(first, {
        endedAt: 5,
        leaseExpiresAt: null,
        outcome: 'lost',
        pid: 3,
        pidStarted: 'then',
      })
      return await tasks.insertAttempt(sampleAttempt(task, agent.key, { number: 2, hostName: 'unknown' }))
    })
    const [first, second, ...more] = await store.tasks.attempts(task.id)
    expect(more).toEqual([])
    expect(first).toMatchObject({
      id: attemptId(`${task.id}.1`),
      taskId: task.id,
      isLive: false,
      host: 'box-7',
      agentId: agent.id,
      agentName: agent.name,
      process: { pid: 3, startedAt: 'then' },
      leaseExpiresAt: null,
      endedAt: '1970-01-01T00:00:00.005Z',
      outcome: 'lost',
    })
    expect(second).toMatchObject({ number: 2, isLive: true, host: 'laptop', process: null, conversation: null })
    expect(await store.tasks.attempts(taskId('t-none'))).toEqual([])
    expect((await store.tasks.findAgent(agent.id))?.running).toBe(1)
    await store.write((tx) => tx.tasks.updateAttempt(key, { endedAt: 6, leaseExpiresAt: null }))
    expect((await store.tasks.findAgent(agent.id))?.running).toBe(0)
  })

  test('agents are shown online while they are heard of, and are found by id and by name', async () => {
    const { store } = database
    const now = await store.write((tx) => tx.now)
    const here = await addAgent(store, { lastSeenAt: now, capabilities: ['gpu'], limitedUntil: 1 })
    const gone = await addAgent(store, { lastSeenAt: now - 60_000, kind: 'lead' })
    const never = await addAgent(store, { name: here.id, lastSeenAt: null })
    const shown = (await store.tasks.agents()).filter((agent) => [here.id, gone.id, never.id].includes(agent.id))
    expect(shown.map((agent) => [agent.id, agent.status])).toEqual([
      [here.id, 'online'],
      [gone.id, 'offline'],
      [never.id, 'offline'],
    ])
    expect(await store.tasks.findAgent(here.id)).toMatchObject({
      id: here.id,
      capabilities: ['gpu'],
      limitedUntil: '1970-01-01T00:00:00.001Z',
      host: 'box',
      running: 0,
    })
    expect((await store.tasks.findAgent(gone.name))?.id).toBe(gone.id)
    expect(await store.tasks.findAgent('nobody')).toBeUndefined()
  })

  test('a token is known by its hash: an agent’s, and an attempt’s also when it is over', async () => {
    const { store } = database
    const agent = await addAgent(store)
    const task = await addTask(store)
    const attempt = sampleAttempt(task, agent.key)
    const row = await store.write(async ({ tasks }) => {
      const key = await tasks.insertAttempt(attempt)
      await tasks.updateAttempt(key, { endedAt: 1, leaseExpiresAt: null })
      return await tasks.newestAttempt(task.key)
    })
    expect(await store.tasks.agentByToken(agent.tokenHash as Uint8Array)).toEqual({ agent, enrollment: null })
    expect(await store.tasks.attemptByToken(attempt.tokenHash)).toEqual({
      ...(row as object),
      agentId: agent.id,
    } as never)
    expect(await store.tasks.agentByToken(attempt.tokenHash)).toBeUndefined()
    expect(await store.tasks.attemptByToken(agent.tokenHash as Uint8Array)).toBeUndefined()
    expect(await store.tasks.attemptByToken(new Uint8Array(0))).toBeUndefined()
  })

  test('a log is read on from its last line, and no line is missed by who reads while it is written', async () => {
    const { store } = database
    const [task, other] = [await addTask(store), await addTask(store)]
    const line = (text: string) => ({ at: 5, attempt: null, kind: 'move' as const, text })
    let after = 0
    const read: string[] = []
    const readOn = async (limit: number) => {
      const lines = await store.tasks.log(task.id, after, limit)
      read.push(...lines.map(({ text }) => text))
      after = lines.at(-1)?.id ?? after
      return lines.length
    }
    const writes = Array.from({ length: 40 }, (_, i) =>
      store.write(async ({ tasks }) => {
        await tasks.appendLog(other.key, [line('other')])
        await tasks.appendLog(task.key, [line(`${i}`), line(`${i} more`)])
      }),
    )
    let isWritten = false
    const written = Promise.all(writes).then(() => {
      isWritten = true
    })
    while (!isWritten) {
      await readOn(7)
      // Reads of SQLite take no turn of the loop, which the writer needs.
      await new Promise((resolve) => setImmediate(resolve))
    }
    await written
    while ((await readOn(7)) > 0);
    expect(read.length).toBe(80)
    expect(new Set(read).size).toBe(80)
    const [first] = await store.tasks.log(task.id, 0, 1)
    expect(first).toEqual({
      id: first?.id as number,
      at: '1970-01-01T00:00:00.005Z',
      attempt: null,
      kind: 'move',
      text: read[0] as string,
    })
    expect(await store.tasks.log(taskId('t-none'), 0, 5)).toEqual([])
    expect((await failureOf(store.tasks.log(task.id, 0, 0))).code).toBe('invalid')
  })

  test('a line of a log is at most 4,000 characters', async () => {
    const { store } = database
    const task = await addTask(store)
    await store.write((tx) =>
      tx.tasks.appendLog(task.key, [
        { at: 1, attempt: 2, kind: 'text', text: `${'x'.repeat(3_999)}👩${'y'.repeat(9)}` },
      ]),
    )
    expect(await store.tasks.log(task.id, 0, 5)).toMatchObject([{ attempt: 2, text: 'x'.repeat(3_999) }])
  })

  test('questions are listed the newest first, by task and status', async () => {
    const { store } = database
    const agent = await addAgent(store)
    const [task, other] = [await addTask(store), await addTask(store)]
    const ask = (of: typeof task, row: Parameters<typeof sampleQuestion>[1] = {}) =>
      store.write(async ({ tasks }) => {
        const attempt =
          (await tasks.liveAttempt(of.key))?.key ?? (await tasks.insertAttempt(sampleAttempt(of, agent.key)))
        const question = sampleQuestion({ attemptKey: attempt, taskKey: of.key }, row)
        await tasks.insertQuestion(question)
        return question.id
      })
    const made = [await ask(task), await ask(task, { isCut: true, input: '{"command":"l' }), await ask(other)]
    const answered = await ask(task, { status: 'answered', behavior: 'allow', message: 'fine', answeredBy: 'me' })
    const ids = async (filter: Parameters<Store['tasks']['questions']>[0]) =>
      (await walk((page) => store.tasks.questions(filter, page), 2)).map(({ id }) => id)
    expect(await ids({})).toEqual([...made, answered].toReversed())
    expect(await ids({ taskId: task.id, status: 'open' })).toEqual(made.slice(0, 2).toReversed())
    expect(await ids({ status: 'answered' })).toEqual([answered])
    expect(await store.tasks.findQuestion(made[0] as never)).toEqual({
      id: made[0] as never,
      taskId: task.id,
      attemptId: attemptId(`${task.id}.1`),
      toolUseId: null,
      toolName: 'Bash',
      input: { command: 'ls' },
      isCut: false,
      description: null,
      dangers: [],
      alwaysRules: ['Bash(ls)'],
      status: 'open',
      default: 'deny',
      deadline: '1970-01-01T00:00:01.000Z',
      answer: null,
      answeredBy: null,
      askedAt: '1970-01-01T00:00:00.001Z',
      answeredAt: null,
    })
    expect((await store.tasks.findQuestion(made[1] as never))?.input).toBe('{"command":"l')
    expect((await store.tasks.findQuestion(answered))?.answer).toEqual({ behavior: 'allow', message: 'fine' })
    expect(await store.tasks.findQuestion(questionId('q-none'))).toBeUndefined()
  })

  test('epics are listed the newest first, with their tasks counted by status', async () => {
    const { store } = database
    const [one, two] = [sampleIssue({ type: 'epic-x' }), sampleIssue({ type: 'epic-x' })]
    await store.write(async ({ tasks }) => {
      for (const issue of [one, two, sampleIssue({ type: 'bug' })]) await tasks.insertIssue(issue)
      for (const status of ['completed', 'completed', 'pending'] as const)
        await tasks.insertTask(sampleTask({ status, epicId: one.id }))
    })
    expect(await walk((page) => store.tasks.issues({ type: 'epic-x' }, page), 1)).toEqual([two, one])
    expect((await store.tasks.issues({}, { limit: 100 })).rows.length).toBeGreaterThanOrEqual(3)
    expect(await store.tasks.findIssue(one.id)).toEqual(one)
    expect(await store.tasks.findIssue(issueId('ld-none'))).toBeUndefined()
    expect(await store.tasks.epicCounts(one.id)).toEqual({ completed: 2, pending: 1 })
    expect(await store.tasks.epicCounts(two.id)).toEqual({})
  })

  test('a forgotten session leaves the tasks that name it', async () => {
    const { store } = database
    const id = freshId('forgotten')
    const session = await store.write((tx) => sampleSession(tx, { id, lines: ['x'] }))
    const names = sessionId(id)
    const task = await addTask(store, { sessionId: names, lastSessionId: names, spawnedSessionId: names })
    await store.write((tx) => tx.sessions.forget(session.key))
    await store.maintain('scrub')
    expect(await store.tasks.find(task.id)).toMatchObject({ sessionId: id, claudeSessionId: id, project: null })
    expect((await store.tasks.list({ sessionId: names }, { limit: 5 })).rows.map((row) => row.id)).toEqual([task.id])
    await store.write((tx) => tx.tasks.updateTask(task.key, { status: 'completed' }))
  })

  test('the rows of tasks are counted with the others', async () => {
    const { rows } = await database.store.diagnostics.storage()
    expect(rows).toMatchObject({ task_log: 121, issues: 3, questions: 4 })
    for (const table of ['agents', 'tasks', 'task_dependencies', 'attempts', 'offers', 'rejections'])
      expect(rows[table]).toBeNumber()
    const counts = await database.store.tasks.countByStatus()
    const sum = Object.values(counts).reduce((total, count) => total + count, 0)
    expect([sum, await database.store.tasks.hasOpen()]).toEqual([rows.tasks as number, true])
  })
})

onEachDatabase((database) => {
  test('nothing is open while every task is over', async () => {
    const { store } = database
    expect(await store.tasks.hasOpen()).toBe(false)
    expect(await store.tasks.countByStatus()).toEqual({})
    const task = await addTask(store, { status: 'failed' })
    const { key } = task
    expect(await store.tasks.hasOpen()).toBe(false)
    const agent = await addAgent(store)
    const attempt = await store.write((tx) => tx.tasks.insertAttempt(sampleAttempt(task, agent.key)))
    // Its run may be ending yet.
    expect(await store.tasks.hasOpen()).toBe(true)
    await store.write((tx) => tx.tasks.updateAttempt(attempt, { endedAt: 1, leaseExpiresAt: null }))
    expect(await store.tasks.hasOpen()).toBe(false)
    await store.write((tx) => tx.tasks.updateTask(key, { status: 'paused' }))
    expect(await store.tasks.hasOpen()).toBe(true)
  })
})

onEachDatabase((database) => {
  test('a sweep is due for what a sweep finds, and for nothing else', async () => {
    const { store } = database
    const [look, away] = [60_000, 15_000]
    const isDue = () => store.tasks.isSweepDue(look, away)
    expect(await isDue()).toBe(false)
    const now = await store.write((tx) => tx.now)
    const agent = await addAgent(store)
    await store.write((tx) => tx.tasks.updateAgent(agent.key, { lastSeenAt: tx.now }))
    const task = await addTask(store, { status: 'unassigned' })
    // Nobody looked at leases yet.
    expect(await isDue()).toBe(true)
    await store.write((tx) => tx.tasks.leaseClock(tx.now, 0))
    expect(await isDue()).toBe(false)
    const finding = async (begin: () => Promise<unknown>, end: () => Promise<unknown>) => {
      await begin()
      const during = await isDue()
      await end()
      return [during, await isDue()]
    }
    const patch = (fields: TaskPatch) => () => store.write((tx) => tx.tasks.updateTask(task.key, fields))
    const wait = { status: 'pending', waitingFor: 'time' } as const
    expect(await finding(patch({ ...wait, notBefore: now - 1 }), patch({ ...wait, notBefore: now + 600_000 }))).toEqual(
      [true, false],
    )
    const attempt = await store.write((tx) =>
      tx.tasks.insertAttempt({ ...sampleAttempt(task, agent.key), leaseExpiresAt: now + 600_000 }),
    )
    const lease = (leaseExpiresAt: number) => () =>
      store.write((tx) => tx.tasks.updateAttempt(attempt, { leaseExpiresAt }))
    expect(await finding(lease(now - 1), lease(now + 600_000))).toEqual([true, false])
    const offer = (expiresAt: number) => () =>
      store.write((tx) => tx.tasks.putOffer({ taskKey: task.key, agentKey: agent.key, expiresAt }))
    expect(await finding(offer(now - 1), offer(now + 600_000))).toEqual([true, false])
    const seen = (lastSeenAt: number) => () => store.write((tx) => tx.tasks.updateAgent(agent.key, { lastSeenAt }))
    await patch({ agentKey: agent.key, assignedBy: 'affinity' })()
    expect(await finding(seen(now - 60_000), seen(now))).toEqual([true, false])
    const clock = (at: number) => () => store.write((tx) => tx.tasks.leaseClock(at, 0))
    expect(await finding(clock(now - 2 * look), clock(now))).toEqual([true, false])
  })
})

/** Stores each task of this source once more, under an id of its own. */
async function doubleTasks(place: StorePlace, source: string): Promise<void> {
  const sql =
    place.path !== undefined ? new SQL({ adapter: 'sqlite', filename: place.path }) : new SQL(place.url, { max: 1 })
  try {
    const [row] = (await sql.unsafe('select * from tasks limit 1')) as Record<string, unknown>[]
    const columns = Object.keys(row ?? {})
      .filter((name) => !['id', 'public_id', 'open_to', 'queue_priority', 'due_at'].includes(name))
      .join(', ')
    await sql.unsafe(
      `insert into tasks (public_id, ${columns}) select 't-' || (id + (select max(id) from tasks)), ${columns} from tasks where source = '${source}'`,
    )
  } finally {
    await sql.close()
  }
}

/** Walks a list to its end. */
async function walk<T>(list: (page: PageRequest) => Promise<Page<T>>, limit: number): Promise<T[]> {
  const rows: T[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await list(cursor === undefined ? { limit } : { limit, cursor })
    expect(page.rows.length).toBeLessThanOrEqual(limit)
    rows.push(...page.rows)
    if (page.nextCursor === null) return rows
    cursor = page.nextCursor
  }
}
