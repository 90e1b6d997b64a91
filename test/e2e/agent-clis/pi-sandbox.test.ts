/** The real Pi in a sandbox: it works in its folder, reaches its model and Lodeline, and goes on in its session. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PiLab } from '../../agents/pi-lab'
import type { ChatScripts } from '../../agents/scripted-chat'
import { chatText } from '../../agents/scripted-chat'
import { needBubblewrap } from '../../lab/bubblewrap'

const SCRIPTS: ChatScripts = {
  inside: [
    [{ tool: 'bash', args: { command: 'touch inside.txt' } }],
    [{ tool: 'bash', args: { command: 'touch ../outside.txt' } }],
    [{ tool: 'mcp__lodeline__store-progress', args: { progress: 'I am inside.' } }],
    [{ text: 'Done inside.' }],
  ],
  again: [[{ text: 'Once more.' }]],
}

let lab: PiLab
beforeAll(async () => {
  await needBubblewrap()
  const settings = { 'worker.sandbox': 'require', 'worker.allow': ['Bash(touch *)'] }
  lab = await PiLab.start({ database: 'sqlite', scripts: SCRIPTS, settings })
})
afterAll(() => lab?.lab[Symbol.asyncDispose](), 60_000)

test('a sandboxed run works in its folder alone, has its tools, and goes on in its session', async () => {
  const task = await lab.done({ task: 'Stay inside @@inside' })
  expect(task).toMatchObject({ status: 'completed', output: 'Done inside.', progress: 'I am inside.' })
  expect(existsSync(join(lab.pi.project, 'inside.txt'))).toBe(true)
  expect(existsSync(join(lab.pi.project, '..', 'outside.txt'))).toBe(false)
  const session = (await lab.attempts(task.id))[0]?.conversation?.sessionId ?? ''
  const { task: next } = await lab.lode.client.sessions.resume(session as never, {
    asTask: true,
    text: 'Go on @@again',
  })
  const again = await lab.ended(next?.id ?? ('' as never))
  expect(again).toMatchObject({ status: 'completed', output: 'Once more.' })
  expect((await lab.attempts(again.id)).at(-1)?.conversation).toMatchObject({ rung: 'native', sessionId: session })
  expect(lab.pi.model.requests.at(-1)?.messages.map(chatText)).toContain('Done inside.')
})
