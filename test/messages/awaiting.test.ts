import { expect, test } from 'bun:test'
import { address, type TaskId } from '../../src/domain/ids'
import type { Assignment } from '../../src/domain/task/worker-protocol'
import { createMessageService } from '../../src/engine/messages/message-service'
import type { CreateTask } from '../../src/engine/tasks/task-inputs'
import { failureOf, onEachDatabase } from '../store-contract/databases'
import { Crew, callerOf, type Member, OPERATOR } from '../tasks/crew'

onEachDatabase((database) => {
  /** A parent in its run, and a worker for all. */
  const begin = async (input: Partial<CreateTask> = {}) => {
    const crew = new Crew(database.store, { now: Date.now() })
    const messages = createMessageService({ store: database.store, now: () => crew.now })
    const worker = await crew.worker(`w-${crypto.randomUUID()}`)
    const parent = await crew.create({ title: 'Parent', ...input })
    const run = await worker.take()
    const session = await worker.converse(run)
    const at = async (to: string) => (await database.store.messages.list({ to: address(to) }, { limit: 100 })).rows
    const read = async (to: string) => {
      const ids = (await at(to)).map(({ id }) => id)
      await messages.acknowledge(OPERATOR, address(to), ids)
    }
    const spawn = (by: Assignment, title: string) => crew.create({ title, task: title }, callerOf(by, worker))
    const finish = (id: TaskId, output: string) => crew.service.finish(OPERATOR, id, { status: 'completed', output })
    return { crew, messages, worker, parent, run, session, at, read, spawn, finish }
  }
  const whereabouts = async (crew: Crew, id: TaskId) => {
    const { status, waitingFor, output } = await crew.task(id)
    return [status, waitingFor, output]
  }
  const next = async (worker: Member, id: TaskId): Promise<Assignment> => {
    const given = await worker.take()
    expect(given.task.id).toBe(id)
    return given
  }

  test('a run that ends while tasks that it spawned are open waits for them, goes on with what they came to, and is over then', async () => {
    const { crew, worker, parent, run, session, at, read, spawn, finish } = await begin()
    const [a, b] = [await spawn(run, 'A'), await spawn(run, 'B')]
    await crew.service.pause(OPERATOR, a.id, {})
    await crew.service.pause(OPERATOR, b.id, {})
    await worker.end(run, 'completed', { output: 'started two' })
    expect(await whereabouts(crew, parent.id)).toEqual(['pending', 'children', 'started two'])
    expect((await worker.poll({ capacity: 1 })).assignments).toEqual([])
    await finish(a.id, 'a is done')
    expect(await whereabouts(crew, parent.id)).toEqual(['pending', null, 'started two'])
    const second = await next(worker, parent.id)
    expect(second.conversation).toMatchObject({ kind: 'own', sessionId: session })
    expect((await at(parent.id)).map(({ status, route }) => [status, route])).toEqual([['queued', 'resume']])
    await worker.converse(second, 'native')
    await read(parent.id)
    await worker.end(second, 'completed', { output: 'one is left' })
    expect(await whereabouts(crew, parent.id)).toEqual(['pending', 'children', 'one is left'])
    await finish(b.id, 'b is done')
    const third = await next(worker, parent.id)
    await worker.converse(third, 'native')
    await read(parent.id)
    await worker.end(third, 'completed', { output: 'both are done' })
    expect(await whereabouts(crew, parent.id)).toEqual(['completed', null, 'both are done'])
    expect((await at(parent.id)).map(({ status }) => status)).toEqual(['consumed', 'consumed'])
  })

  test('what was on its way when the run ended is waited for: read late it is over, lost it comes again', async () => {
    for (const isRead of [true, false]) {
      const { crew, messages, worker, parent, run, read } = await begin()
      await messages.send(OPERATOR, { to: parent.id, text: 'one more thing' }, null)
      await worker.poll()
      await worker.end(run, 'completed', { output: 'done' })
      expect(await whereabouts(crew, parent.id)).toEqual(['pending', 'children', 'done'])
      if (isRead) await read(parent.id)
      else await messages.settle([{ target: run.attemptId }])
      expect(await whereabouts(crew, parent.id)).toEqual(
        isRead ? ['completed', null, 'done'] : ['pending', null, 'done'],
      )
    }
  })

  test('one that holds what comes is over, and so is one whose only child nobody is to start', async () => {
    const held = await begin({ onChildDone: 'hold' })
    await held.spawn(held.run, 'A')
    await held.worker.end(held.run, 'completed', { output: 'done' })
    expect(await whereabouts(held.crew, held.parent.id)).toEqual(['completed', null, 'done'])
    const shelved = await begin()
    await shelved.crew.create({ status: 'backlog' }, callerOf(shelved.run, shelved.worker))
    await shelved.worker.end(shelved.run, 'completed', { output: 'done' })
    expect(await whereabouts(shelved.crew, shelved.parent.id)).toEqual(['completed', null, 'done'])
  })

  test('a child that goes on in the conversation of one that waits does not wait for it in turn', async () => {
    const { crew, worker, parent, run, spawn } = await begin()
    await spawn(run, 'A')
    const child = await crew.create({ parentTaskId: parent.id, continuity: 'continue' }, callerOf(run, worker))
    expect((await crew.task(child.id)).waitingFor).toBe('parent')
    await worker.end(run, 'completed')
    expect((await crew.task(child.id)).waitingFor).toBeNull()
    expect((await crew.task(parent.id)).waitingFor).toBe('children')
  })

  test('a wish to pause goes before waiting, and a resumed one is taken up at once', async () => {
    const { crew, worker, parent, run, spawn } = await begin()
    const child = await spawn(run, 'A')
    await crew.service.pause(OPERATOR, child.id, {})
    await crew.service.pause(OPERATOR, parent.id, {})
    await worker.end(run, 'completed')
    expect((await crew.task(parent.id)).status).toBe('paused')
    await crew.service.resume(OPERATOR, parent.id)
    await next(worker, parent.id)
  })

  test('a status wakes nobody, a question does, and moving the task elsewhere keeps it waiting', async () => {
    const { crew, worker, parent, run, spawn } = await begin()
    const child = await spawn(run, 'A')
    await worker.end(run, 'completed')
    const childRun = await next(worker, child.id)
    await crew.service.progress(OPERATOR, child.id, { progress: 'half' })
    expect((await crew.task(parent.id)).waitingFor).toBe('children')
    await crew.service.release(OPERATOR, parent.id, {})
    expect(await whereabouts(crew, parent.id)).toEqual(['pending', 'children', null])
    await worker.converse(childRun)
    await crew.service.ask(worker.caller, childRun.attemptId, {
      toolUseId: null,
      toolName: 'Bash',
      input: { command: 'rm' },
      description: null,
      deadlineMs: 60_000,
      default: 'deny',
    })
    expect((await crew.task(parent.id)).waitingFor).toBeNull()
    await next(worker, parent.id)
  })

  test('what comes for one that is over makes one follow-up in its conversation, for the same address', async () => {
    const { crew, messages, worker, parent, run, session, at, read, spawn, finish } = await begin({
      onChildDone: 'resume',
      dir: '/tmp',
    })
    const [a, b] = [await spawn(run, 'A'), await spawn(run, 'B')]
    await crew.service.pause(OPERATOR, a.id, {})
    await crew.service.pause(OPERATOR, b.id, {})
    await crew.service.finish(callerOf(run, worker), parent.id, { status: 'completed', output: 'over' })
    // Its run is still there.
    await finish(a.id, 'a is done')
    expect(await followUps(parent.id)).toEqual([])
    await worker.end(run, 'completed')
    // The former run was given it, perhaps.
    await messages.settle([{ target: run.attemptId }])
    const [first, ...others] = await followUps(parent.id)
    expect(others).toEqual([])
    if (first === undefined) throw new Error('no follow-up')
    expect(first).toMatchObject({ source: 'message', parentTaskId: parent.id, claudeSessionId: session, dir: '/tmp' })
    const again = await next(worker, first.id)
    expect(again.conversation).toMatchObject({ kind: 'own', sessionId: session })
    await worker.converse(again, 'native')
    const [message] = await at(parent.id)
    expect(message).toMatchObject({ status: 'queued', route: 'resume' })
    await read(parent.id)
    // More for the old address goes to the run that speaks for it now.
    await messages.send(OPERATOR, { to: first.id, text: 'and this' }, null)
    expect((await worker.poll()).commands).toMatchObject([{ kind: 'input', attemptId: again.attemptId }])
    expect((await at(parent.id)).map(({ status }) => status)).toEqual(['consumed', 'queued'])
    await read(parent.id)
    await worker.end(again, 'completed', { output: 'noted' })
    // B reports to the same address.
    expect((await crew.task(first.id)).waitingFor).toBe('children')
    await finish(b.id, 'b is done')
    expect(await followUps(parent.id)).toHaveLength(1)
    await worker.converse(await next(worker, first.id), 'native')
    await read(parent.id)
    await worker.end((await [...worker.held.values()][0]) as Assignment, 'completed', { output: 'all noted' })
    expect(await whereabouts(crew, first.id)).toEqual(['completed', null, 'all noted'])
    expect(await whereabouts(crew, parent.id)).toEqual(['completed', null, 'over'])
    await messages.send(OPERATOR, { to: parent.id, text: 'once more' }, null)
    expect(await followUps(parent.id)).toHaveLength(2)
  })

  test('for one that a person made it waits in the mailbox', async () => {
    const { messages, worker, parent, run, at } = await begin()
    await worker.end(run, 'completed')
    await messages.send(OPERATOR, { to: parent.id, text: 'late' }, null)
    expect(await followUps(parent.id)).toEqual([])
    expect((await at(parent.id)).map(({ status }) => status)).toEqual(['produced'])
  })

  test('deploying starts what is put off, finds what is at work, and ends what is lost', async () => {
    const { crew, worker, parent, run } = await begin()
    expect(await crew.service.deploy(OPERATOR, parent.id)).toMatchObject({ status: 'in_progress', attemptCount: 1 })
    expect((await crew.moves(parent.id)).at(-1)).toContain(`address ${parent.id}, worker ${worker.name} has it as`)
    crew.now += 60_000
    expect((await crew.service.deploy(OPERATOR, parent.id)).status).toBe('unassigned')
    expect((await crew.attempts(parent.id)).map(({ outcome }) => outcome)).toEqual(['lost'])
    const late = await crew.create({ notBefore: new Date(crew.now + 3_600_000).toISOString() })
    expect(await crew.service.deploy(OPERATOR, late.id)).toMatchObject({ status: 'unassigned', notBefore: null })
    const shelved = await crew.create({ status: 'backlog' })
    expect((await crew.service.deploy(OPERATOR, shelved.id)).status).toBe('unassigned')
    await crew.service.pause(OPERATOR, shelved.id, {})
    expect((await crew.service.deploy(OPERATOR, shelved.id)).status).toBe('unassigned')
    await crew.service.finish(OPERATOR, late.id, { status: 'completed' })
    expect(await failureOf(crew.service.deploy(OPERATOR, late.id))).toMatchObject({ code: 'conflict' })
    expect(await failureOf(crew.service.deploy(callerOf(run, worker), shelved.id))).toMatchObject({ code: 'forbidden' })
  })

  const followUps = async (id: TaskId) =>
    (await database.store.tasks.children(id)).filter(({ source }) => source === 'message')
})
