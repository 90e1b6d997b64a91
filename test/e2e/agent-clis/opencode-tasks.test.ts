/**
 * Tasks that the real opencode runs: what the model is shown is the evidence. A start of it keeps a core busy for five seconds, so a run
 * proves several promises.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OpencodeLab } from '../../agents/opencode-lab'
import type { ChatScripts, ChatStep } from '../../agents/scripted-chat'
import { isAlive } from '../../lab/processes'
import { until } from '../../lab/until'

const slowly = <T>(what: string, condition: () => Promise<T | undefined | false> | T | undefined | false) =>
  until(what, condition)

const shell = (command: string, text = 'I run a command.'): ChatStep => [
  { text },
  { tool: 'bash', args: { command, description: 'Runs' } },
]
const launch = (prompt: string): ChatStep => [
  { tool: 'task', args: { description: 'Helps', prompt, subagent_type: 'general' } },
]

const SCRIPTS: ChatScripts = {
  hello: [shell('echo harbour'), [{ text: 'The harbour is built.' }]],
  plain: [[{ text: 'Here.' }]],
  more: [[{ text: 'It was HERON.' }]],
  // Each only once: the reminder of a run that goes on names the script again.
  slow: [
    ...['first', 'second'].map((name) => shell(`test -e ${name} || { echo $$ > ${name}; exec sleep 300; }`)),
    [{ text: 'Late.' }],
  ],
  // The text is on its way to the CLI when the command is let go.
  steered: [shell('touch begun; while [ ! -e go ]; do sleep 0.1; done; sleep 1'), [{ text: 'Done as told.' }]],
  removes: [
    shell('rm -rf precious'),
    [{ tool: 'read', args: { filePath: 'secret.txt' } }],
    shell('touch further; while [ ! -e on ]; do sleep 0.1; done; sleep 1', 'I could do neither.'),
    [{ text: 'Never said.' }],
  ],
  asks: [shell('touch refused'), launch('Ask for me @@helps'), [{ text: 'It was asked.' }]],
  helps: [shell('touch allowed'), [{ text: 'That was it.' }]],
  // Its last step is repeated without an end.
  loops: [shell('echo again >> tries; exit 3')],
  empty: [[{ stop: 'other' }]],
  limited: [{ status: 402, error: { message: 'No more for you', code: 'over' } }],
  tool: [[{ tool: 'lodeline_finish-task', args: { output: 'Said by the agent itself.' } }], [{ text: 'Finished.' }]],
}

describe('a task that opencode runs', () => {
  let lab: OpencodeLab
  const times = (text: string, part: string) => text.split(part).length - 1
  const project = (name: string) => join(lab.opencode.project, name)

  beforeAll(async () => {
    lab = await OpencodeLab.start(SCRIPTS, { 'worker.deny': ['Bash(rm *)', 'Read(**/secret.txt)'] })
    writeFileSync(project('AGENTS.md'), 'The lighthouse is called SKERRY.\n')
    writeFileSync(project('secret.txt'), 'The key is under the mat.\n')
    // None of the repository's own settings counts: they may name programs.
    mkdirSync(project('.opencode/plugin'), { recursive: true })
    writeFileSync(
      project('.opencode/plugin/own.js'),
      `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(project('ran'))}, '')\nexport const Own = async () => ({})\n`,
    )
  })
  afterAll(() => lab?.[Symbol.asyncDispose](), 60_000)

  /** The process of its tool, once it is at work. */
  const toolOf = async (name: string) =>
    await slowly(`the ${name} tool`, () => existsSync(project(name)) && Number(readFileSync(project(name), 'utf8')))
  const answered = async (
    id: Awaited<ReturnType<typeof lab.create>>['id'],
    name: string,
    behavior: 'allow' | 'deny',
  ) => {
    const question = await slowly('the question', async () => {
      const { questions } = await lab.lode.client.questions.list({ taskId: id, status: 'open' })
      return questions[0]
    })
    expect(question).toMatchObject({ toolName: 'Bash', input: { command: `touch ${name}` } })
    await lab.lode.client.questions.answer(question.id, { behavior })
  }

  test('is done, with its words, its tools, its usage and its place in the record; a child goes on in a copy, and finishes itself by a tool', async () => {
    const task = await lab.done({ task: '/hello is the place: @@hello build the harbour' })
    expect(task).toMatchObject({ status: 'completed', output: 'The harbour is built.', finishedBy: 'runner' })
    const [attempt] = await lab.attempts(task.id)
    expect(attempt).toMatchObject({
      ...{ outcome: 'completed', cliVersion: '1.18.33', numTurns: 2 },
      conversation: { rung: 'fresh', sessionId: task.claudeSessionId },
      usage: { inputTokens: 1_200, cacheReadTokens: 800, outputTokens: 40 },
    })
    const shown = lab.shownWith('harbour\n')
    expect(shown).toContain('SKERRY')
    expect(shown).toContain(`Lodeline: you are working on task ${task.id}`)
    expect(existsSync(project('ran'))).toBe(false)
    const { lines } = await lab.lode.client.tasks.log(task.id, {})
    const words = lines.map(({ text }) => text).join('\n')
    expect(words).toContain('I run a command.')
    expect(words).toContain('bash: echo harbour')
    await slowly('the session', async () => {
      const { session } = await lab.lode.client.sessions.get(task.claudeSessionId ?? '')
      const { journals } = await lab.lode.client.sessions.journals(task.claudeSessionId ?? '')
      return (
        session.agent === 'opencode' &&
        session.usage.outputTokens === 40 &&
        journals.some(({ kind }) => kind === 'stream')
      )
    })
    const child = await lab.done({ task: '@@tool the child', parentTaskId: task.id })
    expect(child).toMatchObject({ status: 'completed', finishedBy: 'agent', output: 'Said by the agent itself.' })
    expect((await lab.attempts(child.id))[0]?.conversation).toMatchObject({
      ...{ rung: 'snapshot', forked: true, resumedSessionId: task.claudeSessionId },
      sessionId: child.claudeSessionId,
    })
    expect(child.claudeSessionId).not.toBe(task.claudeSessionId)
    const continued = lab.shownWith('@@tool the child')
    expect(continued).toContain('@@hello build the harbour')
    expect(continued).toContain('The harbour is built.')
  })

  test('goes on in its own conversation after its process was killed, and after a pause, which ends its tools', async () => {
    const { id } = await lab.create({ task: '@@slow wait for it' })
    const killed = await toolOf('first')
    const [running] = await lab.attempts(id)
    process.kill(running?.process?.pid ?? 0, 'SIGKILL')
    const paused = await toolOf('second')
    await slowly('the end of what the killed one left', () => !isAlive(killed))
    await lab.lode.client.tasks.pause(id, {})
    await slowly('the end of the attempt', async () => (await lab.attempts(id))[1]?.outcome !== null)
    await slowly('the end of its tool', () => !isAlive(paused))
    await lab.lode.client.tasks.resume(id)
    expect(await lab.ended(id)).toMatchObject({ status: 'completed', output: 'Late.' })
    const [first, second, third] = await lab.attempts(id)
    expect(first).toMatchObject({ outcome: 'failed', failureClass: 'crash' })
    const sessionId = first?.conversation?.sessionId
    expect(second?.conversation).toMatchObject({ rung: 'native', sessionId, whyNot: [] })
    expect(third?.conversation).toMatchObject({ rung: 'native', sessionId })
    expect(times(lab.shownWith('interrupted'), '@@slow wait for it')).toBeGreaterThan(0)
  })

  test('is steered in the same conversation: in the turn, or at once, which ends the turn; a call that a rule refuses does not run, in any mode', async () => {
    mkdirSync(project('precious'), { recursive: true })
    const { id } = await lab.create({ task: '@@steered begin' })
    for (const [urgency, then, begun, go] of [
      ['next', 'removes', 'begun', 'go'],
      ['now', 'more', 'further', 'on'],
    ] as const) {
      await slowly('the command', () => existsSync(project(begun)))
      await lab.lode.client.tasks.input(id, { text: `Look left ${urgency} @@${then}`, urgency })
      await slowly('the text on its way', async () => {
        const { messages } = await lab.lode.client.messages.list({ to: id })
        return messages.some(({ text, status }) => text.includes(`left ${urgency}`) && status !== 'produced')
      })
      writeFileSync(project(go), '')
    }
    expect(await lab.ended(id)).toMatchObject({ status: 'completed', output: 'It was HERON.' })
    expect(await lab.attempts(id)).toHaveLength(1)
    for (const urgency of ['next', 'now']) {
      const shown = lab.shownWith(`Look left ${urgency}`)
      expect(shown).toContain('@@steered begin')
      expect(shown).not.toContain('Done as told.')
      expect(shown).not.toContain('Never said.')
    }
    const { lines } = await lab.lode.client.tasks.log(id, {})
    expect(lines.some(({ text }) => text.includes('I could do neither.'))).toBe(true)
    expect(existsSync(project('precious'))).toBe(true)
    const shown = lab.shownWith('@@removes')
    expect(shown).toContain('It is not allowed here (Bash(rm *))')
    expect(shown).toContain('It is not allowed here (Read(**/secret.txt))')
    expect(shown).not.toContain('under the mat')
  })

  test('a call that needs approval is asked for, a sub-agent’s too, and a person’s answer decides', async () => {
    const { id } = await lab.create({ task: '@@asks may I?', permissionMode: 'default' })
    await answered(id, 'refused', 'deny')
    await answered(id, 'allowed', 'allow')
    expect((await lab.ended(id)).output).toBe('It was asked.')
    expect(['refused', 'allowed'].map((name) => existsSync(project(name)))).toEqual([false, true])
  })

  test('an agent that repeats a call that fails, and a model of empty answers, are stopped, and the task says why', async () => {
    for (const [word, failureClass, reason] of [
      ['loops', 'agent', 'the same call failed 8 times in a row (bash: echo again >> tries; exit 3'],
      ['empty', 'overloaded', '3 answers in a row were empty'],
    ] as const) {
      const { id } = await lab.create({ task: `@@${word} on and on`, retryPolicy: { maximumAttempts: 1 } })
      expect(await lab.ended(id)).toMatchObject({ status: 'failed', failureClass })
      expect((await lab.attempts(id)).map(({ failureReason }) => failureReason)).toEqual([
        expect.stringContaining(reason),
      ])
    }
    expect(readFileSync(project('tries'), 'utf8')).toBe('again\n'.repeat(8))
  })

  test('a model that the CLI does not have, and a limit of the account, say so; the limit parks the task', async () => {
    for (const [word, failureClass, model] of [
      ['plain', 'bad_flag', 'local/nobody'],
      ['limited', 'usage_limit', null],
    ] as const) {
      const { id } = await lab.create({
        ...{ task: `@@${word} try`, retryPolicy: { maximumAttempts: 1 } },
        ...(model !== null && { model }),
      })
      const attempt = await slowly('the end', async () =>
        (await lab.attempts(id)).find(({ outcome }) => outcome !== null),
      )
      expect(attempt).toMatchObject({ outcome: 'failed', failureClass })
      const { status } = (await lab.lode.client.tasks.get(id)).task
      if (failureClass === 'usage_limit') expect(status).not.toBe('failed')
      await lab.lode.client.tasks.cancel(id, {}).catch(() => {})
    }
  })
})
