/**
 * A CLI that is killed between an agent's last words and the moment when its parent hears of them. Its file alone tells that it was done:
 * with no hook of Lodeline's, the result is offered, and read where the session goes on.
 */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cliInTurn } from '../lab/in-turn'
import { type LabWith, openLab } from '../lab/lab'
import { until } from '../lab/until'
import { LODE } from '../lode-command'

describe.each(cliInTurn('transcript end'))('Claude Code %s', (version) => {
  let lab: LabWith<'claude'>
  let server: Bun.Subprocess<'ignore', 'ignore', 'ignore'> | undefined

  beforeEach(async () => {
    // Holds the agent's end up, as a slow hook of anybody's does.
    const slow = { hooks: [{ type: 'command', command: 'sleep 40' }] }
    lab = await openLab({ claude: { version, script: 'unheard', settings: { hooks: { SubagentStop: [slow] } } } })
    await lode('config', 'set', 'worker.enabled', 'false')
    await lode('config', 'set', 'listen.port', '0')
    server = Bun.spawn([...LODE, 'up'], {
      cwd: lab.claude.project,
      env: lab.claude.environment(),
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    })
    await until('the server', () => existsSync(join(lab.claude.home, '.lodeline/server.json')))
  })
  afterEach(async () => {
    server?.kill('SIGTERM')
    await server?.exited
    await lab.stop()
  })

  async function lode(...args: string[]): Promise<string> {
    const child = Bun.spawn([...LODE, ...args], {
      cwd: lab.claude.project,
      env: lab.claude.environment(),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    expect([args, code, err]).toEqual([args, 0, expect.anything()])
    return out
  }

  test('its own transcript tells that it was done, and its result is unread', async () => {
    const session = crypto.randomUUID()
    const working = lab.claude.steer({ sessionId: session })
    working.send({ type: 'user', message: { role: 'user', content: 'look' } })
    const folder = join(lab.claude.transcripts, session, 'subagents')
    const files = () => (existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : [])
    await until('the last words', () =>
      files().some((name) => readFileSync(join(folder, name), 'utf8').includes('"end_turn"')),
    )
    await working.crash()
    const [id = ''] = files().map((name) => name.slice('agent-'.length, -'.jsonl'.length))
    type Work = { state: string; subagent: { id: string }; run: Record<string, unknown> }
    const recovered = async () => (JSON.parse(await lode('recover', '--json')) as { work: Work[] }).work
    await until('the end of the process to be seen', async () => (await recovered())[0]?.state === 'unread')
    expect(await recovered()).toMatchObject([
      {
        state: 'unread',
        subagent: { id },
        run: {
          status: 'completed',
          statusEvidence: 'transcript:end',
          resultPreview: 'The well is dry, and here is why.',
          readAt: null,
          noticedIn: null,
        },
      },
    ])
    expect(await lode('recover')).toContain('1 launch finished, unread by the parent')
    expect(await lode('subagent', 'output', id)).toBe('The well is dry, and here is why.\n')
  })
})
