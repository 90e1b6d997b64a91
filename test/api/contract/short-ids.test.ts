/** Every kind of id by its unique beginning, over HTTP, on both databases. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type * as z from 'zod/mini'
import { allOperations } from '../../../src/api/contract/operations'
import { kindOfField } from '../../../src/api/server/find/resolve-ids'
import { schemasOf } from '../../../src/api/server/request/decode-request'
import { importFiles } from '../../../src/app/files/import-files'
import { createRecordEngine } from '../../../src/app/threads/record-engine'
import { inboxId } from '../../../src/domain/ids'
import { createInboxService } from '../../../src/engine/inbox/inbox-service'
import { failureOf, onEachDatabase } from '../../store-contract/databases'
import { sampleSession } from '../../store-contract/sample'
import { addAgent, addTask, sampleAttempt, sampleQuestion } from '../../store-contract/tasks-sample'
import { joinWorker, serveTasks } from '../tasks/serve-tasks'

const TRANSCRIPTS = join(import.meta.dir, '../../fixtures/claude-code/transcripts/2.1.328')
/** Characters that mean something in LIKE, GLOB or a regular expression. */
const WILD = ['%%%%', '____', '****', '????', '[a-f][a-f]*', '....x', '^.*x']

onEachDatabase((database) => {
  beforeAll(async () => {
    const engine = createRecordEngine(database.store, { name: 'host', hostname: 'host' })
    await importFiles([TRANSCRIPTS], engine, 4)
  })
  const serve = () => {
    const api = serveTasks(database.store)
    Object.assign(api.services, { inbox: createInboxService({ store: database.store }) })
    return api
  }

  /** A session of the record with a sub-agent and a background shell. */
  const recorded = async () => {
    const { rows } = await database.store.sessions.list({}, { limit: 1_000 })
    for (const { id } of rows) {
      const all = await database.store.subagents.list(id)
      const [agent, shell] = [all.find(({ kind }) => kind === 'agent'), all.find(({ kind }) => kind === 'shell')]
      const { rows: events } = await database.store.events.list({ sessionId: id }, { limit: 1_000 })
      const call = events.find(({ toolUseId }) => toolUseId !== null)?.toolUseId
      const [event] = events
      if (agent && event && call) return { id, agent: agent.id, shell: shell?.id, event: event.id, call }
    }
    throw new Error('no such session is in the fixtures')
  }

  test('a unique beginning of any id is the thing itself', async () => {
    await using api = serve()
    const { client } = api
    const world = await recorded()
    const { task } = await client.tasks.create({ task: 'a', requiredCapabilities: ['nobody'] })
    const { plan } = await client.plans.create({ tasks: [{ key: 'a', task: 'a', requiredCapabilities: ['nobody'] }] })
    const { message } = await client.messages.send({ to: task.id, text: 'hello' })
    const { issue } = await client.issues.create({ title: 'one' })
    const { epic } = await client.epics.create({ title: 'all' })
    const { id: inbox } = await received()
    const owner = await addAgent(database.store)
    const asked = await addTask(database.store, { requiredCapabilities: ['nobody'] })
    const question = await database.store.write(async (tx) => {
      const attemptKey = await tx.tasks.insertAttempt(sampleAttempt(asked, owner.key))
      const row = sampleQuestion({ attemptKey, taskKey: asked.key }, { deadline: Date.now() + 3_600_000 })
      await tx.tasks.insertQuestion(row)
      return row.id
    })
    const session = world.id.slice(0, 13)
    const short = (id: string, letters = 11) => id.slice(0, letters)

    expect((await client.sessions.place(session)).session?.id).toBe(world.id)
    expect((await client.subagents.get(short(world.agent, 10), { sessionId: session })).subagent.id).toBe(world.agent)
    expect((await client.subagents.get(`${short(world.agent, 10)}...`, { sessionId: session })).subagent.id).toBe(
      world.agent,
    )
    const own = await client.events.list({ sessionId: session, subagentId: short(world.agent, 10) })
    expect(own.events.length).toBeGreaterThan(0)
    expect(own.events.every(({ subagentId }) => subagentId === world.agent)).toBe(true)
    const talk = await client.sessions.conversation(session, { subagentId: short(world.agent, 10) })
    expect(talk.turns.length).toBeGreaterThan(0)
    expect((await client.sessions.event(session, world.event.slice(0, 18))).event.id).toBe(world.event)
    expect((await client.toolUses.get(short(world.call, 14), { sessionId: session })).toolUse.id).toBe(world.call)
    for (const given of [short(task.id, 9), task.id.slice(2, 9), task.id.toUpperCase()])
      expect((await client.tasks.get(given)).task.id).toBe(task.id)
    expect((await client.plans.get(short(plan.id, 9))).plan.id).toBe(plan.id)
    expect((await client.messages.get(short(message.id, 9))).message.id).toBe(message.id)
    expect((await client.messages.get(short(message.id, 13).toUpperCase())).message.id).toBe(message.id)
    expect((await client.inbox.get(short(inbox, 9))).message.id).toBe(inbox)
    expect((await client.questions.answer(short(question, 9), { behavior: 'deny' })).question.id).toBe(question)
    expect((await client.agents.get(owner.id.slice(0, -1))).agent.id).toBe(owner.id)
    expect((await client.epics.get(epic.id.slice(3))).epic.id).toBe(epic.id)
    const answered = await client.messages.send({ to: short(task.id, 9), text: 'more', replyTo: short(message.id, 9) })
    expect(answered.message).toMatchObject({ to: task.id, replyTo: message.id })
    expect((await client.messages.withdraw(short(message.id, 9))).message.status).toBe('withdrawn')

    // What is stored is whole.
    const made = await client.tasks.create({
      task: 'b',
      parentTaskId: short(task.id, 9),
      issueId: issue.id.slice(3),
      epicId: epic.id.slice(3),
      sessionId: session as never,
    })
    expect(made.task).toMatchObject({
      parentTaskId: task.id,
      issueId: issue.id,
      epicId: epic.id,
      sessionId: world.id,
    })
    const foreign = crypto.randomUUID()
    const orphan = await client.tasks.create({ task: 'c', parentTaskId: foreign as never })
    expect(orphan).toMatchObject({ routed: expect.stringContaining('is unknown'), task: { parentTaskId: foreign } })
    expect((await failureOf(client.tasks.get(foreign))).code).toBe('not_found')
    const listed = await client.tasks.list({ issueId: issue.id.slice(3), parentTaskId: short(task.id, 9) })
    expect(listed.tasks.map(({ id }) => id)).toEqual([made.task.id])
    const claimed = await client.issues.update(issue.id, { claim: true, sessionId: session as never })
    expect(claimed.issue.activeTaskSession).toBe(world.id)
    const closed = await client.issues.close(issue.id, { sessionId: session as never })
    expect(closed.issue.closedBySession).toBe(world.id)
  })

  test('what nothing begins with is told, with where to look, and no list stays empty without a word', async () => {
    await using api = serve()
    const { client } = api
    const { id } = await recorded()
    const calls: [string, () => Promise<unknown>][] = [
      ['sub-agent', () => client.events.list({ sessionId: id, subagentId: 'affffffff' })],
      ['sub-agent', () => client.events.list({ subagentId: 'affffffffffffffff' })],
      ['sub-agent', () => client.subagents.get('affffffff')],
      ['sub-agent', () => client.sessions.conversation(id, { subagentId: 'affffffff' })],
      ['sub-agent', () => client.todos.list({ sessionId: id, subagentId: 'affffffff' })],
      ['session', () => client.tasks.list({ sessionId: 'ffffffff' })],
      ['session', () => client.issues.create({ title: 'x', sessionId: 'ffffffff' as never })],
      ['task', () => client.tasks.list({ parentTaskId: 't-zzzz' })],
      ['message', () => client.messages.get('ffffffff')],
      ['question', () => client.questions.answer('q-zzzz', { behavior: 'deny' })],
      ['inbox message', () => client.inbox.get('i-zzzz')],
      ['plan', () => client.plans.get('p-zzzz')],
      ['event', () => client.sessions.event(id, 'ffffffff')],
    ]
    for (const [noun, call] of calls) {
      const error = await failureOf(call())
      expect([noun, error.code, error.message]).toEqual([noun, 'not_found', expect.stringContaining(noun)])
      expect(error.hint ?? '').toContain('lode ')
    }
  })

  test('several things that begin so are named, and no character of an id is a pattern', async () => {
    await using api = serve()
    const { client } = api
    const twins = ['cafe0001-aaaa-4000-8000-000000000000', 'cafe0001-bbbb-4000-8000-000000000000']
    await database.store.write(async (tx) => {
      for (const id of twins) await sampleSession(tx, { id })
    })
    const error = (await failureOf(client.sessions.place('cafe0001'))) as {
      code?: string
      hint?: string
      details?: object
    }
    expect(error).toMatchObject({ code: 'conflict', details: { candidates: twins } })
    for (const id of twins) expect(error.hint).toContain(id)
    expect((await client.sessions.place('cafe0001-b')).session?.id).toBe(twins[1] as never)
    const { id } = await recorded()
    for (const kind of ['session', 'subagent', 'toolUse', 'todo', 'task', 'message', 'plan', 'inbox', 'agent'] as const)
      for (const text of WILD) expect(await database.store.ids.beginning(kind, text, null)).toEqual([])
    for (const text of WILD) {
      expect(await failureOf(client.sessions.place(text))).toMatchObject({ code: 'not_found' })
      expect(await failureOf(client.events.list({ sessionId: id, subagentId: text }))).toMatchObject({
        code: 'not_found',
      })
    }
    // Three characters are too few to mean something.
    expect(await failureOf(client.sessions.place('caf'))).toMatchObject({ code: 'not_found' })
  })

  test('a run is not told what else begins so', async () => {
    await using api = serve()
    const worker = await joinWorker(api, { capabilities: ['secretive'] })
    await api.client.tasks.create({ task: 'x', requiredCapabilities: ['secretive'] })
    const [given] = (await worker.poll({ waitMs: 0 })).assignments
    if (given === undefined) throw new Error('nothing was assigned')
    await database.store.write(async (tx) => {
      for (const tail of ['aaaa', 'bbbb']) await sampleSession(tx, { id: `beef0001-${tail}-4000-8000-000000000000` })
    })
    const error = await failureOf(api.as(given.token).events.list({ sessionId: 'beef0001' }))
    expect(JSON.stringify(error)).not.toContain('beef0001-aaaa')
  })

  async function received() {
    const inbox = createInboxService({ store: database.store })
    await inbox.putSource({ kind: 'operator' }, { name: `s${crypto.randomUUID().slice(0, 6)}` })
    const name = (await database.store.inbox.sources()).at(-1)?.name ?? ''
    const { id } = await inbox.receive(name, { sender: 'Ann', text: 'help' }, crypto.randomUUID())
    return { id: inboxId(id) }
  }
})

