/** Where work runs that was handed out without a folder: the real CLI and processes, a server that stands elsewhere. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Task } from '../../../src/domain/task/task'
import { type LabWith, openLab } from '../../lab/lab'
import { until } from '../../lab/until'
import { LODE } from '../../lode-command'

let lab: LabWith<'claude' | 'lode'>
let where: string
beforeAll(async () => {
  lab = await openLab({
    claude: { version: '2.1.328', script: 'folders' },
    lode: { settings: { 'worker.allow': ['Bash'] } },
  })
  where = join(lab.claude.project, 'where.txt')
  const elsewhere = join(lab.claude.root, 'elsewhere')
  mkdirSync(elsewhere)
  const server = lab.lode.spawn(['up'], {}, elsewhere)
  await until('the server', () => server.stdout().includes('Lodeline runs'))
})
afterAll(() => lab?.stop(), 30_000)

/** The part ran in the project, and left nothing in the home folder or where the server stands. */
function ranInProject(): void {
  expect(readFileSync(where, 'utf8').trim()).toBe(lab.claude.project)
  const strays = [lab.claude.home, join(lab.claude.root, 'elsewhere')].flatMap((folder) => readdirSync(folder))
  expect(strays).not.toContain('where.txt')
  rmSync(where)
}

test('what a lead hands out runs in the folder of its command, wherever the server was started', async () => {
  const { exitCode, stderr } = await lab.lode.lode('orchestrate', 'hand it out')
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('hand it out')])
  ranInProject()
})

test('what a person’s session hands out by the tools of `lode mcp` runs in the folder of that session', async () => {
  const lodeline = { command: LODE[0], args: [...LODE.slice(1), 'mcp'], env: { LODELINE_HOME: lab.lode.home } }
  const ended = await lab.claude.run({
    prompt: 'hand it out',
    args: ['--mcp-config', JSON.stringify({ mcpServers: { lodeline } }), '--permission-mode', 'bypassPermissions'],
  })
  expect(ended.exitCode).toBe(0)
  await until('the part', () => existsSync(where))
  await until(
    'its end',
    async () => (await lab.lode.json<{ tasks: Task[] }>('task', 'list')).tasks[0]?.status === 'completed',
  )
  ranInProject()
})

test('a bare request to the API is refused with what to pass', async () => {
  const { url } = JSON.parse(readFileSync(join(lab.lode.home, 'server.json'), 'utf8'))
  const token = readFileSync(join(lab.lode.home, 'token'), 'utf8').trim()
  const answer = await fetch(`${url}/api/tasks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ task: 'say where you are' }),
  })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ error: { code: 'invalid', hint: expect.stringContaining('`dir`') } })
})
