/** When `lode mcp` ends: an agent CLI that is killed says nothing, and leaves no process of ours behind. */
import { afterAll, afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { isAlive } from '../lab/processes'
import { until } from '../lab/until'
import { LODE } from '../lode-command'

const root = mkdtempSync('/tmp/ld-')
const started: number[] = []
afterEach(() => {
  for (const pid of started.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const env = { PATH: process.env.PATH ?? '', HOME: root, LODELINE_HOME: root }
const words = (...more: string[]) => [...LODE, 'mcp', ...more].map((word) => `'${word}'`).join(' ')
const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
const HELLO =
  line({
    ...{ id: 1, method: 'initialize' },
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }) + line({ method: 'notifications/initialized' })

test('with its agent CLI, also where another process holds its input open', async () => {
  // The shell stands for the CLI. An input that is opened to be written as well never ends.
  const cli = Bun.spawn(['sh', '-c', `mkfifo in; exec 3<>in; ${words()} <&3 & echo $! >&2; cat >&3; wait`], {
    ...{ cwd: root, env, stdin: new Blob([HELLO]), stdout: 'pipe', stderr: 'pipe' },
  })
  const [pid] = await firstLines(cli.stderr)
  started.push(cli.pid, Number(pid))
  const [answer = ''] = await firstLines(cli.stdout)
  expect(JSON.parse(answer)).toMatchObject({ id: 1, result: { serverInfo: { name: 'lodeline' } } })
  cli.kill('SIGKILL')
  await until('its end', () => !isAlive(Number(pid)))
})

test('with its input, also while a call waits for what takes ten minutes', async () => {
  const child = Bun.spawn([...LODE, 'mcp'], { cwd: root, env, stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
  started.push(child.pid)
  const args = { task: 'Nobody takes it', wait: true, waitMs: 600_000 }
  child.stdin.write(HELLO + line({ id: 2, method: 'tools/call', params: { name: 'send-task', arguments: args } }))
  child.stdin.end()
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000)
  expect(await child.exited).toBe(0)
  clearTimeout(timer)
  const said = await child.stdout.text()
  expect(said).toContain('"id":1')
  expect(said).not.toContain('"id":2')
  // What it wrote is kept.
  const list = Bun.spawnSync([...LODE, 'task', 'list'], { cwd: root, env })
  expect(list.stdout.toString()).toContain('Nobody takes it')
})

async function firstLines(stream: ReadableStream<Uint8Array>): Promise<string[]> {
  let text = ''
  const reader = stream.getReader()
  while (!text.includes('\n')) {
    const { done, value } = await reader.read()
    if (done) break
    text += new TextDecoder().decode(value)
  }
  reader.releaseLock()
  return text.trim().split('\n')
}
