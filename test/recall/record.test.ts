/** Recalls and prompts over a real record: what transcripts of the real CLI left, asked for over HTTP, on both databases. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { sessionId } from '../../src/domain/ids'
import type { RecallMoment } from '../../src/domain/recall/recall'
import type { Rung } from '../../src/domain/task/task'
import { lastExchange, wasAsked } from '../../src/engine/recall/exchange'
import { freshConversation, joinWorker, type Served, serve, startTask } from '../mcp/served'
import { recorderOn } from '../record/recording'
import { failureOf, onEachDatabase } from '../store-contract/databases'

const FIXTURES = resolve(import.meta.dir, '../fixtures/claude-code/transcripts/2.1.328')

function fixture(name: string) {
  const file = readdirSync(join(FIXTURES, name)).find((one) => one.endsWith('.jsonl')) ?? ''
  return { path: join(FIXTURES, name, file), session: file.slice(0, -'.jsonl'.length) }
}
const TODOS = fixture('todos')
const KILLED = fixture('killed-and-resumed')
const COMPACTED = fixture('compact-manual')

onEachDatabase((database) => {
  let served: Served
  beforeAll(async () => {
    served = serve(database.store)
    const recorder = recorderOn(database.store)
    for (const { path, session } of [TODOS, KILLED, COMPACTED])
      await recorder.recordFile({
        agent: 'claude-code',
        kind: 'transcript',
        path,
        sessionId: session,
        subagentId: null,
      })
  })
  afterAll(() => served.stop())

  /** A task whose run is in the conversation of a recorded session. */
  async function runIn(session: string, text: string) {
    const assignment = await startTask(served, { task: text })
    const client = served.connect(assignment.token)
    await served.connect().attempts.report(assignment.attemptId, { conversation: freshConversation(session) })
    const { id } = assignment.task
    return {
      ...assignment,
      client,
      recall: (moment: RecallMoment) => client.tasks.recall(id, { moment }),
      prompt: (rung: Rung) => client.tasks.prompt(id, { rung }),
    }
  }

  test('the reminder has the to-dos of the conversation, as they stand', async () => {
    const { recall, client, task } = await runIn(TODOS.session, 'Plan the work')
    await client.tasks.progress(task.id, { progress: 'planning' })
    const text = await recall('compact')
    expect(text).toStartWith(`GOAL REMINDER from Lodeline: task ${task.id}`)
    expect(text).toContain('Plan the work')
    expect(text).toContain('planning')
    const { todos } = await client.tasks.get(task.id)
    expect(todos.length).toBeGreaterThan(1)
    expect(text).toContain(`of ${todos.length} done:`)
    for (const { content, status } of todos)
      expect(text).toContain(
        `- ${{ completed: '[x]', pending: '[ ]', in_progress: '[>]', removed: '' }[status]} "${content}"`,
      )
    expect((await recall('startup')).includes('Plan the work')).toBe(false)
  })

  test('nothing is said of a task that has ended, and nothing to the run of another', async () => {
    const first = await runIn(TODOS.session, 'one')
    const second = await runIn(KILLED.session, 'two')
    for (const call of [
      () => second.client.tasks.recall(first.task.id, { moment: 'resume' }),
      () => second.client.tasks.prompt(first.task.id, { rung: 'preamble' }),
    ])
      expect(await failureOf(call())).toMatchObject({
        code: 'forbidden',
        hint: expect.stringContaining(second.task.id),
      })
    await first.client.tasks.finish(first.task.id, { status: 'completed', output: 'done' })
    expect(await served.connect().tasks.recall(first.task.id, { moment: 'precompact' })).toBe('')
    expect(await failureOf(first.recall('precompact'))).toMatchObject({ code: 'lease_lost' })
  })

  test('the operator may ask, a worker that does not run it may not, and bad questions are refused', async () => {
    const { task } = await runIn(TODOS.session, 'one')
    const worker = await joinWorker(served)
    expect(await served.connect().tasks.recall(task.id, { moment: 'resume' })).toContain('GOAL REMINDER')
    for (const call of [
      () => worker.client.tasks.recall(task.id, { moment: 'resume' }),
      () => worker.client.tasks.prompt(task.id, { rung: 'preamble' }),
    ])
      expect(await failureOf(call())).toMatchObject({ code: 'forbidden' })
    expect(await served.connect().tasks.prompt(task.id, { rung: 'fresh' })).toBe('one')
    const ask = (moment: string) => served.connect().tasks.recall(task.id, { moment: moment as RecallMoment })
    expect(await failureOf(ask('whenever'))).toMatchObject({ code: 'invalid' })
    const unknown = served.connect().tasks.prompt('t-nothere1', { rung: 'fresh' })
    expect(await failureOf(unknown)).toMatchObject({ code: 'not_found' })
  })

  test('a conversation is known to have been asked what it was asked, and nothing else', async () => {
    const { store } = database
    expect(await wasAsked(store, sessionId(KILLED.session), ASKED)).toBe(true)
    expect(await wasAsked(store, sessionId(KILLED.session), 'something else')).toBe(false)
    expect(await wasAsked(store, sessionId(KILLED.session), 'long')).toBe(false)
    expect(await wasAsked(store, sessionId(crypto.randomUUID()), ASKED)).toBe(false)
    expect(await lastExchange(store, sessionId(KILLED.session))).toEqual(LAST_WORDS)
    expect(await lastExchange(store, sessionId(crypto.randomUUID()))).toEqual({ prompt: null, answer: null })
  })

  test('goes on without the text where the conversation holds it, and gives it where it does not', async () => {
    const known = await runIn(KILLED.session, ASKED)
    expect(await known.prompt('native')).toStartWith(`Continue task ${known.task.id}`)
    const set = await runIn(KILLED.session, 'Paint the fence')
    expect(await set.prompt('restored')).toEndWith('\n\nPaint the fence')
  })

  test('a summary takes the place of a conversation that ended, of the task itself or of its parent', async () => {
    const own = await runIn(KILLED.session, 'Carry it home')
    await own.client.tasks.progress(own.task.id, { progress: 'half way' })
    await served.connect().attempts.report(own.attemptId, {
      ended: {
        outcome: 'released',
        failureClass: null,
        reason: 'shut down',
        resetAt: null,
        output: null,
        exitCode: null,
        signal: null,
        numTurns: null,
        costUsd: null,
        usage: null,
      },
    })
    const operator = served.connect()
    const again = await operator.tasks.prompt(own.task.id, { rung: 'preamble' })
    for (const part of [
      'continues in a new conversation',
      'Attempt 1 was released',
      'half way',
      ...Object.values(LAST_WORDS),
    ])
      expect(again).toContain(part)
    expect(again).toEndWith('\n\nCarry it home')

    const parent = await runIn(KILLED.session, 'Build the boat')
    await parent.client.tasks.finish(parent.task.id, { status: 'completed', output: 'It floats' })
    const { task: child } = await operator.tasks.create({ task: 'Sail it', parentTaskId: parent.task.id })
    const text = await operator.tasks.prompt(child.id, { rung: 'preamble' })
    for (const part of [
      `continues the work of task ${parent.task.id}`,
      'Build the boat',
      'It floats',
      ...Object.values(LAST_WORDS),
    ])
      expect(text).toContain(part)
    expect(text).toEndWith('\n\nSail it')
    expect(await operator.tasks.prompt(child.id, { rung: 'snapshot' })).toContain(parent.task.id)
  })
})

const ASKED = 'long job'
const LAST_WORDS = { prompt: 'carry on', answer: 'Finished after the restart.' }
