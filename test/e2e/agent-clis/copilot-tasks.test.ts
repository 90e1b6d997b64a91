/** Tasks that the real Copilot CLI runs: what the model is shown is the evidence. */
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
  hello: [shell('echo harbour'), [{ text: 'The harbour is built.' }]],
  plain: [[{ text: 'The word is HERON.' }]],
  more: [[{ text: 'It was HERON.' }]],
  slow: [shell('echo $$ > pid; exec sleep 60'), [{ text: 'Late.' }]],
  steered: [shell('touch begun; sleep 3'), [{ text: 'Done as told.' }]],
  removes: [shell('rm -rf precious'), [{ text: 'I could not.' }]],
  asks: [shell('touch asked'), [{ text: 'That was it.' }]],
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
  }, 330_000)
  afterAll(() => lab?.[Symbol.asyncDispose](), 60_000)

  /** Its tool's process, once it is at work. */
  const toolOf = async () =>
    await until('the tool', () => existsSync(project('pid')) && Number(readFileSync(project('pid'), 'utf8')))

  test('is done, with its words, its tools, its usage and its place in the record', async () => {
    const task = await lab.done({ task: '@@hello build the harbour' })
    expect(task).toMatchObject({ status: 'completed', output: 'The harbour is built.', finishedBy: 'runner' })
    const [attempt] = await lab.attempts(task.id)
    expect(attempt).toMatchObject({
      ...{ outcome: 'completed', cliVersion: '1.0.102', numTurns: 2 },
      conversation: { rung: 'fresh', sessionId: task.claudeSessionId },
      usage: { inputTokens: 1_200, cacheReadTokens: 800, outputTokens: 40 },
    })
    expect(times(lab.shownWith('harbour\n'), '@@hello build the harbour')).toBeGreaterThan(0)
    const { lines } = await lab.lode.client.tasks.log(task.id, {})
    const words = lines.map(({ text }) => text).join('\n')
    expect(words).toContain('I run a command.')
    expect(words).toContain('execute: echo harbour')
    const session = await until('the session', async () => {
      const found = await lab.lode.client.sessions.get(task.claudeSessionId ?? '')
      return found.session.counts.events > 2 ? found.session : undefined
    })
    expect(session.agent).toBe('copilot')
  }, 60_000)

  test('is told its task once and has its own tools, also where a person’s sessions have them', async () => {
    for (const isSetUp of [false, true]) {
      if (isSetUp) expect((await lab.lode.lode('setup', 'copilot')).exitCode).toBe(0)
      const task = await lab.done({ task: `@@tool tell me once ${isSetUp}` })
      expect(task).toMatchObject({ status: 'completed', output: 'Said by the agent itself.', finishedBy: 'agent' })
      const shown = lab.shownWith(`tell me once ${isSetUp}`)
      expect(times(shown, `you are working on task ${task.id}`)).toBe(1)
    }
    await lab.lode.lode('setup', 'copilot', '--remove')
  }, 60_000)

  test('goes on in its own conversation after its process was killed', async () => {
    rmSync(project('pid'), { force: true })
    const { id } = await lab.create({ task: '@@slow wait for it' })
    const pid = await toolOf()
    const [running] = await lab.attempts(id)
    process.kill(running?.process?.pid ?? 0, 'SIGKILL')
    expect(await lab.ended(id)).toMatchObject({ status: 'completed', output: 'Late.' })
    const [first, second] = await lab.attempts(id)
    expect(first).toMatchObject({ outcome: 'failed', failureClass: 'crash' })
    const sessionId = first?.conversation?.sessionId
    expect(second?.conversation).toMatchObject({ rung: 'native', sessionId, whyNot: [] })
    expect(times(lab.shownWith('interrupted').replace(REMINDER, ''), '@@slow wait for it')).toBe(1)
    await until('the end of what it left', () => !isAlive(pid))
  }, 90_000)

  test('is paused, which ends its tools, and goes on in its own conversation', async () => {
    rmSync(project('pid'), { force: true })
    const { id } = await lab.create({ task: '@@slow pause here' })
    const pid = await toolOf()
    await lab.lode.client.tasks.pause(id, {})
    await until('the end of the attempt', async () => (await lab.attempts(id))[0]?.outcome !== null)
    await until('the end of its tool', () => !isAlive(pid))
    await lab.lode.client.tasks.resume(id)
    expect(await lab.ended(id)).toMatchObject({ status: 'completed', output: 'Late.' })
    const [first, second] = await lab.attempts(id)
    expect(second?.conversation).toMatchObject({ rung: 'native', sessionId: first?.conversation?.sessionId })
  }, 90_000)

  test('goes on in a conversation whose file is gone: the record gives it back', async () => {
    const before = await lab.done({ task: '@@plain which word?' })
    const id = before.claudeSessionId ?? ''
    await until('the record', async () => (await lab.lode.client.sessions.get(id)).session.status === 'ended')
    rmSync(join(lab.copilot.folder, 'session-state', id), { recursive: true })
    const { task } = await lab.lode.client.sessions.resume(id, { asTask: true, text: '@@more and now?' })
    const again = await lab.ended(task?.id ?? ('' as never))
    expect(again).toMatchObject({ status: 'completed', output: 'It was HERON.' })
    expect((await lab.attempts(again.id))[0]?.conversation).toMatchObject({ rung: 'restored', sessionId: id })
    expect(lab.shownWith('@@more and now?')).toContain('The word is HERON.')
  }, 90_000)

  test('a child goes on in a copy of its parent’s conversation, of which each line counts once', async () => {
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
  }, 90_000)

  test('is steered in the same conversation: after the turn, or at once, which ends the turn', async () => {
    for (const urgency of ['next', 'now'] as const) {
      rmSync(project('begun'), { force: true })
      const { id } = await lab.create({ task: `@@steered ${urgency}` })
      await until('the command', () => existsSync(project('begun')))
      await lab.lode.client.tasks.input(id, { text: `Look left ${urgency} @@more`, urgency })
      expect(await lab.ended(id)).toMatchObject({ status: 'completed', output: 'It was HERON.' })
      expect(await lab.attempts(id)).toHaveLength(1)
      const shown = lab.shownWith(`Look left ${urgency}`)
      expect(shown).toContain(`@@steered ${urgency}`)
      expect(shown.includes('Done as told.')).toBe(urgency === 'next')
    }
  }, 90_000)

  test('a call that a rule refuses does not run, in any mode, and the agent goes on', async () => {
    mkdirSync(project('precious'), { recursive: true })
    const task = await lab.done({ task: '@@removes clean up' })
    expect(task).toMatchObject({ status: 'completed', output: 'I could not.' })
    expect(existsSync(project('precious'))).toBe(true)
    expect(lab.shownWith('a rule refuses it')).toContain('@@removes clean up')
  }, 60_000)

  test('a call that needs approval is asked for, and a person’s answer decides', async () => {
    for (const behavior of ['allow', 'deny'] as const) {
      rmSync(project('asked'), { force: true })
      const { id } = await lab.create({ task: '@@asks may I?', permissionMode: 'default' })
      const question = await until('the question', async () => {
        const { questions } = await lab.lode.client.questions.list({ taskId: id })
        return questions[0]
      })
      expect(question).toMatchObject({ toolName: 'Bash', input: { command: 'touch asked' } })
      await lab.lode.client.questions.answer(question.id, { behavior })
      expect((await lab.ended(id)).output).toBe('That was it.')
      expect(existsSync(project('asked'))).toBe(behavior === 'allow')
    }
  }, 90_000)

  test('more turns than the task allows end it', async () => {
    const task = await lab.done({ task: '@@loops for ever', maxTurns: 2, retryPolicy: { maximumAttempts: 1 } })
    expect((await lab.attempts(task.id))[0]).toMatchObject({ outcome: 'failed', failureClass: 'turn_limit' })
  }, 60_000)

  test('a usage limit parks the task', async () => {
    const { id } = await lab.create({ task: '@@limited try' })
    const attempt = await until('the end', async () => (await lab.attempts(id)).find(({ outcome }) => outcome !== null))
    expect(attempt?.failureClass).toBe('usage_limit')
    expect((await lab.lode.client.tasks.get(id)).task.status).not.toBe('failed')
    await lab.lode.client.tasks.cancel(id, {})
  }, 60_000)
})
