import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { operations } from '../../src/api/contract/operations'
import { address, sessionId } from '../../src/domain/ids'
import { schemaOf } from '../api/answers/declared-answers'
import { joinWorker, serveTasks } from '../api/tasks/serve-tasks'
import { recorderOn, transcript, write } from '../record/recording'
import { failureOf, onEachDatabase } from '../store-contract/databases'

const HERE = { client: 'terminal', host: 'here' }

onEachDatabase((database) => {
  const root = mkdtempSync(join(tmpdir(), 'lode-registry-'))
  const uuid = () => crypto.randomUUID()

  /** Records a conversation of one prompt and its answer. */
  async function recorded(id: string, at = Date.parse('2026-01-01T00:00:00Z')): Promise<void> {
    const line = (type: string, uuid: string, parentUuid: string | null, seconds: number) =>
      `${JSON.stringify({
        parentUuid,
        isSidechain: false,
        sessionId: id,
        type,
        message: { role: type, content: [{ type: 'text', text: 'hello' }], id: 'msg_1', model: 'm' },
        uuid,
        timestamp: new Date(at + seconds * 1_000).toISOString(),
        cwd: '/work',
        version: '2.1.328',
      })}\n`
    const [prompt, answer] = [uuid(), uuid()]
    const ref = transcript(root, sessionId(id))
    write(ref, line('user', prompt, null, 0) + line('assistant', answer, prompt, 1))
    await recorderOn(database.store).recordFile(ref)
  }

  const told = async (to: string) =>
    (await database.store.messages.list({ to: address(to) }, { limit: 100 })).rows.map(({ kind, text }) => ({
      kind,
      text,
    }))

  test('a client without an id is given an address, once for the same request', async () => {
    await using api = serveTasks(database.store)
    const { sessions } = api.client
    const key = { idempotencyKey: uuid() }
    const first = await sessions.register({ client: 'web', host: 'box', title: 'Ops', owner: 'ann' }, key)
    expect(first.registration.address).toMatch(/^websession-[0-9a-z]{12}$/)
    expect(first).toMatchObject({
      isNew: true,
      registration: { kind: 'web', client: 'web', title: 'Ops', owner: 'ann' },
    })
    const again = await sessions.register({ client: 'web', host: 'box', title: 'Ops', owner: 'ann' }, key)
    expect(again).toEqual({ ...first, isNew: false })
    const other = await sessions.register({ client: 'web', host: 'box', title: 'Ops', owner: 'ann' })
    expect(other.registration.address).not.toBe(first.registration.address)
  })

  test('a registration answers before anything is recorded, and stays beside what is', async () => {
    await using api = serveTasks(database.store)
    const { sessions } = api.client
    const id = uuid()
    await sessions.put(id, {
      client: 'vscode',
      host: 'box',
      project: '/work',
      capabilities: ['b', 'a'],
      metadata: { n: 1 },
    })
    expect(await sessions.place(id)).toMatchObject({
      session: null,
      address: id,
      aliases: [],
      worker: null,
      registration: { kind: 'chat', client: 'vscode', capabilities: ['a', 'b'], metadata: { n: 1 } },
    })
    expect(await failureOf(sessions.get(id))).toMatchObject({ code: 'not_found' })
    await recorded(id)
    const changed = await sessions.put(id, { title: 'Walls' })
    expect(changed).toMatchObject({
      isNew: false,
      registration: { client: 'vscode', title: 'Walls', metadata: { n: 1 } },
    })
    const place = await sessions.place(id.slice(0, 13))
    expect(place).toMatchObject({ session: { id, cwd: '/work' }, registration: { title: 'Walls' } })
    expect(() => schemaOf(operations.sessions.place).parse(place)).not.toThrow()
  })

  test('a client that comes back is the same one, is told who else is there, and given what it missed', async () => {
    await using api = serveTasks(database.store)
    const { sessions, tasks, messages } = api.client
    const { address: at } = (await sessions.register({ client: 'web', host: 'box' })).registration
    const first = await sessions.attach(at, HERE)
    expect(first).toMatchObject({ address: at, isReattached: false, others: [], missed: [], hasMore: false })
    const { task } = await tasks.create({ task: 'count', sessionId: sessionId(at) })
    await tasks.cancel(task.id, { reason: 'no need' })
    const elsewhere = await sessions.attach(at, { client: 'web', host: 'laptop' })
    expect(elsewhere.others).toMatchObject([{ client: 'terminal', host: 'here', id: first.attachment.id }])
    expect(elsewhere.missed).toMatchObject([{ kind: 'result', taskId: task.id }])
    const again = await sessions.attach(at, HERE)
    expect(again).toMatchObject({ isReattached: true, attachment: { id: first.attachment.id } })
    expect(again.missed.map(({ id }) => id)).toEqual(elsewhere.missed.map(({ id }) => id))
    expect(again.nextAfter).toBe(again.missed.at(-1)?.seq as number)
    await messages.acknowledge(at, { ids: again.missed.map(({ id }) => id) })
    expect((await sessions.attach(at, HERE)).missed).toEqual([])
    expect((await sessions.attach(at, { ...HERE, after: 0 })).missed).toMatchObject([{ status: 'consumed' }])
    expect((await sessions.place(at)).attachments).toHaveLength(2)
    expect((await sessions.detach(at, HERE)).others).toMatchObject([{ host: 'laptop' }])
    expect(await failureOf(sessions.detach(at, HERE))).toMatchObject({ code: 'not_found' })
    expect((await sessions.detach(at, { attachmentId: elsewhere.attachment.id })).others).toEqual([])
    // One that left and comes back is another.
    expect((await sessions.attach(at, HERE)).isReattached).toBe(false)
  })

  test('the task to go on with is the newest at work, then of those that wait', async () => {
    await using api = serveTasks(database.store)
    const { sessions, tasks } = api.client
    const id = uuid()
    await sessions.put(id, {})
    const word = `only-${uuid()}`
    const make = async (more: object = {}) =>
      (await tasks.create({ task: 'x', sessionId: sessionId(id), requiredCapabilities: [word], ...more })).task.id
    expect(await failureOf(sessions.activeTask(id))).toMatchObject({ code: 'not_found' })
    const active = async () => (await sessions.activeTask(id)).task.id
    const shelved = await make({ status: 'backlog' })
    expect(await active()).toBe(shelved)
    await make()
    const pooled = await make()
    expect(await active()).toBe(pooled)
    const worker = await joinWorker(api, { capabilities: [word] })
    const offered = await make({ offeredTo: worker.id })
    expect(await active()).toBe(offered)
    const later = await make({ notBefore: '2999-01-01T00:00:00Z' })
    expect(await active()).toBe(later)
    const paused = await make()
    await tasks.pause(paused)
    expect(await active()).toBe(paused)
    const { assignments } = await worker.poll({ waitMs: 0 })
    const taken = assignments[0]?.task.id
    expect(await active()).toBe(taken as typeof paused)
    const all = await sessions.tasks(id, { limit: 3 })
    expect(all.tasks.map((task) => task.id)).toEqual([paused, later, offered])
    expect((await sessions.tasks(id, { limit: 10, cursor: all.nextCursor ?? '' })).tasks).toHaveLength(3)
    for (const task of (await sessions.tasks(id)).tasks) await tasks.cancel(task.id)
    expect(await failureOf(sessions.activeTask(id))).toMatchObject({ code: 'not_found' })
    expect((await failureOf(sessions.activeTask(id))).hint).toContain('/tasks')
  })

  test('the tasks of a session that nobody registered or recorded are found by its name', async () => {
    await using api = serveTasks(database.store)
    const { sessions, tasks } = api.client
    const name = sessionId(`websession-${uuid().slice(0, 8)}`)
    expect(await failureOf(sessions.tasks(name))).toMatchObject({ code: 'not_found' })
    const { task } = await tasks.create({ task: 'x', sessionId: name, requiredCapabilities: ['nobody has it'] })
    expect((await sessions.tasks(name)).tasks.map(({ id }) => id)).toEqual([task.id])
    expect(await sessions.activeTask(name)).toMatchObject({ address: name, task: { id: task.id } })
  })

  test('a later id of a conversation is its address, with all that came before it was known as one', async () => {
    await using api = serveTasks(database.store)
    const { sessions, tasks } = api.client
    const [first, later] = [uuid(), uuid()]
    await sessions.put(first, { client: 'vscode' })
    await recorded(first)
    // Asked for under the new id, before anybody knew whose it was.
    const { task } = await tasks.create({ task: 'early', title: 'Early', sessionId: sessionId(later) })
    const { task: over } = await tasks.create({ task: 'over', title: 'Over', sessionId: sessionId(later) })
    await tasks.cancel(over.id)
    await sessions.put(first, { resumedAs: later })
    await tasks.cancel(task.id)
    expect((await told(first)).map(({ kind }) => kind)).toEqual(['result', 'result'])
    expect(await told(later)).toEqual([])
    expect((await sessions.tasks(later)).tasks.map(({ id }) => id)).toEqual([over.id, task.id])
    expect((await tasks.list({ sessionId: later })).tasks).toHaveLength(2)
    expect((await sessions.attach(later, HERE)).address).toBe(address(first))
    const place = await sessions.place(later)
    expect(place).toMatchObject({
      address: first,
      aliases: [{ id: later, evidence: 'its client continues under this ID' }],
      registration: { client: 'vscode' },
    })
    // One conversation has one address: neither a circle nor a second one.
    expect(await failureOf(sessions.put(uuid(), { resumedAs: later }))).toMatchObject({ code: 'conflict' })
    await sessions.put(later, { resumedAs: first })
    expect((await sessions.place(first)).address).toBe(address(first))
  })

  test('a run is not a conversation of somebody, and neither token says that it is one', async () => {
    await using api = serveTasks(database.store)
    const chat = uuid()
    await api.client.sessions.put(chat, {})
    const word = `only-${uuid()}`
    const asked = await api.client.tasks.create({
      task: 'parent',
      sessionId: sessionId(chat),
      requiredCapabilities: [word],
    })
    const worker = await joinWorker(api, { capabilities: [word] })
    const [assignment] = (await worker.poll({ waitMs: 0 })).assignments
    if (assignment === undefined) throw new Error('nothing was assigned')
    const run = api.as(assignment.token)
    const own = uuid()
    await worker.client.tasks.setConversation(asked.task.id, { claudeSessionId: own })

    for (const [token, refused] of [
      [run, 'attempt'],
      [worker.client, 'worker'],
    ] as const) {
      const tries = [
        token.sessions.register({ id: chat }),
        token.sessions.put(chat, { title: refused }),
        token.sessions.attach(chat, HERE),
        token.sessions.detach(chat, HERE),
        token.sessions.resume(chat, { asTask: true }),
        token.tasks.create({ task: 'x', sessionId: sessionId(chat) }),
      ]
      // All are looked at from the start: one that is refused before its turn is no surprise.
      for (const failure of await Promise.all(tries.map(failureOf)))
        expect(failure).toMatchObject({ code: 'forbidden' })
    }
    // What it makes is its task's, in its own conversation, whatever it says of another.
    const { task: child } = await run.tasks.create({
      task: 'child',
      title: 'Child',
      spawnedBy: { sessionId: sessionId(chat) },
    })
    expect(child).toMatchObject({ sessionId: null, parentTaskId: asked.task.id, spawnedBy: { sessionId: own } })
    await api.client.tasks.cancel(child.id)
    expect(await told(asked.task.id)).toMatchObject([{ kind: 'result' }])
    expect(await told(chat)).toEqual([])
    expect((await api.client.sessions.tasks(chat)).tasks.map(({ id }) => id)).toEqual([asked.task.id])

    // Both ways: the conversation's run, the run's conversation; and nobody registers over it while it is at work.
    await recorded(own)
    expect((await api.client.sessions.place(own)).worker).toMatchObject({
      agentId: worker.id,
      taskId: asked.task.id,
      attemptId: assignment.attemptId,
      isLive: true,
    })
    expect(await database.store.registry.sessionsOf(worker.id)).toEqual([
      { sessionId: sessionId(own), taskId: asked.task.id, attemptId: assignment.attemptId },
    ])
    expect((await api.client.agents.get(worker.id)).sessions).toMatchObject([{ sessionId: own, taskId: asked.task.id }])
    expect((await api.client.sessions.place(chat)).worker).toBeNull()
    expect(await failureOf(api.client.sessions.put(own, {}))).toMatchObject({
      code: 'conflict',
      hint: expect.stringContaining(asked.task.id),
    })
    expect(await failureOf(api.client.sessions.resume(own))).toMatchObject({ code: 'conflict' })
    await run.tasks.finish(asked.task.id, { status: 'completed' })
  })

  test('a suspended conversation goes on by hand, or as a task that reports to nobody', async () => {
    await using api = serveTasks(database.store)
    const { sessions, tasks } = api.client
    const [first, later] = [uuid(), uuid()]
    await recorded(first)
    const byHand = await sessions.resume(first.slice(0, 13))
    expect(byHand).toMatchObject({
      address: first,
      sessionId: first,
      task: null,
      interactive: {
        dir: '/work',
        command: ['claude', '--resume', first],
        line: `cd /work && claude --resume ${first}`,
      },
    })
    const { task } = await sessions.resume(first, { asTask: true, text: 'And now the tests', title: 'Go on' })
    expect(task).toMatchObject({
      title: 'Go on',
      task: 'And now the tests',
      dir: '/work',
      sessionId: first,
      source: 'resume',
    })
    const word = `only-${uuid()}`
    await tasks.patch(task?.id ?? '', { requiredCapabilities: [word] })
    const worker = await joinWorker(api, { capabilities: [word] })
    const [assignment] = (await worker.poll({ waitMs: 0 })).assignments
    expect(assignment?.conversation).toMatchObject({ kind: 'own', sessionId: first })
    await tasks.cancel(task?.id ?? '')
    expect(await told(first)).toEqual([])
    expect((await sessions.activeTask(first).catch(() => null))?.task.id).toBeUndefined()

    // An address goes on where the conversation went on; an older id only when it is asked for.
    await recorded(later, Date.parse('2026-01-02T00:00:00Z'))
    await sessions.put(first, { resumedAs: later })
    expect((await sessions.resume(first)).sessionId).toBe(sessionId(later))
    expect((await sessions.resume(first, { exact: true })).sessionId).toBe(sessionId(first))
    const { address: web } = (await sessions.register({})).registration
    expect(await failureOf(sessions.resume(web))).toMatchObject({ code: 'not_found' })
  })

  test('a session is forked at a line by a task, whoever is in it, and only in its own agent CLI', async () => {
    await using api = serveTasks(database.store)
    const { sessions, tasks } = api.client
    // The record behind this API has a finished turn of what begins with 0.
    const [id, unfinished, forkAt] = [`0${uuid().slice(1)}`, `f${uuid().slice(1)}`, uuid()]
    await recorded(id)
    await recorded(unfinished)
    expect(await failureOf(sessions.resume(unfinished, { asTask: true, forkAt }))).toMatchObject({ code: 'conflict' })
    expect(await failureOf(sessions.resume(id, { forkAt }))).toMatchObject({ code: 'invalid' })
    const other = { asTask: true, forkAt, agentClis: ['codex'] }
    expect(await failureOf(sessions.resume(id, other))).toMatchObject({ code: 'invalid' })
    const { task } = await sessions.resume(id, { asTask: true, forkAt, text: 'Try another way' })
    expect(task).toMatchObject({ forkAt, claudeSessionId: id, sessionId: id })
    const word = `only-${uuid()}`
    await tasks.patch(task?.id ?? '', { requiredCapabilities: [word] })
    const worker = await joinWorker(api, { capabilities: [word] })
    const [assignment] = (await worker.poll({ waitMs: 0 })).assignments
    expect(assignment?.conversation).toMatchObject({ kind: 'fork', sessionId: id, at: forkAt, cwd: '/work' })
    await tasks.cancel(task?.id ?? '')
  })

  test('what is asked for twice under one key is resumed by one task', async () => {
    await using api = serveTasks(database.store)
    const id = uuid()
    await recorded(id, Date.now() - 86_400_000)
    const { sessions } = api.client
    const key = { idempotencyKey: uuid() }
    const input = { asTask: true, text: 'And now the tests', dir: '/work' }
    const [one, other] = await Promise.all([sessions.resume(id, input, key), sessions.resume(id, input, key)])
    expect(String(other.task?.id)).toBe(String(one.task?.id))
    expect((await sessions.tasks(id)).tasks).toHaveLength(1)
    expect(await failureOf(sessions.resume(id, { ...input, text: 'And the docs' }, key))).toMatchObject({
      code: 'conflict',
    })
    expect(String((await sessions.resume(id, input)).task?.id)).not.toBe(String(one.task?.id))
  })

  test('nobody takes a conversation that another process has', async () => {
    await using api = serveTasks(database.store)
    const id = uuid()
    await recorded(id, Date.now() - 5_000)
    const stored = await database.store.sessions.find(sessionId(id))
    if (stored === undefined) throw new Error('not recorded')
    await database.store.write(async (tx) => {
      await tx.sessions.setProcess(stored.key, 1, { id: 4_711, started: null, state: 'alive', at: Date.now() })
    })
    for (const asTask of [true, false])
      expect(await failureOf(api.client.sessions.resume(id, { asTask }))).toMatchObject({ code: 'conflict' })
    expect((await api.client.sessions.tasks(id)).tasks).toEqual([])
  })

  test('a session that is forgotten leaves nobody and no word at its address', async () => {
    await using api = serveTasks(database.store)
    const id = uuid()
    await recorded(id)
    await api.client.sessions.put(id, { title: 'Secret plans' })
    await api.client.sessions.attach(id, HERE)
    await api.client.messages.send({ to: id, text: 'the secret' })
    const stored = await database.store.sessions.find(sessionId(id))
    if (stored === undefined) throw new Error('not recorded')
    await database.store.write(async (tx) => {
      await tx.sessions.forget(stored.key)
    })
    expect(await told(id)).toEqual([{ kind: 'message', text: '' }])
    expect(await database.store.registry.registration(address(id))).toBeUndefined()
    expect(await database.store.registry.attachments(address(id), 0)).toEqual([])
    expect(await failureOf(api.client.sessions.attach(id, HERE))).toMatchObject({ code: 'not_found' })
  })

  test('hostile ids and fields end in a typed error and leave nothing', async () => {
    await using api = serveTasks(database.store)
    const { sessions } = api.client
    const id = uuid()
    const ids = [
      '../../etc',
      'a'.repeat(10_000),
      'a\0b',
      '\u001b[31m',
      '..',
      '-rf',
      't-12345678',
      'a-12345678',
      '‮abc',
      ' ',
    ]
    for (const bad of ids) {
      expect((await failureOf(sessions.register({ id: bad }))).code).toBe('invalid')
      expect((await failureOf(sessions.put(bad, {}))).code).toMatch(/^(invalid|not_found)$/)
      expect((await failureOf(sessions.attach(bad, HERE))).code).toMatch(/^(invalid|not_found)$/)
    }
    expect(await failureOf(sessions.put('websession-000000000000', {}))).toMatchObject({ code: 'not_found' })
    expect(await failureOf(sessions.attach(uuid(), HERE))).toMatchObject({ code: 'not_found' })
    expect(await failureOf(sessions.put(id, { title: 'x'.repeat(301) }))).toMatchObject({ code: 'too_large' })
    expect(await failureOf(sessions.put(id, { metadata: { x: 'y'.repeat(20_000) } }))).toMatchObject({
      code: 'too_large',
    })
    expect(await failureOf(sessions.put(id, { client: 'a\nb' }))).toMatchObject({ code: 'invalid' })
    expect(await failureOf(sessions.put(id, { resumedAs: 't-12345678' }))).toMatchObject({ code: 'invalid' })
    expect(await failureOf(sessions.place(id))).toMatchObject({ code: 'not_found' })
    await sessions.put(id, { client: 'ok' })
    for (let at = 0; at < 100; at++) await sessions.attach(id, { client: `c${at}`, host: 'h' })
    expect(await failureOf(sessions.attach(id, HERE))).toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('100'),
    })
    expect(await failureOf(sessions.detach(id, {}))).toMatchObject({ code: 'invalid' })
  })

  test('however aliases are made, each id has one address and it is nobody’s alias', async () => {
    const names = fc.integer({ min: 0, max: 6 })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(names, names), { maxLength: 20 }), async (pairs) => {
        const run = uuid()
        const name = (n: number) => `${run}-${n}`
        for (const [alias, to] of pairs)
          await database.store.write(async (tx) => {
            await tx.messages.putAlias(name(alias), address(name(to)), 'a test')
          })
        for (const [alias, to] of pairs) {
          for (const one of [alias, to]) {
            const at = await database.store.messages.addressOf(name(one))
            expect(await database.store.messages.addressOf(at)).toBe(at)
            const others = (await database.store.registry.aliases(at)).map(({ id }) => id)
            expect(others).not.toContain(at)
            if (name(one) !== at) expect(others).toContain(name(one))
          }
        }
      }),
      { numRuns: 30 },
    )
    rmSync(root, { recursive: true, force: true })
  })
})
