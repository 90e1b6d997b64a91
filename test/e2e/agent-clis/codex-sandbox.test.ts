/** The real Codex in Lodeline's sandbox, where its own is off: it works in its folder alone, and goes on in its thread. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolloutOf } from '../../../src/harness/codex/files'
import { CodexLab } from '../../agents/codex-lab'
import type { Step } from '../../agents/scripted-model'
import { needBubblewrap } from '../../lab/bubblewrap'
import { until } from '../../lab/until'

const shell = (cmd: string): Step => [{ tool: 'exec_command', args: { cmd, yield_time_ms: 30_000 } }]

/** Each by a command of the shell, where no rule for tools looks. */
const SCRIPTS: Record<string, Step[]> = {
  other: [[{ text: 'The word is MAGPIE.' }]],
  inside: [
    shell('touch inside.txt'),
    shell('touch ../outside.txt'),
    shell('echo x >> ~/.codex/config.toml'),
    // All but its own are no files there.
    shell('cat $(find ~/.codex/sessions -name "*.jsonl" ! -type f)'),
    shell('rm -f $(find ~/.codex/sessions -name "*.jsonl" ! -type f)'),
    [{ tool: 'store_progress', namespace: 'mcp__lodeline', args: { progress: 'I am inside.' } }],
    [{ text: 'Done inside.' }],
  ],
  again: [[{ text: 'Once more.' }]],
}

let lab: CodexLab
beforeAll(async () => {
  await needBubblewrap()
  lab = await CodexLab.start(SCRIPTS, { settings: { 'worker.sandbox': 'require', 'worker.deny': [] } })
})
afterAll(() => lab?.[Symbol.asyncDispose](), 60_000)

test('a sandboxed run works in its folder alone, has its tools, and goes on in its thread and in a copy', async () => {
  const other = await lab.codex.run('@@other say the word')
  const secret = rolloutOf(lab.codex.folder, other) ?? ''
  const before = [secret, join(lab.codex.folder, 'config.toml')].map((path) => readFileSync(path, 'utf8'))

  const task = await lab.done({ task: '@@inside stay inside' })
  expect(task).toMatchObject({ status: 'completed', output: 'Done inside.', progress: 'I am inside.' })
  expect(existsSync(join(lab.codex.project, 'inside.txt'))).toBe(true)
  expect(existsSync(join(lab.codex.project, '..', 'outside.txt'))).toBe(false)
  expect([secret, join(lab.codex.folder, 'config.toml')].map((path) => readFileSync(path, 'utf8'))).toEqual(before)
  expect(lab.shownWith('stay inside')).not.toContain('MAGPIE')
  const session = task.claudeSessionId ?? ''
  expect(rolloutOf(lab.codex.folder, session)).not.toBeNull()

  const { task: next } = await lab.lode.client.sessions.resume(session, { asTask: true, text: '@@again go on' })
  const again = await lab.ended(next?.id ?? task.id)
  expect(again).toMatchObject({ status: 'completed', output: 'Once more.' })
  expect((await lab.attempts(again.id)).at(-1)?.conversation).toMatchObject({ rung: 'native', sessionId: session })
  expect(lab.shownWith('go on')).toContain('Done inside.')

  const child = await lab.done({ task: '@@again the child', parentTaskId: again.id })
  const [copy] = await lab.attempts(child.id)
  expect(copy?.conversation).toMatchObject({ rung: 'snapshot', resumedSessionId: session })
  expect(lab.shownWith('the child')).toContain('Done inside.')
  const grandchild = await lab.done({ task: '@@again the grandchild', parentTaskId: child.id })
  expect(grandchild.output).toBe('Once more.')
  expect(lab.shownWith('the grandchild')).toContain('Done inside.')
})

test('a run that may change nothing needs the sandbox of Codex, and is refused where ours is required', async () => {
  const { id } = await lab.create({ task: '@@again look', permissionMode: 'plan', retryPolicy: { maximumAttempts: 1 } })
  const attempt = await until('the end', async () => (await lab.attempts(id)).find(({ outcome }) => outcome !== null))
  expect(attempt?.outcome).toBe('failed')
  expect((await lab.lode.client.tasks.get(id)).task.reason).toContain('requires a sandbox')
})