describe('the contract', () => {
  const isId = (schema: z.core.$ZodType): boolean => {
    const { def } = (schema as z.core.$ZodTypes)._zod
    if (def.type === 'optional' || def.type === 'nullable') return isId(def.innerType)
    if (def.type === 'array') return isId(def.element)
    const checks = (def as { checks?: { _zod: { def: { format?: string; pattern?: RegExp } } }[] }).checks ?? []
    return checks.some(({ _zod }) => /Cc\}|0-9a-f\]\{8\}/.test(_zod.def.pattern?.source ?? ''))
  }
  /** Ids that are looked up by the engine within a tracker, are names, or are the caller's own. */
  const ELSEWHERE = new Set([
    'parentId',
    'blocks',
    'issue',
    'parent',
    'issueId',
    'name',
    'source',
    'to',
    'from',
    'resumedAs',
  ])

  test('names the kind of every id that a request may hold', () => {
    const unknown: string[] = []
    let known = 0
    for (const operation of allOperations) {
      if (operation.ids === 'as given') continue
      const { name } = operation
      const { params, query, body } = schemasOf(operation)
      for (const [part, made] of [
        ['params', params],
        ['query', query],
        ['body', body],
      ] as const)
        for (const [field, schema] of Object.entries<z.core.$ZodType>(made?.shape ?? {}))
          if (!isId(schema) || ELSEWHERE.has(field)) continue
          else if (kindOfField(operation, field, part === 'params') === undefined)
            unknown.push(`${name} ${part} ${field}`)
          else known++
    }
    expect(known).toBeGreaterThan(80)
    expect(unknown.filter((one) => !OWN.has(one) && !/^(issues|messages|links)\..* params id$/.test(one))).toEqual([])
  })
  /** Ids of programs: made by them, or given whole. */
  const OWN = new Set([
    'sessions.register body id',
    'issues.create body id',
    'recall body origin',
    'messages.acknowledge body ids',
    'sessions.acknowledge body ids',
    'tasks.setConversation body claudeSessionId',
    'agents.join body id',
  ])
})
