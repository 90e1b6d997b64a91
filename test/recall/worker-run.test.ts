/** A worker's run in `lode up`, whole: what its model reads at the start and at a compaction, and how it ends its task. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient, httpTransport } from '../../src/api/client'
import { declared } from '../api/answers/declared-answers'
import { cliPath } from '../lab/claude'
import { cliInTurn } from '../lab/in-turn'
import { type LabWith, openLab } from '../lab/lab'
import type { ModelRequest } from '../lab/request-log'
import { until } from '../lab/until'
import { LODE } from '../lode-command'

const GOAL = 'Rebuild the harbour wall before the storm'
const step = (n: number, command = `echo ${n}`) => ({
  text: `Step ${n}.`,
  tools: [{ name: 'Bash', input: { command, description: `Step ${n}` } }],
})
/** @param gate  the file whose coming lets the last step end */
const rules = (gate: string) => [
  {
    name: 'summary',
    match: { latest: 'Your task is to create a detailed summary' },
    steps: [{ text: '<analysis>x</analysis>\n<summary>SUMMARY: some work was done.</summary>' }],
  },
  {
    name: 'after',
    match: { who: 'main', first: 'SUMMARY' },
    steps: [
      { tools: [{ name: 'mcp__lodeline__finish-task', input: { output: 'The wall stands' } }] },
      { text: 'Done.' },
    ],
  },
  {
    name: 'work',
    match: { who: 'main' },
    steps: [
      {
        text: 'I plan.',
        tools: [
          { name: 'TaskCreate', input: { subject: 'Fetch stones', description: 'From the quarry' } },
          { name: 'TaskCreate', input: { subject: 'Set stones', description: 'On the wall' } },
        ],
      },
      {
        tools: [
          { name: 'TaskUpdate', input: { taskId: '1', status: 'in_progress' } },
          { name: 'mcp__lodeline__store-progress', input: { progress: 'Two stones are set' } },
        ],
      },
      step(1),
      step(2, `until [ -f ${gate} ]; do sleep 0.05; done`),
      { ...step(3), usage: { input_tokens: 195_000 } },
      { text: 'Not reached.' },
    ],
  },
]

const sent = (request: ModelRequest | undefined) => JSON.stringify(request?.body.messages)
const times = (text: string, part: string) => text.split(part).length - 1

describe.each(cliInTurn('recall in a run'))('Claude Code %s', (version) => {
  let lab: LabWith<'claude'>
  let folder: string
  let up: Bun.Subprocess<'ignore', 'ignore', 'inherit'>
  let client: Client
  beforeAll(async () => {
    folder = mkdtempSync('/tmp/ld-')
    writeFileSync(join(folder, 'script.json'), JSON.stringify(rules(join(folder, 'gate'))))
    const env = {
      LODELINE_HOME: folder,
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: '200000',
      // Newer models are given no to-do tools unless asked for.
      CLAUDE_CODE_ENABLE_TODO_TOOLS: '1',
    }
    lab = await openLab({ claude: { version, script: join(folder, 'script.json'), env } })
    const settings = {
      'agents.claude-code.homes': [lab.claude.claudeRoot],
      'listen.port': 0,
      'agents.claude-code.executable': cliPath(version),
      'worker.sandbox': 'off',
    }
    writeFileSync(join(folder, 'config.yaml'), JSON.stringify(settings))
    up = Bun.spawn([...LODE, 'up'], {
      cwd: lab.claude.project,
      env: lab.claude.environment(),
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'inherit',
    })
    const url = await until('the server', () => {
      if (up.exitCode !== null) throw new Error(`lode up ended with ${up.exitCode}`)
      return existsSync(join(folder, 'server.json')) && readServerUrl(join(folder, 'server.json'))
    })
    const token = readFileSync(join(folder, 'token'), 'utf8').trim()
    client = createClient(declared(httpTransport({ token, origin: url })), { baseUrl: url })
  })
  afterAll(async () => {
    up.kill('SIGTERM')
    expect(await up.exited).toBe(0)
    await lab.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('is told how to work at the start, reminded around a compaction, and finishes its task by a tool', async () => {
    const { task } = await client.tasks.create({ task: GOAL, dir: lab.claude.project })
    // The record follows the files: it is to hold the to-dos before the conversation is compacted.
    await until('the to-dos', async () => {
      const { todos } = await client.tasks.get(task.id)
      return todos.length === 2 && todos.some(({ status }) => status === 'in_progress')
    })
    writeFileSync(join(folder, 'gate'), '')
    for await (const line of client.tasks.followLog(task.id)) void line
    const { task: after } = await client.tasks.get(task.id)
    expect(after).toMatchObject({ status: 'completed', finishedBy: 'agent', output: 'The wall stands' })

    const asked = (rule: string) => lab.claude.requests().filter((request) => request.rule === rule)
    const first = sent(asked('work')[0])
    expect(first).toContain(GOAL)
    expect(times(first, 'You are working on a task of Lodeline')).toBe(1)

    const compaction = sent(asked('summary')[0])
    expect(times(compaction, 'GOAL REMINDER')).toBe(1)
    const next = sent(asked('after')[0])
    expect(times(next, 'The conversation was just compacted')).toBe(1)
    for (const text of [compaction, next])
      for (const part of [GOAL, 'Two stones are set', '\\"Fetch stones\\" (in progress)', '[ ] \\"Set stones\\"'])
        expect(text).toContain(part)
  })
})

function readServerUrl(path: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { url: string }).url
  } catch {
    return undefined
  }
}
