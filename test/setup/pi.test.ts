/** `lode setup pi` with the real CLI: what the model is shown, and what is left after the extension is removed. */
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
import { Pi } from '../agents/pi'
import { chatText } from '../agents/scripted-chat'
import { LODE } from '../lode-command'

const AT = {
  start: 'Lodeline keeps the record of the work in',
  resume: 'This conversation continues',
  compact: 'The conversation was just compacted',
}
const GOAL = 'rebuild the harbour wall before the storm'
const NOTE = { tool: 'mcp__lodeline__send-message', args: { to: 'parent', text: 'the tide turns at noon' } }

let root: string
let pi: Pi
beforeEach(async () => {
  root = realpathSync(mkdtempSync('/var/tmp/ld-'))
  pi = await Pi.start(root, { hi: [[{ text: 'hello' }]], tells: [[NOTE], [{ text: 'told' }]] })
})
afterEach(async () => {
  await pi[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})

async function lode(...args: string[]) {
  const child = Bun.spawn([...LODE, ...args], {
    cwd: pi.project,
    env: { PATH: process.env.PATH ?? '', HOME: pi.home },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

const file = () => join(pi.folder, 'extensions', 'lodeline.js')
const shown = (): string => (pi.model.requests.at(-1)?.messages ?? []).map(chatText).join('\n')
const times = (part: string, text = shown()) => text.split(part).length - 1
const afterLast = (part: string) => shown().slice(shown().lastIndexOf(part))

test('a conversation gets its goal again after a resume and after a compaction, once each', async () => {
  await lode('session', 'list')
  expect(await lode('setup', 'pi')).toMatchObject({ code: 0, err: '' })
  expect(await lode('setup', 'pi', '--check')).toMatchObject({ code: 0 })
  expect((await lode('doctor')).out).toContain('Pi: set up')

  const id = await pi.run(`So @@hi ${GOAL}`)
  expect(times(AT.start)).toBe(1)
  await lode('session', 'list')
  await pi.run('So @@hi and now?', { resume: id })
  expect(times(AT.resume)).toBe(1)
  expect(afterLast(AT.resume)).toContain(GOAL)
  await lode('session', 'list')
  const settings = join(pi.folder, 'settings.json')
  const compaction = { enabled: true, keepRecentTokens: 1 }
  writeFileSync(settings, JSON.stringify({ ...JSON.parse(readFileSync(settings, 'utf8')), compaction }))
  await pi.converse(id, ['So @@hi once more', null, 'So @@hi go on', 'So @@hi and on'])
  expect(times(AT.compact)).toBe(1)
  expect(afterLast(AT.compact)).toContain(GOAL)

  const lines = readFileSync(join(pi.home, '.lodeline/hooks/hooks.jsonl'), 'utf8').trim().split('\n')
  expect(new Set(lines.map((line) => parseHookLine(Buffer.from(line))?.agent))).toEqual(new Set(['pi']))
  const { session } = JSON.parse((await lode('session', 'show', id, '--json')).out)
  expect(session).toMatchObject({ id, agent: 'pi' })
  expect(JSON.parse((await lode('doctor', '--json')).out).unknownKinds).toEqual([])
})

test('a tool knows the session that calls it, and a message comes with the next prompt, once', async () => {
  await lode('session', 'list')
  const hears = await pi.run('So @@hi')
  await lode('session', 'list')
  await lode('setup', 'pi')
  NOTE.args.to = hears
  const tells = await pi.run('So @@tells')
  await pi.converse(hears, ['So @@hi what now?', 'So @@hi and then?'])
  expect(times('the tide turns at noon')).toBe(1)
  expect(shown()).toContain(`session ${tells}`)
})

test('without Lodeline the session goes on, and asks once only', async () => {
  await lode('setup', 'pi')
  const counted = join(root, 'asked')
  const text = readFileSync(file(), 'utf8')
  writeFileSync(file(), text.replace(/"lode":"[^"]+"/, `"lode":"sh -c 'echo asked >> ${counted}; exit 9'"`))
  const id = await pi.run('So @@hi')
  rmSync(counted)
  await pi.converse(id, ['So @@hi one', 'So @@tells', 'So @@hi two'])
  expect(readFileSync(counted, 'utf8')).toBe('asked\n')
  expect(shown()).toContain('Lodeline is not there in this session any more.')
})

test('removing leaves the folder as it was, and what is not its own is refused', async () => {
  const before = readdirSync(pi.folder)
  expect((await lode('setup', 'pi', '--dry-run')).out).toContain('  + extension: ')
  expect(readdirSync(pi.folder)).toEqual(before)
  await lode('setup', 'pi')
  expect(existsSync(file())).toBe(true)
  expect((await lode('setup', 'pi')).out).toStartWith('already set up')
  writeFileSync(file(), `${readFileSync(file(), 'utf8')}// of an older release\n`)
  expect(await lode('setup', 'pi', '--check')).toMatchObject({
    code: 3,
    out: expect.stringContaining('  old      ext'),
  })
  await lode('setup', 'pi', '--update-hooks')
  expect(await lode('setup', 'pi', '--remove')).toMatchObject({ code: 0, err: '' })
  expect(readdirSync(pi.folder)).toEqual(before)

  mkdirSync(join(pi.folder, 'extensions'))
  writeFileSync(file(), 'export default () => {}\n')
  expect((await lode('setup', 'pi')).err).toContain('is an extension of somebody else')
  expect((await lode('setup', 'pi', '--remove')).out).toStartWith('no Lodeline hooks in')
  expect(readFileSync(file(), 'utf8')).toBe('export default () => {}\n')
})
