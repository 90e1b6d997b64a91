/** Tasks that the real Codex runs: what the model is shown is the evidence. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CodexLab } from '../agents/codex-lab'
import type { Step } from '../agents/scripted-model'
import { isAlive } from '../lab/processes'
import { until } from '../lab/until'

const shell = (cmd: string, more: object = {}): Step => [
  { text: 'I run a command.' },
  { tool: 'exec_command', args: { cmd, yield_time_ms: 30_000, ...more } },
]

const SCRIPTS: Record<string, Step[]> = {
  hello: [shell('echo harbour'), [{ text: 'The harbour is built.' }]],
  plain: [[{ text: 'The word is HERON.' }]],
  more: [[{ text: 'It was HERON.' }]],
  slow: [shell('echo $$ > pid; exec sleep 60'), [{ text: 'Late.' }]],
  steered: [shell('touch begun; sleep 2'), [{ text: 'Done as told.' }]],
  removes: [shell('rm -rf precious'), [{ text: 'I could not.' }]],
  asks: [shell('touch asked'), [{ text: 'That was it.' }]],
  loops: [shell('true'), shell('true'), shell('true'), [{ text: 'Enough.' }]],
  limited: [
    {
      status: 429,
      error: { type: 'usage_limit_reached', message: 'limit', plan_type: 'pro', resets_in_seconds: 7_200 },
    },
    [{ text: 'Never so soon.' }],
  ],
  tool: [
    [{ tool: 'finish-task', namespace: 'mcp__lodeline', args: { result: 'Said by the agent itself.' } }],
    [{ text: 'Finished.' }],
  ],
}

describe('a task that Codex runs', () => {
  let lab: CodexLab
  const times = (text: string, part: string) => text.split(part).length - 1
  const project = (name: string) => join(lab.codex.project, name)

  beforeAll(async () => {
    lab = await CodexLab.start(SCRIPTS)
  }, 330_000)
  afterAll(() => lab?.[Symbol.asyncDispose](), 60_000)

  test('is done, with its words, its tools, its usage and its place in the record', async () => {
    const config = readFileSync(join(lab.codex.folder, 'config.toml'), 'utf8')
    const task = await lab.done({ task: '@@hello build the harbour' })
    expect(task).toMatchObject({ status: 'completed', output: 'The harbour is built.', finishedBy: 'runner' })
    const [attempt] = await lab.attempts(task.id)
    expect(attempt).toMatchObject({
      outcome: 'completed',
      cliVersion: '0.169.0',
      numTurns: 2,
      conversation: { rung: 'fresh', sessionId: task.claudeSessionId },
      usage: { inputTokens: 1_200, cacheReadTokens: 800, outputTokens: 40 },
    })
    expect(lab.shownWith('harbour\\n')).toContain('@@hello build the harbour')
    const { entries } = await lab.lode.client.tasks.log(task.id, {})
    const words = entries.map(({ text }) => text).join('\n')
    expect(words).toContain('I run a command.')
    expect(words).toContain('Bash: harbour')
    const session = await until('the session', async () => {
      const found = await lab.lode.client.sessions.get(task.claudeSessionId ?? '')
      return found.session.counts.events > 2 ? found.session : undefined
    })
    expect(session.agent).toBe('codex')
    // The person's own settings are theirs.
    expect(readFileSync(join(lab.codex.folder, 'config.toml'), 'utf8')).toBe(config)
  }, 60_000)

  test('has the tools of its task, and finishes itself by one', async () => {
    const task = await lab.done({ task: '@@tool say it' })
    expect(task).toMatchObject({ status: 'completed', finishedBy: 'agent', output: 'Said by the agent itself.' })
  }, 60_000)

  test('goes on in its own conversation after its process was killed', async () => {
    rmSync(project('pid'), { force: true })
    const { id } = await lab.create({ task: '@@slow wait for it' })
    const pid = await until(
      'the tool',
      () => existsSync(project('pid')) && Number(readFileSync(project('pid'), 'utf8')),
    )
    const [running] = await lab.attempts(id)
    process.kill(running?.process?.pid ?? 0, 'SIGKILL')
    const task = await lab.ended(id)
    expect(task).toMatchObject({ status: 'completed', output: 'Late.' })
    const [first, second] = await lab.attempts(id)
    expect(first).toMatchObject({ outcome: 'failed', failureClass: 'crash' })
    expect(second?.conversation).toMatchObject({
      rung: 'native',
      sessionId: first?.conversation?.sessionId,
      whyNot: [],
    })
    expect(times(lab.shownWith('aborted'), '@@slow wait for it')).toBe(1)
    await until('the end of what it left', () => !isAlive(pid))
  }, 90_000)
})
