import { expect, test } from 'bun:test'
import { UTC } from '../../src/domain/cost/zone-days'
import { sessionId } from '../../src/domain/ids'
import { readLanes } from '../../src/engine/overview/lanes'
import { readOverview } from '../../src/engine/overview/overview'
import { onEachDatabase } from '../store-contract/databases'
import { sampleEvent, sampleUsage } from '../store-contract/sample'
import { addCall, addRun, addSession, addWork, ago, DAY, hearOf, inSession, MINUTE, NOW, SETTINGS } from './scene'

onEachDatabase((database) => {
  const overview = (since = ago(DAY), limit = 200) => readOverview(database.store, NOW, SETTINGS, { since, limit })
  const runningIn = async (id: string) => (await overview()).running.filter((one) => one.sessionId === id)
  const finishedIn = async (id: string, since?: number) =>
    (await overview(since)).finished.filter((one) => one.sessionId === id)

  test('a task at work is told with its session, what it does, its to-dos, agents and cost', async () => {
    const { store } = database
    const session = await addSession(store, { activity: 'working', at: ago(MINUTE), process: 'alive', title: 'inner' })
    await addCall(store, session, { id: 'toolu_a', name: 'Read', text: 'old.ts', at: ago(3 * MINUTE) })
    await addCall(store, session, { id: 'toolu_b', name: 'Bash', text: 'npm  test\n--all', at: ago(2 * MINUTE) })
    await addCall(store, session, { id: 'toolu_c', name: 'Edit', text: 'x', at: ago(MINUTE), endedAt: ago(MINUTE) })
    await addRun(store, session, { startedAt: ago(MINUTE) })
    await addRun(store, session, { startedAt: ago(MINUTE), kind: 'shell' })
    await addRun(store, session, { startedAt: ago(3 * MINUTE), endedAt: ago(MINUTE) })
    await store.write(async ({ record }) => {
      await record.mergeUsage([sampleUsage(session, { inputTokens: 1_000, outputTokens: 10 })])
      await record.applyTodoChanges([
        {
          sessionKey: session.key,
          listName: 'todo',
          subagentKey: null,
          source: 1,
          toolUseId: 'toolu_todo',
          at: ago(MINUTE),
          change: {
            op: 'snapshot',
            items: [
              { content: 'look', status: 'completed' },
              { content: 'test', activeForm: 'testing', status: 'in_progress' },
            ],
          },
        },
      ])
    })
    const work = await addWork(
      store,
      { status: 'in_progress', title: 'Test it', lastSessionId: sessionId(session.id) },
      { conversation: inSession(session) },
    )
    const [found, ...others] = await runningIn(session.id)
    expect(others).toEqual([])
    expect(found).toMatchObject({
      kind: 'task',
      title: 'Test it',
      taskId: work.id,
      taskStatus: 'in_progress',
      sessionStatus: 'running',
      doing: 'Bash: npm test · --all',
      todos: { completed: 1, total: 2, current: 'testing' },
      runningAgents: 1,
      startedAt: new Date(ago(30 * MINUTE)).toISOString(),
      lastEventAt: new Date(ago(MINUTE)).toISOString(),
    })
    expect(found?.usage).toMatchObject({ inputTokens: 1_000, outputTokens: 10 })
    expect(found?.costUsd).toBeGreaterThan(0)
  })

  test('a lane tells when it was busy and waited, by the part, and what the last hour cost', async () => {
    const { store } = database
    const session = await addSession(store, { activity: 'working', at: ago(MINUTE), process: 'alive' })
    const lineAt = (at: number) => sampleEvent(session, { at, type: 'text', text: 'words' })
    await store.write(async ({ record }) => {
      // The first is before the time, the last two are of one part; one is of a clock that is ahead.
      await record.insertEvents([70 * MINUTE, 30 * MINUTE, 0, 0, -5 * MINUTE].map((ms) => lineAt(ago(ms))))
      await record.mergeUsage([
        sampleUsage(session, { inputTokens: 1_000_000, at: ago(61 * MINUTE) }),
        sampleUsage(session, { inputTokens: 1_000, at: ago(30 * MINUTE) }),
      ])
    })
    const work = await addWork(
      store,
      { status: 'in_progress', lastSessionId: sessionId(session.id) },
      { conversation: inSession(session) },
    )
    await work.ask(NOW + MINUTE)
    const lanesOf = async (minutes: number) => await readLanes(store, NOW, SETTINGS, { minutes, limit: 500 })
    const { lanes, since, partMs, total } = await lanesOf(60)
    expect([partMs, Date.parse(since), lanes.length]).toEqual([30_000, NOW - 119 * 30_000, total])
    const lane = lanes.find(({ taskId }) => taskId === work.id)
    expect(lane?.lines.flatMap((count, part) => (count > 0 ? [[part, count]] : []))).toEqual([
      [59, 1],
      [119, 2],
    ])
    expect(lane?.waits).toEqual([{ from: new Date(ago(MINUTE)).toISOString(), to: null }])
    expect(lane?.taskStatus).toBe('waiting')
    expect(lane?.lastHour.costUsd).toBeGreaterThan(0)
    expect(lane?.costUsd ?? 0).toBeGreaterThan(100 * (lane?.lastHour.costUsd ?? 0))
    expect((await readLanes(store, NOW, SETTINGS, { minutes: 60, limit: 1 })).lanes).toHaveLength(1)
    const longer = (await lanesOf(120)).lanes.find(({ taskId }) => taskId === work.id)
    expect(longer?.lines.reduce((sum, count) => sum + count, 0)).toBe(4)
  })

  test('a task at work costs what all its conversations come to, and nothing where none is recorded', async () => {
    const { store } = database
    const [killed, present] = [
      await addSession(store, { activity: 'working', at: ago(36 * MINUTE), process: 'gone' }),
      await addSession(store, { activity: 'working', at: ago(MINUTE), process: 'alive' }),
    ]
    await store.write(({ record }) =>
      record.mergeUsage([
        sampleUsage(killed, { inputTokens: 4_000 }),
        sampleUsage(present, { inputTokens: 300, at: ago(MINUTE) }),
      ]),
    )
    await addWork(
      store,
      { status: 'in_progress', lastSessionId: sessionId(present.id) },
      {
        former: { conversation: inSession(killed), outcome: 'lost' },
        conversation: inSession(present),
      },
    )
    const [found] = await runningIn(present.id)
    expect(found).toMatchObject({ kind: 'task', usage: { inputTokens: 4_300 } })
    const fresh = await addWork(store, { status: 'in_progress', costUsd: 1 })
    const begun = (await overview()).running.find(({ taskId }) => taskId === fresh.id)
    expect(begun).toMatchObject({ costUsd: null, usage: { inputTokens: 0 } })
  })

  test('sessions that live without a task are told, those at work before idle ones, the newest first', async () => {
    const { store } = database
    const idle = await addSession(store, { activity: 'idle', at: ago(1_000), process: 'alive', cwd: '/work/here' })
    const older = await addSession(store, { activity: 'working', at: ago(9 * MINUTE), process: 'alive' })
    const newer = await addSession(store, { activity: 'working', at: ago(8 * MINUTE), process: 'alive' })
    const resting = await addSession(store, { activity: 'idle', at: ago(3 * DAY), process: 'alive' })
    await addCall(store, idle, { id: 'toolu_left', name: 'Bash', at: ago(MINUTE) })
    const order = (await overview()).running.flatMap(({ sessionId: id }) => (id === null ? [] : [String(id)]))
    const ours = [newer, older, idle, resting].map(({ id }) => id)
    expect(order.filter((id) => ours.includes(id))).toEqual(ours)
    expect(await runningIn(idle.id)).toMatchObject([{ kind: 'session', title: 'here', doing: null, taskId: null }])
    for (const [activity, process] of [
      ['ended', 'alive'],
      ['working', 'gone'],
      ['idle', 'gone'],
    ] as const) {
      const over = await addSession(store, { activity, at: ago(MINUTE), process })
      expect([activity, await runningIn(over.id)]).toEqual([activity, []])
    }
  })

  test('a session that its hooks alone tell of is there, and one without a sign is not', async () => {
    const { store } = database
    const hooked = await addSession(store, {
      activity: 'idle',
      evidence: 'hook:SessionStart(startup)',
      at: ago(MINUTE),
      lastEventAt: null,
    })
    expect(await runningIn(hooked.id)).toMatchObject([{ sessionStatus: 'idle', statusEvidence: expect.any(String) }])
    const silent = await addSession(store, { lastEventAt: null })
    expect(await runningIn(silent.id)).toEqual([])
  })

  test('what ended since a time is told with its words: tasks, sessions, agents in the background', async () => {
    const { store } = database
    const session = await addSession(store, { activity: 'ended', at: ago(10 * MINUTE), title: 'Talk' })
    await store.write(({ record }) =>
      record.insertEvents([
        sampleEvent(session, { at: ago(12 * MINUTE), type: 'text', text: 'first words' }),
        sampleEvent(session, { at: ago(11 * MINUTE), type: 'text', text: 'last words' }),
        sampleEvent(session, { at: ago(10 * MINUTE), type: 'prompt', role: 'user', text: 'bye' }),
      ]),
    )
    const agent = await addRun(store, session, {
      startedAt: ago(40 * MINUTE),
      endedAt: ago(20 * MINUTE),
      status: 'failed',
      result: 'no luck',
    })
    await addRun(store, session, { startedAt: ago(40 * MINUTE), endedAt: ago(20 * MINUTE), isBackground: false })
    expect(await finishedIn(session.id)).toMatchObject([
      {
        kind: 'session',
        title: 'Talk',
        outcome: 'ended',
        text: 'last words',
        at: new Date(ago(10 * MINUTE)).toISOString(),
      },
      { kind: 'subagent', subagentId: agent, outcome: 'failed', text: 'no luck' },
    ])
    expect(await finishedIn(session.id, ago(15 * MINUTE))).toMatchObject([{ kind: 'session' }])
    expect(await finishedIn(session.id, ago(MINUTE))).toEqual([])
  })

  test('a finished task is told in the place of its session, until a person goes on with that', async () => {
    const { store } = database
    const session = await addSession(store, { activity: 'idle', at: ago(10 * MINUTE), process: 'gone' })
    // The end of it is not reported, but recorded.
    await store.write(({ record }) =>
      record.mergeUsage([sampleUsage(session, { model: 'claude-opus-5-5', inputTokens: 100_000 })]),
    )
    const { total } = await store.costs.sum({ by: 'model', sessionId: sessionId(session.id), timeZone: UTC, limit: 1 })
    expect(total.costUsd).toBeGreaterThan(0.25)
    const work = await addWork(
      store,
      {
        status: 'completed',
        title: 'Build it',
        output: 'Built.',
        costUsd: 0.25,
        finishedAt: ago(10 * MINUTE),
        lastSessionId: sessionId(session.id),
      },
      { endedAt: ago(10 * MINUTE), outcome: 'completed', leaseExpiresAt: null, conversation: inSession(session) },
    )
    expect(await finishedIn(session.id)).toMatchObject([
      {
        kind: 'task',
        taskId: work.id,
        title: 'Build it',
        outcome: 'completed',
        text: 'Built.',
        costUsd: total.costUsd,
      },
    ])
    await hearOf(store, session, { activity: 'working', at: ago(MINUTE), process: 'alive' })
    expect(await runningIn(session.id)).toMatchObject([{ kind: 'session', taskId: null }])
    expect(await finishedIn(session.id)).toMatchObject([{ kind: 'task' }])
  })

  test('an agent whose end follows from its own last words is told as completed', async () => {
    const { store } = database
    const session = await addSession(store, { activity: 'ended', at: ago(10 * MINUTE) })
    const agent = await addRun(store, session, { startedAt: ago(40 * MINUTE) })
    await store.write(async ({ record }) => {
      const node = await record.subagent(session.key, agent, 'agent')
      await record.insertEvents([
        sampleEvent(session, {
          at: ago(20 * MINUTE),
          type: 'text',
          text: 'found it',
          subagentKey: node.key,
          isFinal: true,
        }),
      ])
    })
    const found = await finishedIn(session.id)
    expect(found).toContainEqual(expect.objectContaining({ kind: 'subagent', outcome: 'completed', text: 'found it' }))
  })

  test('counts are of all, lists are cut, and the feed can be followed from where it stood before', async () => {
    const { store } = database
    for (let i = 0; i < 5; i++) await addSession(store, { activity: 'working', at: ago(i * 1_000), process: 'alive' })
    const head = await store.feed.head()
    const { running, counts, feedSeq } = await overview(ago(DAY), 3)
    expect(feedSeq).toBe(head)
    expect(running.length).toBe(3)
    expect(counts.running).toBeGreaterThanOrEqual(5)
  })
})
