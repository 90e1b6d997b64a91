/**
 * A parent hands out three tasks: one fails, one asks. Whatever is killed or compacted meanwhile, it gets what each came to, once: the
 * real CLI, real processes, a scripted model.
 */
import { afterEach, expect } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { address, type TaskId } from '../../../src/domain/ids'
import { type Message, messageMarker } from '../../../src/domain/message/message'
import { inTurn } from '../../lab/in-turn'
import type { ModelRequest } from '../../lab/request-log'
import { until } from '../../lab/until'
import { CLI_AND_DATABASE, type Fleet, openFleet } from './fleet'

const ANSWER = 'So far: PLUM, beta broke, FIG.'

inTurn(CLI_AND_DATABASE, 'a parent that hands out tasks, with Claude Code %s on %s', (test, version, kind) => {
  let lab: Fleet | undefined
  afterEach(async () => {
    await lab?.stop()
    lab = undefined
  })

  /** The parent is made, and its three tasks are there. */
  const begin = async (task: string, more: Parameters<Fleet['tasks']['create']>[1] = {}) => {
    const settings = { 'worker.allow': ['Bash(sleep *)'] }
    const opened = await openFleet({ version, database: kind, script: 'children', settings })
    lab = opened
    await opened.workers.start({ name: 'w1', concurrency: 4 })
    const parent = await opened.tasks.create(task, more)
    await until('three tasks below it', async () => (await childrenOf(opened, parent.id)).length === 3)
    return { lab: opened, parent }
  }

  test(`whose server and own process are killed, has each result once: ${kind}`, async () => {
    const { lab, parent } = await begin('hand out and stay')
    await until('its slow work', () => existsSync(join(lab.claude.project, 'begun.txt')))
    await until('two that ended', async () => (await endedOf(lab, parent.id)).length === 2)
    // What they came to is on its way into the run, which is in the middle of a call.
    await until('a flight', async () => (await mailOf(lab, parent.id)).some(({ route }) => route === 'input'))
    const { process: run } = await lab.tasks.running(parent.id)
    lab.lode.server.signal('SIGKILL')
    await lab.lode.server.exited
    if (run === null) throw new Error('no process')
    process.kill(run.pid, 'SIGKILL')
    await lab.lode.up()
    await allow(lab)
    await check(lab, parent.id)
  })

  test('that ended before they did, is taken up again with what they came to', async () => {
    const { lab, parent } = await begin('hand out and leave')
    await allow(lab)
    const { attempts } = await check(lab, parent.id)
    const { lines } = await lab.lode.client.tasks.log(parent.id, { limit: 1_000 })
    const waits = lines.filter(({ text }) => text.includes('in_progress -> pending: attempt 1 ended: '))
    expect(waits).toHaveLength(1)
    expect(attempts.length).toBeGreaterThan(1)
    // All in one conversation.
    expect(new Set(attempts.map(({ conversation }) => conversation?.sessionId)).size).toBe(1)
    expect(attempts.slice(1).map(({ conversation }) => conversation?.rung)).toEqual(
      attempts.slice(1).map(() => 'native' as const),
    )
  })

  test('that said it has finished, is followed by one that goes on in its conversation with what they came to', async () => {
    const { lab, parent } = await begin('hand out and finish', { onChildDone: 'resume' })
    expect((await lab.tasks.reached(parent.id, 'completed')).output).toBe('Handed out for good.')
    const followUps = async () => (await childrenOf(lab, parent.id)).filter(({ source }) => source === 'message')
    const [first] = await until('a follow-up', async () =>
      (await followUps()).length > 0 ? await followUps() : undefined,
    )
    if (first === undefined) throw new Error('no follow-up')
    await allow(lab)
    await until(
      'all results to be read',
      async () =>
        (await resultsOf(lab, parent.id)).every(({ status }) => status === 'consumed') &&
        (await resultsOf(lab, parent.id)).length === 3,
    )
    const all = await followUps()
    const last = await lab.tasks.reached(all.at(-1)?.id ?? first.id, 'completed')
    expect(last.output).toBe(ANSWER)
    expect((await lab.tasks.get(parent.id)).output).toBe('Handed out for good.')
    const session = (await lab.tasks.newest(parent.id)).conversation?.sessionId
    for (const { id } of all)
      for (const { conversation } of await lab.tasks.attempts(id))
        expect(conversation).toMatchObject({ rung: 'native', sessionId: session })
  })

  test('whose conversation is compacted meanwhile, has each result once', async () => {
    const { lab, parent } = await begin('hand out and go on')
    await until('its work', () => existsSync(join(lab.claude.project, 'begun.txt')))
    await lab.lode.client.tasks.input(parent.id, { text: '/compact' })
    const isCompacted = () => lab.claude.requests().some(({ rule }) => rule === 'summary')
    await until('the compaction', isCompacted)
    await allow(lab)
    await check(lab, parent.id)
  })
})

const childrenOf = async (lab: Fleet, id: TaskId) => (await lab.lode.client.tasks.get(id)).children
const endedOf = async (lab: Fleet, id: TaskId) =>
  (await childrenOf(lab, id)).filter(({ status }) => status === 'completed' || status === 'failed')

const mailOf = async (lab: Fleet, id: TaskId): Promise<Message[]> =>
  (await lab.lode.client.messages.list({ to: address(id), limit: 100 })).messages

const resultsOf = async (lab: Fleet, id: TaskId): Promise<Message[]> =>
  (await mailOf(lab, id)).filter(({ kind }) => kind === 'result')

/** Answers the one that asks. */
async function allow(lab: Fleet): Promise<void> {
  const asked = await until(
    'the question',
    async () => (await lab.lode.client.questions.list({ status: 'open' })).questions[0],
  )
  await lab.lode.client.questions.answer(asked.id, { behavior: 'allow' })
}

/** The parent ends as scripted, and has read each result once. */
async function check(lab: Fleet, id: TaskId) {
  const task = await lab.tasks.reached(id, 'completed')
  expect(task.output).toBe(ANSWER)
  const children = await childrenOf(lab, id)
  expect(children.map(({ status }) => status).sort()).toEqual(['completed', 'completed', 'failed'])
  const results = await resultsOf(lab, id)
  expect(results.map(({ status }) => status)).toEqual(['consumed', 'consumed', 'consumed'])
  const { attempts } = await lab.lode.client.tasks.get(id)
  const sessions = new Set(attempts.map(({ conversation }) => conversation?.sessionId as string))
  const asked = lab.claude
    .requests()
    .filter(({ who, session, rule }) => who === 'main' && sessions.has(session) && rule !== 'summary')
  // In no request stands one twice, and each stands in some.
  for (const result of results) {
    const seen = asked.map((request) => count(request, messageMarker(result.id)))
    expect(Math.max(...seen)).toBe(1)
  }
  return { task, attempts }
}

const count = (request: ModelRequest, marker: string): number =>
  JSON.stringify(request.body.messages).split(marker).length - 1
