/** Each way in which a run fails, from the model's answer to the task's end: what is tried again, when, and what is said. */
import { afterAll, beforeAll, expect } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { inTurn } from '../../lab/in-turn'
import { until } from '../../lab/until'
import { CLI_AND_DATABASE, type Fleet, openLadder } from './fleet'

inTurn(CLI_AND_DATABASE, 'CLI %s on %s', (test, version, kind) => {
  let lab: Fleet
  beforeAll(async () => {
    lab = await openLadder(version, kind)
    await lab.workers.start({ name: 'w1', concurrency: 3 })
  })
  afterAll(() => lab?.stop(), 60_000)

  test('overloaded: tried again after a while that grows, in the same conversation', async () => {
    const { id } = await lab.tasks.create('Please be overloaded', { retryPolicy: { initialIntervalMs: 700 } })
    expect(await lab.tasks.reached(id, 'completed')).toMatchObject({ output: 'Went on to the end.' })
    const [first, second] = await lab.tasks.attempts(id)
    expect(first).toMatchObject({ outcome: 'failed', failureClass: 'overloaded' })
    expect(Date.parse(second?.startedAt ?? '') - Date.parse(first?.endedAt ?? '')).toBeGreaterThanOrEqual(700)
    expect(second?.conversation).toMatchObject({ rung: 'native', sessionId: first?.conversation?.sessionId })
  })

  test.each([
    ['login', 'Please lose the login', {}, 'login', '/login'],
    ['model', 'Please ask another model', {}, 'bad_flag', "Change the task's model"],
    ['turns', 'Please turn and turn', { maxTurns: 2 }, 'turn_limit', 'raise maxTurns'],
  ] as const)('%s: not tried again, with what to do', async (_, text, more, failureClass, hint) => {
    const { id } = await lab.tasks.create(text, more)
    const task = await lab.tasks.reached(id, 'failed')
    expect(task).toMatchObject({ failureClass, attemptCount: 1, failureReason: expect.stringContaining(hint) })
    expect((await lab.lode.lode('task', 'show', id)).stdout).toContain(hint)
  })

  test('a usage limit: parked until its time, counted as no try, then gone on with', async () => {
    const { id } = await lab.tasks.create('Please meet the limit', { retryPolicy: { maximumAttempts: 1 } })
    const parked = await until('the limit', async () => {
      const task = await lab.tasks.get(id)
      return task.status === 'paused' ? task : undefined
    })
    const { conversation } = await lab.tasks.newest(id)
    // To the second, as the limits of accounts are.
    const said = readFileSync(lab.claude.transcript(conversation?.sessionId ?? ''), 'utf8')
    const limitedUntil = Number(/limit reached\|(\d+)/.exec(said)?.[1]) * 1_000
    expect(parked).toMatchObject({
      pausedBy: 'limit',
      waitingFor: 'limit',
      notBefore: new Date(limitedUntil).toISOString(),
    })
    // Its agent gets nothing meanwhile.
    const { agents } = await lab.lode.client.agents.list()
    expect(agents.find(({ name }) => name === 'w1')?.limitedUntil).toBe(new Date(limitedUntil).toISOString())
    expect(await lab.tasks.reached(id, 'completed')).toMatchObject({ output: 'Went on to the end.', attemptCount: 2 })
    const [first, second] = await lab.tasks.attempts(id)
    expect(Date.parse(second?.startedAt ?? '')).toBeGreaterThanOrEqual(limitedUntil)
    expect(second?.conversation).toMatchObject({ rung: 'native', sessionId: first?.conversation?.sessionId })
  })

  test('a crash: tried again at most as often as allowed, then failed, and the retry still works', async () => {
    const { id, attempt } = await lab.tasks.slowly('Please work slowly and crash', {
      retryPolicy: { maximumAttempts: 1 },
    })
    // The CLI begins a tool before it writes that it does; killed in between, nothing is left to go on with.
    const transcript = lab.claude.transcript(attempt.conversation?.sessionId ?? '')
    await until(
      'the transcript',
      () => existsSync(transcript) && readFileSync(transcript, 'utf8').includes('"tool_use"'),
    )
    process.kill(attempt.process?.pid ?? 0, 'SIGKILL')
    const task = await lab.tasks.reached(id, 'failed')
    expect(task).toMatchObject({ failureClass: 'crash', failureReason: expect.stringContaining('SIGKILL') })
    await lab.lode.client.tasks.retry(id)
    await lab.tasks.reached(id, 'completed')
    expect((await lab.tasks.newest(id)).conversation).toMatchObject({ rung: 'native' })
  })
})
