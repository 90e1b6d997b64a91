/** `lode setup opencode` with the real CLI: what the model is shown, and what is left after the plugin is removed. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Opencode } from '../agents/opencode'
import { chatText } from '../agents/scripted-chat'
import { LODE } from '../lode-command'

const GOAL = 'rebuild the harbour wall before the storm'

let root: string
let opencode: Opencode
beforeAll(async () => {
  root = realpathSync(mkdtempSync('/var/tmp/ld-'))
  opencode = await Opencode.start(root, {
    who: [
      [{ tool: 'bash', args: { command: 'echo session=$LODELINE_SESSION_ID', description: 'Asks' } }],
      [{ tool: 'task', args: { description: 'Asks', prompt: 'Ask for it @@asks', subagent_type: 'general' } }],
      [{ text: 'ok' }],
    ],
    asks: [[{ tool: 'lodeline_send-task', args: { title: 'Mortar', task: 'Mix mortar' } }], [{ text: 'Asked.' }]],
  })
})
afterAll(async () => {
  await opencode?.[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})

async function lode(...args: string[]) {
  const child = Bun.spawn([...LODE, ...args], {
    cwd: opencode.project,
    env: { PATH: process.env.PATH ?? '', HOME: opencode.home },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

const file = () => join(opencode.home, '.config/opencode/plugin/lodeline.js')
/** What the model was sent last with its tools. */
const last = () => {
  const request = opencode.model.requests.findLast(({ tools }) => tools !== undefined)
  return {
    text: request?.messages.map(chatText).join('\n') ?? '',
    tools: request?.tools?.map((tool) => tool.function?.name) ?? [],
  }
}

test('a person’s sessions get their goal again, and the tools of Lodeline; removed, nothing of it is left', async () => {
  await lode('session', 'list')
  expect((await lode('setup', 'opencode', '--dry-run')).code).toBe(0)
  expect(existsSync(file())).toBe(false)
  expect((await lode('setup', 'opencode', '--check')).code).not.toBe(0)
  expect(await lode('setup', 'opencode')).toMatchObject({ code: 0, err: '' })
  expect((await lode('setup', 'opencode')).out).toContain('lodeline.js')
  expect((await lode('setup', 'opencode', '--check')).code).toBe(0)
  expect((await lode('doctor')).out).toContain('opencode: set up')

  const session = await opencode.run(GOAL)
  expect(last().text).toContain('Lodeline keeps the record of the work in')
  expect(last().tools.some((name) => name?.startsWith('lodeline_'))).toBe(true)
  await lode('session', 'list')
  // One process resumes it and compacts it: each start costs seconds.
  await using served = await opencode.serve()
  await served.post(`/session/${session}/message`, { parts: [{ type: 'text', text: '@@who and now?' }] })
  const { text } = last()
  expect(text.slice(text.indexOf('This conversation continues'))).toContain(GOAL)
  expect(text).toContain(`session=${session}`)
  await served.post(`/session/${session}/summarize`, { providerID: 'local', modelID: 'scripted-model' })
  await served.post(`/session/${session}/message`, { parts: [{ type: 'text', text: 'And the rest?' }] })
  const compacted = last().text
  expect(compacted).not.toContain('and now?')
  expect(compacted.slice(compacted.indexOf('The conversation was just compacted'))).toContain(GOAL)
  // A tool knows whose sub-agent calls it.
  const { tasks } = JSON.parse((await lode('task', 'list', '--json')).out)
  expect(tasks).toMatchObject([{ title: 'Mortar', spawnedBy: { sessionId: session } }])

  expect((await lode('setup', 'opencode', '--remove')).code).toBe(0)
  expect(existsSync(join(opencode.home, '.config/opencode/plugin'))).toBe(false)
  await opencode.run('Once more')
  expect(last().text).not.toContain('Lodeline keeps')
})

test('a file that Lodeline did not write stays as it is', async () => {
  mkdirSync(join(file(), '..'), { recursive: true })
  writeFileSync(file(), 'export const Mine = async () => ({})\n')
  expect((await lode('setup', 'opencode', '--check')).code).toBe(3)
  for (const words of [[], ['--remove']]) {
    const { code, err } = await lode('setup', 'opencode', ...words)
    expect(code).not.toBe(0)
    expect(err).toContain('is not a file that Lodeline wrote')
  }
  expect(await Bun.file(file()).text()).toContain('Mine')
  expect(readdirSync(join(file(), '..'))).toEqual(['lodeline.js'])
})
