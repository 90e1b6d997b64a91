import { expect, test } from 'bun:test'
import { statusesAt } from '../../src/api/server/present-session'
import { address, inboxId, issueId, messageId, sessionId, subagentId, type TaskId } from '../../src/domain/ids'
import type { Need } from '../../src/domain/overview/overview'
import { createNeedService, KEPT_MS } from '../../src/engine/overview/need-service'
import { checkDismissal, countNeeds, readOverview } from '../../src/engine/overview/overview'
import { until } from '../lab/until'
import { failureOf, onEachDatabase } from '../store-contract/databases'
import { addTask } from '../store-contract/tasks-sample'
import {
  addCall,
  addRequest,
  addRun,
  addSession,
  addWork,
  ago,
  DAY,
  hearOf,
  inSession,
  MINUTE,
  NOW,
  SETTINGS,
  type SessionState,
} from './scene'

onEachDatabase((database) => {
  const needs = async (now = NOW): Promise<Need[]> =>
    (await readOverview(database.store, now, SETTINGS, { since: now - DAY, limit: 200 })).needs
  const ofSession = async (id: string, now = NOW): Promise<Need[]> =>
    (await needs(now)).filter((need) => need.sessionId === id)
  const ofTask = async (id: string, now = NOW): Promise<Need[]> =>
    (await needs(now)).filter((need) => need.taskId === id)
  const kinds = (found: Need[]): string[] => found.map(({ kind }) => kind)
  const add = (state: SessionState) => addSession(database.store, state)

  test('a question of a run is told whole until its deadline, and its waiting session by it alone', async () => {
    const { store } = database
    const session = await add({ activity: 'waiting', at: ago(MINUTE), process: 'alive' })
    const work = await addWork(store, {
      status: 'in_progress',
      title: 'Tidy up',
      issueId: issueId('ld-abc'),
      lastSessionId: sessionId(session.id),
    })
    const question = await work.ask(NOW + 5 * MINUTE)
    const [need, ...others] = await ofTask(work.id)
    expect(others).toEqual([])
    expect(need).toMatchObject({
      kind: 'question',
      id: `question:${question}`,
      title: 'Tidy up',
      text: 'Clean the build\nBash: rm -r build',
      sessionId: session.id,
      issueId: 'ld-abc',
      canDismiss: false,
      command: `lode question answer ${question} allow`,
      question: { id: question, input: { command: 'rm -r build' }, default: 'deny' },
    })
    expect(kinds(await ofTask(work.id, NOW + 6 * MINUTE))).not.toContain('question')
  })

  test('a session whose run asks a person waits, in every list and at every moment since it asked', async () => {
    const { store } = database
    const session = await add({ activity: 'working', at: ago(MINUTE), process: 'alive' })
    const id = sessionId(session.id)
    const statusNow = async () => {
      const stored = await store.sessions.find(id)
      return stored && (await (await statusesAt(NOW, SETTINGS, store))([stored]))[0]
    }
    const working = { status: 'in_progress' as const, lastSessionId: id }
    const work = await addWork(store, working, { conversation: inSession(session) })
    expect((await statusNow())?.status).toBe('running')
    expect(await store.conversations.waits(session.key)).toEqual([])
    const question = await work.ask(NOW + 5 * MINUTE)
    const now = await statusNow()
    expect(now?.status).toBe('waiting')
    expect(now?.statusEvidence).toStartWith(`question ${question} is open, `)
    expect(await store.conversations.waits(session.key)).toMatchObject([{ to: null }])
  })

  test('a session in a terminal that asks for something waits for its person, until it goes on', async () => {
    const { store } = database
    const session = await add({
      activity: 'waiting',
      evidence: 'transcript:AskUserQuestion',
      at: ago(5 * MINUTE),
      process: 'alive',
      title: 'Choose a colour',
    })
    await addCall(store, session, {
      id: 'toolu_ask',
      name: 'AskUserQuestion',
      text: 'Which colour?',
      at: ago(5 * MINUTE),
    })
    const [need, ...others] = await ofSession(session.id)
    expect(others).toEqual([])
    expect(need).toMatchObject({
      kind: 'waiting',
      title: 'Choose a colour',
      text: 'AskUserQuestion\nWhich colour?',
      since: new Date(ago(5 * MINUTE)).toISOString(),
      taskId: null,
      canDismiss: true,
    })
    expect(need?.evidence).toContain('AskUserQuestion')
    await hearOf(store, session, { activity: 'working', at: ago(MINUTE) })
    expect(await ofSession(session.id)).toEqual([])
    await hearOf(store, session, { activity: 'waiting', at: ago(0) })
    expect((await ofSession(session.id)).map(({ id }) => id)).not.toContain(need?.id ?? '')
  })

  test('a failure is told once with its class, and no more when it is tried again, taken up or a week old', async () => {
    const { store } = database
    const session = await add({ activity: 'working', at: ago(10 * MINUTE), process: 'gone' })
    const failed = {
      status: 'failed' as const,
      title: 'Build it',
      failureClass: 'crash' as const,
      failureReason: 'the CLI ended with 137',
      finishedAt: ago(10 * MINUTE),
      lastSessionId: sessionId(session.id),
    }
    const ended = { endedAt: ago(10 * MINUTE), outcome: 'failed' as const, leaseExpiresAt: null }
    const work = await addWork(store, failed, ended)
    const found = await ofTask(work.id)
    expect(found).toMatchObject([
      {
        kind: 'failure',
        title: 'Build it',
        text: 'the CLI ended with 137',
        failureClass: 'crash',
        evidence: 'attempt 1 failed, crash',
        sessionId: session.id,
        command: `lode task retry ${work.id}`,
      },
    ])
    // Its session was cut short, and that is the failure.
    expect(kinds(await ofSession(session.id))).toEqual(['failure'])
    const task = await store.write(async ({ tasks }) => await tasks.task(work.id))
    if (task === undefined) throw new Error('no task')
    await store.write(({ tasks }) => tasks.updateTask(task.key, { status: 'pending', finishedAt: null }))
    expect(await ofTask(work.id)).toEqual([])
    await store.write(({ tasks }) => tasks.updateTask(task.key, { status: 'failed', finishedAt: ago(MINUTE) }))
    expect((await ofTask(work.id)).map(({ id }) => id)).not.toEqual(found.map(({ id }) => id))
    expect(await ofTask(work.id, NOW + 8 * DAY)).toEqual([])

    const depending = await addWork(store, { ...failed, lastSessionId: null, failureClass: 'dependency_failed' }, ended)
    expect(await ofTask(depending.id)).toEqual([])
    const takenUp = await addWork(store, { ...failed, lastSessionId: null }, ended)
    expect(kinds(await ofTask(takenUp.id))).toEqual(['failure'])
    const parent = await store.write(async ({ tasks }) => await tasks.task(takenUp.id))
    await addTask(store, { parentTaskId: takenUp.id, parentKey: parent?.key ?? null })
    expect(await ofTask(takenUp.id)).toEqual([])
  })

  test('a session is stuck when it is silent in its turn, whether its process lives or nobody knows', async () => {
    const { store } = database
    const state = { activity: 'working', at: ago(20 * MINUTE) } as const
    const [alive, unknown, gone, lately] = [
      await add({ ...state, process: 'alive' }),
      await add(state),
      await add({ ...state, process: 'gone' }),
      await add({ activity: 'working', at: ago(14 * MINUTE), process: 'alive' }),
    ]
    await addCall(store, alive, { id: 'toolu_open', name: 'Bash', text: 'npm test', at: ago(20 * MINUTE) })
    expect(await ofSession(alive.id)).toMatchObject([
      { kind: 'stuck', text: 'Bash: npm test', command: `lode session tree ${alive.id}` },
    ])
    expect(kinds(await ofSession(unknown.id))).toEqual(['stuck'])
    expect(kinds(await ofSession(gone.id))).toEqual(['lost'])
    expect(await ofSession(lately.id)).toEqual([])
    const [before] = await ofSession(alive.id)
    await hearOf(store, alive, { activity: 'working', at: ago(MINUTE) })
    expect(await ofSession(alive.id)).toEqual([])
    const [after] = await ofSession(alive.id, NOW + 20 * MINUTE)
    expect(after?.kind).toBe('stuck')
    expect(after?.id).not.toBe(before?.id ?? '')
  })

  test('a silent session is not stuck while something runs in its background or a person is asked', async () => {
    const { store } = database
    const state = { activity: 'working', at: ago(20 * MINUTE), process: 'alive' } as const
    for (const kind of ['agent', 'shell', 'monitor'] as const) {
      const session = await add(state)
      await addRun(store, session, { startedAt: ago(30 * MINUTE), kind })
      expect([kind, await ofSession(session.id)]).toEqual([kind, []])
    }
    const over = await add(state)
    await addRun(store, over, { startedAt: ago(30 * MINUTE), endedAt: ago(25 * MINUTE) })
    expect(kinds(await ofSession(over.id))).toEqual(['stuck'])
    const asking = await add(state)
    await addCall(store, asking, { id: 'toolu_asks', name: 'AskUserQuestion', at: ago(20 * MINUTE) })
    expect(await ofSession(asking.id)).toEqual([])
  })

  test('a stuck or lost run is told once, through its task', async () => {
    const { store } = database
    const silent = await add({ activity: 'working', at: ago(20 * MINUTE), process: 'alive' })
    const stuck = await addWork(store, { status: 'in_progress', lastSessionId: sessionId(silent.id), title: 'Wait' })
    expect(await ofSession(silent.id)).toMatchObject([{ kind: 'stuck', taskId: stuck.id, title: 'Wait' }])

    const left = await add({ activity: 'working', at: ago(20 * MINUTE), process: 'gone' })
    const lapsed = await addWork(
      store,
      { status: 'in_progress', lastSessionId: sessionId(left.id) },
      { leaseExpiresAt: ago(5 * MINUTE) },
    )
    expect(await ofSession(left.id)).toMatchObject([
      { kind: 'lost', id: `lost:${lapsed.id}:1`, taskId: lapsed.id, since: new Date(ago(5 * MINUTE)).toISOString() },
    ])

    const vanished = { endedAt: ago(5 * MINUTE), outcome: 'lost' as const, leaseExpiresAt: null }
    const resting = { status: 'unassigned' as const, lostCount: 1, lastSessionId: null }
    const waiting = await addWork(store, resting, { ...vanished, failureReason: 'attempt 1 was not heard of' })
    expect(await ofTask(waiting.id)).toMatchObject([{ kind: 'lost', text: 'attempt 1 was not heard of' }])
    const justNow = await addWork(store, resting, { ...vanished, endedAt: ago(10_000) })
    expect(await ofTask(justNow.id)).toEqual([])
  })

  test('a lost session of which a task goes on elsewhere is nobody’s need', async () => {
    const { store } = database
    const first = await add({ activity: 'working', at: ago(40 * MINUTE), process: 'gone' })
    const second = await add({ activity: 'working', at: ago(MINUTE), process: 'alive' })
    const work = await addWork(
      store,
      { status: 'in_progress', attemptCount: 2, lastSessionId: sessionId(second.id) },
      {
        number: 1,
        endedAt: ago(30 * MINUTE),
        outcome: 'lost',
        leaseExpiresAt: null,
        conversation: {
          rung: 'fresh',
          sessionId: sessionId(first.id),
          resumedSessionId: null,
          forked: false,
          forkPoint: null,
          whyNot: [],
        },
      },
    )
    expect(await ofSession(first.id)).toEqual([])
    expect(await ofTask(work.id)).toEqual([])
  })

  test('a lost session is told until somebody goes on from it, or a week is over', async () => {
    const at = ago(3 * 60 * MINUTE)
    for (const how of ['forkedFrom', 'resumedFrom'] as const) {
      const session = await add({ activity: 'working', at, title: 'Cut short' })
      expect(await ofSession(session.id)).toMatchObject([
        { kind: 'lost', id: `lost:${session.id}:${at}`, command: `lode session resume ${session.id}` },
      ])
      expect(await ofSession(session.id, NOW + 8 * DAY)).toEqual([])
      // A child that was forked off while it worked did not go on from where it was lost.
      await add({ activity: 'idle', at: at - MINUTE, [how]: session.id })
      expect(kinds(await ofSession(session.id))).toEqual(['lost'])
      await add({ activity: 'idle', at: ago(MINUTE), [how]: session.id })
      expect(await ofSession(session.id)).toEqual([])
    }
    const alive = await add({ activity: 'working', at: ago(MINUTE) })
    expect(await ofSession(alive.id)).toEqual([])
  })

  test('what an agent answered in the background is told when its session will not read it by itself', async () => {
    const { store } = database
    const ended = { startedAt: ago(30 * MINUTE), endedAt: ago(20 * MINUTE), result: 'All is well' }
    const over = await add({ activity: 'ended', at: ago(10 * MINUTE) })
    const run = await addRun(store, over, ended)
    expect(await ofSession(over.id)).toMatchObject([
      {
        kind: 'unread',
        id: `unread:${over.id}:${run}:1`,
        title: `work of ${run}`,
        text: 'All is well',
        subagentId: run,
        command: `lode subagent output ${run} --session ${over.id}`,
      },
    ])
    await store.write(({ sessions }) => sessions.markRead(over.key, subagentId(run), 1, 'a person'))
    expect(await ofSession(over.id)).toEqual([])

    const idle = await add({ activity: 'idle', at: ago(6 * MINUTE), process: 'alive' })
    await addRun(store, idle, { ...ended, status: 'failed' })
    expect(kinds(await ofSession(idle.id))).toEqual(['unread'])
    const soon = await add({ activity: 'idle', at: ago(MINUTE), process: 'alive' })
    await addRun(store, soon, ended)
    const busy = await add({ activity: 'working', at: ago(MINUTE), process: 'alive' })
    await addRun(store, busy, ended)
    const foreground = await add({ activity: 'ended', at: ago(10 * MINUTE) })
    await addRun(store, foreground, { ...ended, isBackground: false })
    const stopped = await add({ activity: 'ended', at: ago(10 * MINUTE) })
    await addRun(store, stopped, { ...ended, status: 'killed' })
    for (const { id } of [soon, busy, foreground, stopped]) expect(await ofSession(id)).toEqual([])
  })

  test('an unread answer in the conversation of a task that goes on is told by nobody', async () => {
    const { store } = database
    const session = await add({ activity: 'ended', at: ago(10 * MINUTE) })
    await addRun(store, session, { startedAt: ago(30 * MINUTE), endedAt: ago(20 * MINUTE) })
    const over = { endedAt: ago(10 * MINUTE), outcome: 'completed' as const, leaseExpiresAt: null }
    const of = { lastSessionId: sessionId(session.id) }
    const work = await addWork(store, { ...of, status: 'pending', waitingFor: 'children' }, over)
    expect(await ofSession(session.id)).toEqual([])
    const task = await store.write(async ({ tasks }) => await tasks.task(work.id))
    if (task === undefined) throw new Error('no task')
    await store.write(({ tasks }) => tasks.updateTask(task.key, { status: 'completed', finishedAt: ago(10 * MINUTE) }))
    expect(await ofSession(session.id)).toMatchObject([{ kind: 'unread', taskId: work.id }])
  })

  test('a request that nobody looked at is told with its text', async () => {
    const id = await addRequest(database.store, `Please ${'x'.repeat(3_000)}`)
    const found = (await needs()).find(({ inboxId }) => inboxId === id)
    expect(found).toMatchObject({ kind: 'request', id: `request:${id}`, title: 'Ada (chat)', isCut: true })
    expect(found?.text.length).toBe(2_000)
    await database.store.write(async ({ inbox }) => {
      const row = await inbox.find(inboxId(id))
      if (row !== undefined) await inbox.update(row.key, { status: 'delegated' })
    })
    expect((await needs()).some(({ inboxId }) => inboxId === id)).toBe(false)
  })

  test('a message waits for the person of a session that stands still, not of one at work', async () => {
    const { store } = database
    const say = (to: string, kind: 'result' | 'status' = 'result') =>
      store.write(async ({ messages }) => {
        const id = messageId(crypto.randomUUID())
        await messages.insert({
          id,
          to: address(to),
          from: { kind: 'task', address: null, name: 'Build it' },
          kind,
          cause: id,
          taskId: null,
          replyTo: null,
          chain: 0,
          wantsReply: false,
          text: 'It is built.',
          isCut: false,
          fullAt: null,
        })
        return id
      })
    const idle = await add({ activity: 'idle', at: ago(MINUTE), process: 'alive' })
    const busy = await add({ activity: 'working', at: ago(MINUTE), process: 'alive' })
    const [waits, ...none] = [
      await say(idle.id),
      await say(busy.id),
      await say(idle.id, 'status'),
      await say('t-00000000'),
    ]
    const found = (await needs()).filter(({ kind }) => kind === 'message')
    expect(found).toMatchObject([
      { messageId: waits, title: 'result from Build it', text: 'It is built.', sessionId: idle.id },
    ])
    expect(found[0]?.command).toBe(`lode session messages ${idle.id}`)
    for (const id of none) expect(found.map(({ messageId: of }) => of)).not.toContain(id)
  })

  test('sessions of long ago, however they ended, ask nothing of anybody', async () => {
    const { store } = database
    const old = []
    for (const activity of ['working', 'waiting', 'idle', 'ended'] as const) {
      const session = await add({ activity, at: ago(200 * DAY) })
      await addRun(store, session, { startedAt: ago(200 * DAY), endedAt: ago(200 * DAY) + MINUTE })
      await addRun(store, session, { startedAt: ago(200 * DAY) })
      await addCall(store, session, { id: 'toolu_old', name: 'Bash', at: ago(200 * DAY) })
      old.push(session.id)
    }
    await addWork(
      store,
      { status: 'failed', finishedAt: ago(200 * DAY), failureClass: 'crash', title: 'long ago' },
      { endedAt: ago(200 * DAY), outcome: 'failed', leaseExpiresAt: null },
    )
    const {
      needs: found,
      running,
      finished,
    } = await readOverview(store, NOW, SETTINGS, { since: ago(DAY), limit: 200 })
    for (const { sessionId: id, title } of [...found, ...running, ...finished])
      expect([old.includes(id ?? ''), title]).toEqual([false, title])
    expect(found.map(({ title }) => title)).not.toContain('long ago')
  })

  test('the most urgent comes first, questions by their wait, the rest by their news', async () => {
    const { store } = database
    for (const minutes of [90, 100, 80]) await add({ activity: 'working', at: ago(minutes * MINUTE), process: 'gone' })
    const work = await addWork(store, { status: 'in_progress' })
    await work.ask(NOW + MINUTE)
    const found = await needs()
    const order = ['question', 'waiting', 'failure', 'request', 'stuck', 'lost', 'untaken', 'unread', 'message']
    const places = found.map(({ kind }) => order.indexOf(kind))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    const lost = found.flatMap(({ kind, since }) => (kind === 'lost' ? [since] : []))
    expect(lost).toEqual(lost.toSorted().reverse())
    const answer = await readOverview(store, NOW, SETTINGS, { since: ago(DAY), limit: 2 })
    expect(answer.needs.map(({ id }) => id)).toEqual(found.slice(0, 2).map(({ id }) => id))
    expect(Object.values(answer.counts.needs).reduce((sum, n) => sum + n, 0)).toBe(found.length)
    expect(await countNeeds(store, NOW, SETTINGS)).toEqual(answer.counts.needs)
  })

  test('needs with one cause are counted beyond those that are listed, and can be read by it', async () => {
    const { store } = database
    const fail = async (reason: string) => {
      const failed = {
        status: 'failed',
        finishedAt: ago(3 * MINUTE),
        failureClass: 'agent',
        failureReason: reason,
      } as const
      return (await addWork(store, failed, { endedAt: ago(3 * MINUTE), outcome: 'failed', leaseExpiresAt: null })).id
    }
    const alike: TaskId[] = []
    for (let n = 0; n < 4; n++) alike.push(await fail('the crane is stuck'))
    const other = await fail('the crane is lost')
    const all = await needs()
    const causeOf = (task: TaskId | undefined) => all.find(({ taskId }) => taskId === task)?.cause ?? ''
    const cause = causeOf(alike[0])
    expect(new Set(alike.map(causeOf))).toEqual(new Set([cause]))
    expect(causeOf(other)).not.toBe(cause)
    const asked = { since: ago(DAY), limit: all.findIndex((need) => need.cause === cause) + 1 }
    const cut = await readOverview(store, NOW, SETTINGS, asked)
    expect(cut.needs.filter((need) => need.cause === cause)).toHaveLength(1)
    expect(cut.causes.find((one) => one.cause === cause)?.count).toBe(4)
    const whole = await readOverview(store, NOW, SETTINGS, { since: ago(DAY), limit: 200, cause })
    expect(whole.needs.flatMap(({ taskId }) => taskId ?? []).toSorted()).toEqual(alike.toSorted())
    const part = async (skip: number) =>
      (await readOverview(store, NOW, SETTINGS, { since: ago(DAY), limit: 3, cause, skip })).needs
    expect([...(await part(0)), ...(await part(3))]).toEqual(whole.needs)
    expect(await part(4)).toEqual([])
    expect([whole.running, whole.finished, whole.snoozed, whole.counts]).toEqual([[], [], [], cut.counts])
  })

  test('what was dismissed comes back only when it happens again, and is told in the feed once', async () => {
    const { store } = database
    const service = createNeedService({ store })
    const session = await add({ activity: 'working', at: ago(50 * MINUTE), process: 'gone' })
    const [need] = await ofSession(session.id)
    const id = need?.id ?? ''
    const head = await store.feed.head()
    await checkDismissal(store, id, NOW, SETTINGS)
    const { at } = await service.dismiss(id, 'a person')
    expect(await service.dismiss(id, 'somebody else')).toEqual({ at })
    // On PostgreSQL an entry has its place a moment after the commit.
    const told = await until('the entry of the feed', async () => {
      const found = (await store.feed.after(head, 10)).filter(({ kind }) => kind === 'need.dismissed')
      return found.length > 0 && found
    })
    expect(told.map(({ data }) => data)).toEqual([{ needId: id, by: 'a person' }])
    expect(await ofSession(session.id)).toEqual([])
    // It is over meanwhile, or not: said again it is the same.
    await checkDismissal(store, id, NOW + 30 * DAY, SETTINGS)
    await hearOf(store, session, { activity: 'working', at: ago(45 * MINUTE), process: 'gone' })
    expect(kinds(await ofSession(session.id))).toEqual(['lost'])
  })

  test('what was put off needs somebody again at its time, or when it is woken; dismissed it stays away', async () => {
    const { store } = database
    const service = createNeedService({ store })
    const { id: session } = await add({ activity: 'working', at: ago(49 * MINUTE), process: 'gone' })
    const id = (await ofSession(session))[0]?.id ?? ''
    const at = async (now: number) => {
      const { needs, snoozed, counts } = await readOverview(store, now, SETTINGS, { since: now, limit: 100 })
      expect(counts.snoozed).toBe(snoozed.length)
      const until = snoozed.find((need) => need.id === id)?.snoozedUntil ?? null
      return [needs.some((need) => need.id === id), until]
    }
    const until = new Date(NOW + 60 * MINUTE).toISOString()
    const before = (await countNeeds(store, NOW, SETTINGS)).lost ?? 0
    await service.snooze(id, 'a person', NOW + 60 * MINUTE)
    expect(await at(NOW)).toEqual([false, until])
    expect((await countNeeds(store, NOW, SETTINGS)).lost ?? 0).toBe(before - 1)
    expect(await at(NOW + 61 * MINUTE)).toEqual([true, null])
    await service.snooze(id, 'a person', NOW)
    expect(await at(NOW)).toEqual([true, null])
    await service.snooze(id, 'a person', NOW + 60 * MINUTE)
    await service.dismiss(id, 'a person')
    await service.snooze(id, 'a person', NOW + 60 * MINUTE)
    expect(await at(NOW + 61 * MINUTE)).toEqual([false, null])
  })

  test('a question is answered and not dismissed, and what is no need can not be', async () => {
    const { store } = database
    const work = await addWork(store, { status: 'in_progress' })
    const question = await work.ask(NOW + MINUTE)
    const check = (id: string) => failureOf(checkDismissal(store, id, NOW, SETTINGS))
    expect(await check(`question:${question}`)).toMatchObject({ code: 'conflict' })
    for (const id of ['lost:nobody:1', '../../x', "'; drop table need_dismissals --", '\0', '\u{1f600}'.repeat(200)])
      expect(await check(id)).toMatchObject({ code: 'not_found' })
  })

  test('dismissals are forgotten after a season, not before', async () => {
    const { store } = database
    const service = createNeedService({ store })
    const now = Date.now()
    await store.write(async ({ needs: rows }) => {
      await rows.dismiss('old', 'x', now - KEPT_MS - MINUTE)
      await rows.dismiss('young', 'x', now - KEPT_MS + MINUTE)
    })
    expect(await store.overview.hasDismissedBefore(now - KEPT_MS)).toBe(true)
    expect(await service.sweep()).toBe(1)
    expect(await store.overview.hasDismissedBefore(now - KEPT_MS)).toBe(false)
    expect([...(await store.overview.dismissed(['old', 'young'], now)).keys()]).toEqual(['young'])
  })
})
