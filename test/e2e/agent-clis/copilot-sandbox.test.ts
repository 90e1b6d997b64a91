/** The real Copilot CLI in a sandbox: it works in its folder, sees no other session, and goes on in its own and in a copy. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CopilotLab } from '../../agents/copilot-lab'
import type { ChatScripts, ChatStep } from '../../agents/scripted-chat'
import { needBubblewrap } from '../../lab/bubblewrap'
import { until } from '../../lab/until'

const OTHER = '11111111-1111-4111-8111-111111111111'
const shell = (command: string): ChatStep => [{ tool: 'bash', args: { command, description: 'Runs' } }]

const SCRIPTS: ChatScripts = {
  inside: [
    shell('touch inside.txt; touch ../outside.txt; touch ~/.copilot/settings.json ~/.cache/copilot/pkg/own'),
    shell(`ls ~/.copilot/session-state/${OTHER} | wc -l; ls ~/.cache/copilot/pkg`),
    [{ tool: 'lodeline-store-progress', args: { progress: 'I am inside.' } }],
    [{ text: 'Done inside.' }],
  ],
  again: [[{ text: 'Once more.' }]],
}

let lab: CopilotLab
beforeAll(async () => {
  await needBubblewrap()
  lab = await CopilotLab.start(SCRIPTS, { 'worker.sandbox': 'require' })
  const other = join(lab.copilot.folder, 'session-state', OTHER)
  mkdirSync(other, { recursive: true })
  writeFileSync(join(other, 'events.jsonl'), '')
})
afterAll(() => lab?.[Symbol.asyncDispose](), 60_000)

test('a sandboxed run works in its folder alone, unpacks nothing, and goes on in its session and in a copy', async () => {
  const task = await lab.done({ task: 'Stay inside @@inside' })
  expect(task).toMatchObject({ status: 'completed', output: 'Done inside.', progress: 'I am inside.' })
  expect(existsSync(join(lab.copilot.project, 'inside.txt'))).toBe(true)
  expect(existsSync(join(lab.copilot.project, '..', 'outside.txt'))).toBe(false)
  const shown = lab.shownWith('@@inside')
  // The other session is an empty folder there; the program is what the person's own is, to be read.
  expect(shown).toMatch(/\n0\n(?:linux|darwin)/)
  expect(shown).toContain('Read-only file system')
  const session = task.claudeSessionId
  await until('the record', async () => {
    const found = await lab.lode.client.sessions.get(session ?? '')
    return found.session.usage.outputTokens > 0
  })
  const { task: next } = await lab.lode.client.sessions.resume(session as never, {
    asTask: true,
    text: 'Go on @@again',
  })
  const again = await lab.ended(next?.id ?? ('' as never))
  expect(again).toMatchObject({ status: 'completed', output: 'Once more.' })
  expect((await lab.attempts(again.id)).at(-1)?.conversation).toMatchObject({ rung: 'native', sessionId: session })
  const child = await lab.done({ task: 'And a child @@again', parentTaskId: task.id })
  expect((await lab.attempts(child.id))[0]).toMatchObject({ outcome: 'completed', conversation: { rung: 'snapshot' } })
  expect(lab.shownWith('And a child')).toContain('Done inside.')
})
