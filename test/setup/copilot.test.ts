/** `lode setup copilot` with the real CLI: what the model is shown, and what is left after everything is removed. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { parseHookLine } from '../../src/util/hook-journal'
import { Copilot } from '../agents/copilot'
import { chatText } from '../agents/scripted-chat'
import { LODE } from '../lode-command'

const AT = {
  start: 'Lodeline keeps the record of the work in',
  resume: 'This conversation continues',
  compact: 'The conversation was just compacted',
}
const GOAL = 'rebuild the harbour wall before the storm'
const HEARS = '11111111-1111-4111-8111-111111111111'
const TELLS = '22222222-2222-4222-8222-222222222222'

let root: string
let copilot: Copilot
beforeEach(async () => {
  root = realpathSync(mkdtempSync('/var/tmp/ld-'))
  copilot = await Copilot.start(root, {
    hi: [[{ text: 'hello' }]],
    tells: [
      [{ tool: 'lodeline-send-message', args: { to: HEARS, text: 'the tide turns at noon' } }],
      [{ text: 'told' }],
    ],
  })
  mkdirSync(copilot.folder)
})
afterEach(async () => {
  await copilot[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})

async function lode(...args: string[]) {
  const child = Bun.spawn([...LODE, ...args], {
    cwd: copilot.project,
    env: { PATH: process.env.PATH ?? '', HOME: copilot.home },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

/** The CLI begins the hooks of a start and of the first prompt together: from now on, those of prompts are done first. */
function delayStarts(): void {
  const file = join(copilot.folder, 'hooks/lodeline.json')
  const text = readFileSync(file, 'utf8')
  const delayed = text.replace(/("SessionStart"[\s\S]*?"command": ")/, '$1sleep 0.2; ')
  expect(delayed).not.toBe(text)
  writeFileSync(file, delayed)
}

const shown = (): string => (copilot.model.requests.at(-1)?.messages ?? []).map(chatText).join('\n')
const times = (part: string, text = shown()) => text.split(part).length - 1
const afterLast = (part: string) => shown().slice(shown().lastIndexOf(part))

test('a conversation gets its goal again after a resume and after a compaction, once each, and has the tools', async () => {
  await lode('session', 'list')
  expect(await lode('setup', 'copilot')).toMatchObject({ code: 0, err: '' })
  expect(await lode('setup', 'copilot', '--check')).toMatchObject({ code: 0 })
  expect((await lode('doctor')).out).toContain('Copilot CLI: set up')

  delayStarts()
  // Long: what stands in the reminder reaches the model whole.
  const id = await copilot.run(`@@hi ${'Brick by brick. '.repeat(120)}${GOAL}`)
  expect(times(AT.start)).toBe(1)
  expect(copilot.model.requests.at(-1)?.tools?.map(({ function: own }) => own?.name)).toContain('lodeline-update-todos')
  await lode('session', 'list')
  await copilot.run('@@hi and now?', { session: id })
  expect(times(AT.resume)).toBe(1)
  expect(afterLast(AT.resume)).toContain(GOAL)
  expect(afterLast(AT.resume)).toContain('</system_reminder>')
  await lode('session', 'list')
  // In one process: a resume, a compaction, and a prompt after it.
  await copilot.converse(['@@hi once more', '/compact', '@@hi go on', '@@hi and on'], id)
  expect(times(AT.compact)).toBe(1)
  expect(afterLast(AT.compact)).toContain(GOAL)

  const lines = readFileSync(join(copilot.home, '.lodeline/hooks/hooks.jsonl'), 'utf8').trim().split('\n')
  expect(new Set(lines.map((line) => parseHookLine(Buffer.from(line))?.agent))).toEqual(new Set(['copilot']))
  const { session } = JSON.parse((await lode('session', 'show', id, '--json')).out)
  expect(session).toMatchObject({ id, agent: 'copilot' })
  expect(JSON.parse((await lode('doctor', '--json')).out).unknownKinds).toEqual([])
})

test('a tool knows the session that calls it, and a message comes with the next prompt, once', async () => {
  await lode('session', 'list')
  await lode('setup', 'copilot')
  await copilot.run('@@hi', { session: HEARS })
  await lode('session', 'list')
  await copilot.run('@@tells', { session: TELLS })
  await lode('session', 'list')
  await copilot.converse(['@@hi what now?', '@@hi and then?'], HEARS)
  expect(times('the tide turns at noon')).toBe(1)
  expect(shown()).toContain(`session ${TELLS}`)
})

test('removing leaves every file as it was', async () => {
  const file = (name: string) => join(copilot.folder, name)
  const config =
    '{\n  "mcpServers": { "mine": { "type": "local", "command": "true", "args": [], "tools": ["*"] } }\n}\n'
  writeFileSync(file('mcp-config.json'), config)
  const before = readdirSync(copilot.folder)
  const dry = await lode('setup', 'copilot', '--dry-run')
  expect(dry.out).toContain('  + mcpServers.lodeline: ')
  expect(readdirSync(copilot.folder)).toEqual(before)
  await lode('setup', 'copilot')
  expect(existsSync(file('hooks/lodeline.json'))).toBe(true)
  expect(Object.keys(JSON.parse(readFileSync(file('mcp-config.json'), 'utf8')).mcpServers)).toEqual([
    'mine',
    'lodeline',
  ])
  expect((await lode('setup', 'copilot')).out).toStartWith('already set up')
  expect(await lode('setup', 'copilot', '--remove')).toMatchObject({ code: 0, err: '' })
  expect(readdirSync(copilot.folder)).toEqual(before)
  expect(readFileSync(file('mcp-config.json'), 'utf8')).toBe(config)
})

test('what is not its own is refused, and nothing is changed', async () => {
  const file = join(copilot.folder, 'mcp-config.json')
  writeFileSync(file, '{"mcpServers":{"lodeline":{"type":"local","command":"other","args":[]}}}')
  expect((await lode('setup', 'copilot')).err).toContain('already has an MCP server named lodeline')
  expect((await lode('setup', 'copilot', '--remove')).out).toStartWith('no Lodeline hooks in')
  expect((await lode('setup', 'copilot', '--file', 'settings.json')).err).toContain('no file of hooks')
  expect(readdirSync(copilot.folder)).toEqual(['mcp-config.json'])
  rmSync(copilot.folder, { recursive: true })
  expect((await lode('setup', 'copilot')).err).toContain("Start 'copilot' once")
})
