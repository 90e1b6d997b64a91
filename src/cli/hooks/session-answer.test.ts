import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { LODE } from '../../../test/lode-command'
import { claudeCodeHooks as hooks } from '../../harness/claude-code/hooks'
import { openStore } from '../../store/open'
import { SESSION_VARIABLE } from '../sessions/session-environment'
import { leaveCleared, takeCleared } from './cleared-note'
import { cliProcess } from './cli-process'
import { hookAnswer } from './hook-answer'

const STARTUP = 'Lodeline keeps the record of the work in'
const REMINDED = 'Lodeline has no record of this conversation yet'

let home: string
beforeEach(async () => {
  home = mkdtempSync('/tmp/ld-')
  const store = await openStore({ path: join(home, 'lodeline.db'), mode: 'read-write', migrate: true })
  await store.close()
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const told = (payload: object, env: Record<string, string> = {}) =>
  hookAnswer({ payload: Buffer.from(JSON.stringify(payload)), env, home, elapsedMs: 0 })
const start = (source: string, session: string = crypto.randomUUID(), more: object = {}) => ({
  hook_event_name: 'SessionStart',
  session_id: session,
  source,
  cwd: home,
  ...more,
})

async function hookProcess(payload: object): Promise<{ out: string; err: string; code: number }> {
  const child = Bun.spawn([...LODE, 'hook', '--answer', '--home', home], {
    env: { PATH: process.env.PATH ?? '', HOME: home },
    stdin: Buffer.from(JSON.stringify(payload)),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

describe('a session that is no run', () => {
  test('is told at its start, by one of all hooks that are installed', async () => {
    const payload = start('startup')
    const answers = await Promise.all(Array.from({ length: 5 }, () => hookProcess(payload)))
    expect(answers.filter(({ out }) => out.startsWith(STARTUP))).toHaveLength(1)
    expect(answers.filter(({ out }) => out === '')).toHaveLength(4)
    expect(answers.every(({ code, err }) => code === 0 && err === '')).toBe(true)
  })

  test('is told nothing at other events, in a sub-agent, and with a token whose task is not named', async () => {
    for (const event of ['Stop', 'PostToolUse', 'SessionEnd', 'UserPromptSubmit'])
      expect(await told({ hook_event_name: event, session_id: 'x' })).toBe('')
    expect(await told(start('startup', 'a', { agent_id: 'b' }))).toBe('')
    expect(await told(start('startup'), { LODELINE_TOKEN: 'lat_x' })).toBe('')
    expect(await told(start('startup'))).toStartWith(STARTUP)
  })

  test('is not disturbed where there is no database, another schema, or no right to write', async () => {
    writeFileSync(join(home, 'told'), 'a file where the folder should be')
    expect(await told(start('resume'))).toStartWith(REMINDED)
    writeFileSync(join(home, 'lodeline.db'), 'no database')
    expect(await told(start('resume'))).toBe('')
    rmSync(join(home, 'lodeline.db'))
    expect(await told(start('resume'))).toBe('')
  })

  test('of a hostile name touches nothing and is told nothing', async () => {
    const before = readdirSync(home)
    for (const session of ['../../etc/x', 'a\0b', 'x'.repeat(10_000), '', "'; touch x; '", 'a/b'])
      for (const payload of [
        start('startup', session),
        { hook_event_name: 'SessionEnd', reason: 'clear', session_id: session },
      ])
        expect(await told(payload)).toBe('')
    expect(readdirSync(home)).toEqual(before)
  })
})

describe('what a process cleared', () => {
  test('is known to the same process, once, for a moment', () => {
    leaveCleared(home, '1@2', 'old')
    expect(takeCleared(home, '1@3')).toBeNull()
    expect(takeCleared(home, '1@2')).toBe('old')
    expect(takeCleared(home, '1@2')).toBeNull()
    leaveCleared(home, '1@2', 'older')
    const [name = ''] = readdirSync(join(home, 'told', 'cleared'))
    const long = new Date(Date.now() - 61_000)
    utimesSync(join(home, 'told', 'cleared', name), long, long)
    expect(takeCleared(home, '1@2')).toBeNull()
  })

  test('is the process above, past the shells that run a hook', async () => {
    const code = `const { cliProcess } = await import('${join(import.meta.dir, 'cli-process.ts')}'); console.log(cliProcess({ env: {} }))`
    const direct = Bun.spawn([process.execPath, '-e', code], { stdout: 'pipe' })
    const shell = Bun.spawn(['sh', '-c', `'${process.execPath}' -e "$CODE"; true`], {
      env: { PATH: process.env.PATH ?? '', CODE: code },
      stdout: 'pipe',
    })
    const [a, b] = await Promise.all([direct.stdout.text(), shell.stdout.text()])
    expect(b).toBe(a)
    if (process.platform === 'linux') expect(a).toStartWith(`${process.pid}@`)
    expect(cliProcess({ hooks, env: { CLAUDE_PID: 'not a number' } }, 2 ** 30)).toBeNull()
    expect(hooks.processOf({ CLAUDE_PID: 'not a number' })).toBeNull()
    expect(hooks.processOf({ CLAUDE_PID: '4711' })).toBe('4711')
  })
})

describe('the name of a session for its shell commands', () => {
  test('is exported by the file that the CLI names', async () => {
    const file = join(home, 'env')
    writeFileSync(file, 'export A=1\n')
    await told(start('startup', 'session-1'), { CLAUDE_ENV_FILE: file })
    expect(readFileSync(file, 'utf8')).toBe("export A=1\nexport LODELINE_SESSION_ID='session-1'\n")
  })

  test('is not written to what is no file, and no hostile one is written at all', () => {
    mkdirSync(join(home, 'folder'))
    symlinkSync('/dev/null', join(home, 'device'))
    for (const path of ['relative', join(home, 'folder'), join(home, 'device')])
      hooks.exportVariable({ CLAUDE_ENV_FILE: path }, SESSION_VARIABLE, 's')
    const file = join(home, 'env')
    hooks.exportVariable({ CLAUDE_ENV_FILE: file }, SESSION_VARIABLE, "x'; rm -rf /; '")
    expect(existsSync(file)).toBe(false)
  })
})
