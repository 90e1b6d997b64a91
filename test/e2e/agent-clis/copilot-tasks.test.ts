/** Tasks that the real Copilot CLI runs: what the model is shown is the evidence. A run proves several promises, since a start takes a second. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CopilotLab } from '../../agents/copilot-lab'
import { type ChatScripts, type ChatStep, REMINDER } from '../../agents/scripted-chat'
import { isAlive } from '../../lab/processes'
import { until } from '../../lab/until'

const shell = (command: string): ChatStep => [
  { text: 'I run a command.' },
  { tool: 'bash', args: { command, description: 'Runs', initial_wait: 120 } },
]

const SCRIPTS: ChatScripts = {
  hello: [shell('echo harbour'), shell('rm -rf precious'), [{ text: 'The harbour is built.' }]],
  plain: [[{ text: 'The word is HERON.' }]],
  more: [[{ text: 'It was HERON.' }]],
  slow: [...['first', 'second'].map((name) => shell(`echo $$ > ${name}; exec sleep 60`)), [{ text: 'Late.' }]],
  steered: [shell('touch begun; sleep 3'), [{ text: 'Done as told.' }]],
  further: [shell('touch further; sleep 3'), [{ text: 'Never said.' }]],
  asks: [shell('touch refused'), shell('touch allowed'), [{ text: 'That was it.' }]],
  loops: [shell('true'), shell('true'), shell('true'), shell('true'), [{ text: 'Enough.' }]],
  limited: [{ status: 402, error: { message: 'You have exceeded your monthly quota', code: 'quota_exceeded' } }],
  tool: [[{ tool: 'lodeline-finish-task', args: { output: 'Said by the agent itself.' } }], [{ text: 'Finished.' }]],
}

describe('a task that Copilot CLI runs', () => {
  let lab: CopilotLab
  const times = (text: string, part: string) => text.split(part).length - 1
  const project = (name: string) => join(lab.copilot.project, name)

  beforeAll(async () => {
    lab = await CopilotLab.start(SCRIPTS)
  })
  afterAll(() => lab?.[Symbol.asyncDispose](), 60_000)

  /** The process of its tool, once it is at work. */
  const toolOf = async (name: string) =>
    await until(`the ${name} tool`, () => existsSync(project(name)) && Number(readFileSync(project(name), 'utf8')))

  test('is done, with its words, its tools, its usage and its place in the record; a call that a rule refuses does not run, in any mode, and it goes on', async () => {
    mkdirSync(project('precious'))
    const task = await lab.done({ task: '@@hello build the harbour' })
    expect(task).toMatchObject({ status: 'completed', output: 'The harbour is built.', finishedBy: 'runner' })
    const [attempt] = await lab.attempts(task.id)
    expect(attempt).toMatchObject({
      ...{ outcome: 'completed', cliVersion: '1.0.102', numTurns: 3 },
      conversation: { rung: 'fresh', sessionId: task.claudeSessionId },
      usage: { inputTokens: 1_800, cacheReadTokens: 1_200, outputTokens: 60 },
    })
    expect(times(lab.shownWith('harbour\n'), '@@hello build the harbour')).toBeGreaterThan(0)
    expect(existsSync(project('precious'))).toBe(true)
    expect(lab.shownWith('a rule refuses it')).toContain('@@hello build the harbour')
    const { lines } = await lab.lode.client.tasks.log(task.id, {})
    const words = lines.map(({ text }) => text).join('\n')
    expect(words).toContain('I run a command.')
    expect(words).toContain('execute: echo harbour')
    const session = await until('the session', async () => {
      const found = await lab.lode.client.sessions.get(task.claudeSessionId ?? '')
      return found.session.counts.events > 2 ? found.session : undefined
    })
    expect(session.agent).toBe('copilot')
  })

  test('is told its task once and has its own tools, also where a person’s sessions have them', async () => {
    for (const isSetUp of [false, true]) {
      if (isSetUp) expect((await lab.lode.lode('setup', 'copilot')).exitCode).toBe(0)
      const task = await lab.done({ task: `@@tool tell me once ${isSetUp}` })
      expect(task).toMatchObject({ status: 'completed', output: 'Said by the agent itself.', finishedBy: 'agent' })
      const shown = lab.shownWith(`tell me once ${isSetUp}`)
      expect(times(shown, `you are working on task ${task.id}`)).toBe(1)
    }
    await lab.lode.lode('setup', 'copilot', '--remove')
  })

  test('goes on in its own conversation after its process was killed, and after a pause, which ends its tools', async () => {
    const { id } = await lab.create({ task: '@@slow wait for it' })
    const killed = await toolOf('first')
    const [running] = await lab.attempts(id)
    process.kill(running?.process?.pid ?? 0, 'SIGKILL')
    const paused = await toolOf('second')
    expect(times(lab.shownWith('interrupted').replace(REMINDER, ''), '@@slow wait for it')).toBe(1)
    await until('the end of what the killed one left', () => !isAlive(killed))
    await lab.lode.client.tasks.pause(id, {})
    await until('the end of the attempt', async () => (await lab.attempts(id))[1]?.outcome !== null)
    await until('the end of its tool', () => !isAlive(paused))
    await lab.lode.client.tasks.resume(id)
    expect(await lab.ended(id)).toMatchObject({ status: 'completed', output: 'Late.' })
    const [first, second, third] = await lab.attempts(id)
    expect(first).toMatchObject({ outcome: 'failed', failureClass: 'crash' })
    const sessionId = first?.conversation?.sessionId
    expect(second?.conversation).toMatchObject({ rung: 'native', sessionId, whyNot: [] })
    expect(third?.conversation).toMatchObject({ rung: 'native', sessionId })
  })

  test('a child goes on in a copy of its parent’s conversation, of which each line counts once; where the file of a conversation is gone, the record gives it back', async () => {
    const parent = await lab.done({ task: '@@plain the parent' })
    const origin = parent.claudeSessionId ?? ''
    const child = await lab.done({ task: '@@more the child', parentTaskId: parent.id })
    expect(child).toMatchObject({ status: 'completed', output: 'It was HERON.' })
    const [attempt] = await lab.attempts(child.id)
    const id = attempt?.conversation?.sessionId
    expect(attempt?.conversation).toMatchObject({ rung: 'snapshot', resumedSessionId: origin, forked: true })
    expect(id).not.toBe(origin)
    const shown = lab.shownWith('@@more the child').replace(REMINDER, '')
    expect(shown.indexOf('The word is HERON.')).toBeGreaterThan(shown.indexOf('@@plain the parent'))
    const { session } = await until('the record', async () => {
      const found = await lab.lode.client.sessions.get(id ?? '')
      return found.session.usage.outputTokens > 0 ? found : undefined
    })
    expect(session).toMatchObject({ forkedFrom: origin, usage: { outputTokens: 20 } })
    const { session: first } = await lab.lode.client.sessions.get(origin)
    expect(first).toMatchObject({ usage: { outputTokens: 20 } })

    await until('its end', async () => (await lab.lode.client.sessions.get(origin)).session.status === 'ended')
    rmSync(join(lab.copilot.folder, 'session-state', origin), { recursive: true })
    const { task } = await lab.lode.client.sessions.resume(origin, { asTask: true, text: '@@more and now?' })
    const again = await lab.ended(task?.id ?? ('' as never))
    expect(again).toMatchObject({ status: 'completed', output: 'It was HERON.' })
    expect((await lab.attempts(again.id))[0]?.conversation).toMatchObject({ rung: 'restored', sessionId: origin })
    expect(lab.shownWith('@@more and now?')).toContain('The word is HERON.')
  })

  test('is steered in the same conversation: after the turn, or at once, which ends the turn', async () => {
    const { id } = await lab.create({ task: '@@steered begin' })
    await until('the command', () => existsSync(project('begun')))
    await lab.lode.client.tasks.input(id, { text: 'Look left next @@further', urgency: 'next' })
    await until('the command after it', () => existsSync(project('further')))
    expect(lab.shownWith('Look left next')).toContain('Done as told.')
    await lab.lode.client.tasks.input(id, { text: 'Look left now @@more', urgency: 'now' })
    expect(await lab.ended(id)).toMatchObject({ status: 'completed', output: 'It was HERON.' })
    expect(await lab.attempts(id)).toHaveLength(1)
    const shown = lab.shownWith('Look left now')
    for (const text of ['@@steered begin', 'Look left next']) expect(shown).toContain(text)
    expect(shown).not.toContain('Never said.')
  })

  test('a call that needs approval is asked for, and a person’s answer decides', async () => {
    const { id } = await lab.create({ task: '@@asks may I?', permissionMode: 'default' })
    for (const [name, behavior] of [
      ['refused', 'deny'],
      ['allowed', 'allow'],
    ] as const) {
      const question = await until('the question', async () => {
        const { questions } = await lab.lode.client.questions.list({ taskId: id, status: 'open' })
        return questions[0]
      })
      expect(question).toMatchObject({ toolName: 'Bash', input: { command: `touch ${name}` } })
      await lab.lode.client.questions.answer(question.id, { behavior })
    }
    expect((await lab.ended(id)).output).toBe('That was it.')
    expect(['refused', 'allowed'].map((name) => existsSync(project(name)))).toEqual([false, true])
  })

  test('more turns than the task allows end it', async () => {
    const task = await lab.done({ task: '@@loops for ever', maxTurns: 2, retryPolicy: { maximumAttempts: 1 } })
    expect((await lab.attempts(task.id))[0]).toMatchObject({ outcome: 'failed', failureClass: 'turn_limit' })
  })

  test('a usage limit parks the task', async () => {
    const { id } = await lab.create({ task: '@@limited try' })
    const attempt = await until('the end', async () => (await lab.attempts(id)).find(({ outcome }) => outcome !== null))
    expect(attempt?.failureClass).toBe('usage_limit')
    expect((await lab.lode.client.tasks.get(id)).task.status).not.toBe('failed')
    await lab.lode.client.tasks.cancel(id, {})
  })
})
