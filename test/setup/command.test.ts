/** `lode setup claude` as a person types it. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { dispatch } from '../../src/cli/dispatch'
import { fakeIo } from '../../src/cli/kit/fake-io'
import { LODE } from '../lode-command'

const root = resolve(import.meta.dir, '../..')

let home: string
beforeEach(() => {
  home = realpathSync(mkdtempSync('/tmp/ld-'))
  mkdirSync(join(home, 'bin'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function lode(args: string[], more: { env?: Record<string, string>; cwd?: string; stdin?: string } = {}) {
  const child = Bun.spawnSync([...LODE, ...args], {
    cwd: more.cwd ?? home,
    env: { PATH: `${join(home, 'bin')}:${process.env.PATH ?? ''}`, HOME: home, ...more.env },
    stdin: more.stdin === undefined ? 'ignore' : Buffer.from(more.stdin),
  })
  return { out: child.stdout.toString(), err: child.stderr.toString(), code: child.exitCode }
}
const claude = (version: string) => {
  writeFileSync(join(home, 'bin', 'claude'), `#!/bin/sh\necho '${version} (Claude Code)'\n`)
  chmodSync(join(home, 'bin', 'claude'), 0o755)
}
const settings = () => join(home, '.claude', 'settings.json')

test('installs the program by its absolute path, says what it adds, and checks it', () => {
  claude('2.1.328')
  const before = lode(['setup', 'claude', '--check'])
  expect([before.code, before.out]).toEqual([3, expect.stringContaining('missing  SessionStart')])
  const done = lode(['setup', 'claude', '--user'])
  expect(done.code).toBe(0)
  const { hooks } = JSON.parse(readFileSync(settings(), 'utf8'))
  const { command } = hooks.SessionStart[0].hooks[0]
  expect(command).toBe(`${join(root, 'bin/lode')} hook --answer`)
  for (const event of Object.keys(hooks)) expect(done.out).toContain(`+ ${event}`)
  expect(lode(['setup', 'claude', '--check'])).toMatchObject({ code: 0 })
  expect(lode(['setup', 'claude']).out).toStartWith('already set up')
  lode(['setup', 'claude', '--remove'])
  expect(existsSync(settings())).toBe(false)
})

test('says when the release hides the to-do tools, and switches them on when asked', () => {
  claude('2.1.328')
  expect(lode(['setup', 'claude']).err).toContain('--todo-tools on, which sets CLAUDE_CODE_ENABLE_TODO_TOOLS=1')
  expect(lode(['setup', 'claude', '--todo-tools', 'on']).err).toBe('')
  expect(JSON.parse(readFileSync(settings(), 'utf8')).env).toEqual({ CLAUDE_CODE_ENABLE_TODO_TOOLS: '1' })
  expect(lode(['setup', 'claude', '--todo-tools', 'off']).out).toContain('- env CLAUDE_CODE_ENABLE_TODO_TOOLS')
  expect(JSON.parse(readFileSync(settings(), 'utf8')).env).toBeUndefined()
  lode(['setup', 'claude', '--todo-tools', 'on'])
  expect(lode(['setup', 'claude', '--remove']).out).toContain('- env CLAUDE_CODE_ENABLE_TODO_TOOLS')
  expect(existsSync(settings())).toBe(false)
  expect(lode(['setup', 'claude', '--todo-tools', 'maybe'])).toMatchObject({ code: 2 })
  claude('2.1.240')
  expect(lode(['setup', 'claude', '--check']).err).not.toContain('on a tool search')
  claude('2.1.197')
  expect(lode(['setup', 'claude']).err).toBe('')
})

test('a dry run shows all files as one diff with what each part is for, and writes nothing', () => {
  claude('2.1.330')
  const servers = join(home, '.claude.json')
  writeFileSync(servers, '{"numStartups": 3}\n')
  const { out, code } = lode(['setup', 'claude', '--dry-run', '--mcp', '--statusline', '--mod'])
  expect(code).toBe(0)
  for (const part of ['hooks', 'MCP server', 'status line', 'mod'])
    expect(out).toMatch(new RegExp(`^${part}: \\w`, 'm'))
  for (const path of [settings(), servers, join(home, '.claude/skills/lodeline/hooks/register.ts')])
    expect(out).toContain(`+++ ${path}`)
  expect(out).toMatch(/^\+ .*"matcher": "TodoWrite\|/m)
  expect(out).toMatch(/^-\{"numStartups": 3\}\n\+\{"numStartups": 3,.*lode mcp/m)
  expect(existsSync(settings())).toBe(false)
  expect(readFileSync(servers, 'utf8')).toBe('{"numStartups": 3}\n')
})

test('the MCP server goes into the file of its place, is checked, runs, and goes again byte for byte', () => {
  claude('2.1.330')
  const project = join(home, 'p')
  mkdirSync(project)
  Bun.spawnSync(['git', 'init', '-q', project])
  const places = [
    {
      path: join(home, '.claude.json'),
      words: [],
      before: '{\n\t"mcpServers" : { "mine": {"command":"x"} },  "n": 1 }',
    },
    { path: join(project, '.mcp.json'), words: ['--project'], before: null },
  ]
  for (const { path, words, before } of places) {
    if (before !== null) writeFileSync(path, before)
    const at = { cwd: project }
    expect(lode(['setup', 'claude', ...words, '--check', '--mcp'], at).out).toContain('missing  mcpServers.lodeline')
    expect(lode(['setup', 'claude', ...words, '--mcp'], at).out).toContain('+ mcpServers.lodeline')
    const { mcpServers } = JSON.parse(readFileSync(path, 'utf8'))
    expect(Object.keys(mcpServers)).toEqual(before === null ? ['lodeline'] : ['mine', 'lodeline'])
    const { command, args } = mcpServers.lodeline
    const listed = Bun.spawnSync([command, ...args], {
      env: { PATH: process.env.PATH ?? '', HOME: home },
      stdin: Buffer.from(
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n',
      ),
    })
    expect(listed.stdout.toString()).toContain('"serverInfo"')
    // Without the option it is kept up to date, and no more.
    expect(lode(['setup', 'claude', ...words], at).out).toStartWith('already set up')
    expect(lode(['setup', 'claude', ...words, '--check'], at)).toMatchObject({ code: 0 })
    expect(lode(['setup', 'claude', ...words, '--remove'], at).out).toContain('- mcpServers.lodeline')
    expect(existsSync(path) ? readFileSync(path, 'utf8') : null).toBe(before)
  }
  writeFileSync(join(home, '.claude.json'), '{"mcpServers":{"lodeline":{"command":"other"}}}')
  const refused = lode(['setup', 'claude', '--mcp'])
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('already has an MCP server named lodeline')])
  expect(existsSync(settings())).toBe(false)
  expect(lode(['setup', 'claude', '--local', '--mcp'], { cwd: project })).toMatchObject({ code: 2 })
})

test('at a terminal it offers the MCP server and the status line, shows the diff, and changes nothing without a yes', async () => {
  claude('2.1.330')
  const env = { HOME: home, LODELINE_HOME: join(home, 'lode'), PATH: `${join(home, 'bin')}:${process.env.PATH}` }
  const typed = async (...answers: string[]) => {
    const io = fakeIo({ env, cwd: home, columns: 80, answers })
    const code = await dispatch(['setup', 'claude'], io, new AbortController().signal)
    expect(code).toBe(0)
    return io
  }
  const no = await typed('y', 'y', 'n')
  expect(no.stdout).toContain('+++')
  expect(no.stderr).toContain('nothing was changed')
  expect([existsSync(settings()), existsSync(join(home, '.claude.json'))]).toEqual([false, false])
  await typed('n', 'y', 'y')
  expect(readFileSync(settings(), 'utf8')).toContain('statusline')
  expect(existsSync(join(home, '.claude.json'))).toBe(false)
  // What is there is not offered again.
  await typed('y', 'y')
  expect(readFileSync(join(home, '.claude.json'), 'utf8')).toContain('mcp')
  const { stdout } = await typed('unasked')
  expect(stdout).toStartWith('already set up')
})

test('takes the project, this machine alone, or a file; another home is named to the hooks', () => {
  claude('2.1.197')
  const project = join(home, 'p', 'sub')
  mkdirSync(project, { recursive: true })
  Bun.spawnSync(['git', 'init', '-q', join(home, 'p')])
  lode(['setup', 'claude', '--project'], { cwd: project })
  expect(existsSync(join(home, 'p', '.claude', 'settings.json'))).toBe(true)
  lode(['setup', 'claude', '--local', '--home', join(home, 'other home')], { cwd: project })
  expect(readFileSync(join(home, 'p', '.claude', 'settings.local.json'), 'utf8')).toContain(
    `lode --home '${join(home, 'other home')}' hook`,
  )
  lode(['setup', 'claude', '--file', 'x.json'])
  expect(existsSync(join(home, 'x.json'))).toBe(true)
  expect(lode(['setup', 'claude', '--file', 'x.json', '--user'])).toMatchObject({ code: 2 })
  expect(existsSync(settings())).toBe(false)
})

test('the rows work as they stand, whatever the folders are called', () => {
  claude('2.1.197')
  const other = join(home, "a 'strange' home")
  lode(['setup', 'claude', '--home', other])
  const { hooks } = JSON.parse(readFileSync(settings(), 'utf8'))
  const { command } = hooks.Stop[0].hooks[0]
  const run = Bun.spawnSync(['sh', '-c', command], {
    env: { PATH: process.env.PATH ?? '', HOME: home },
    stdin: Buffer.from('{"session_id":"s","hook_event_name":"Stop"}'),
  })
  expect([run.exitCode, run.stdout.toString(), run.stderr.toString()]).toEqual([0, '', ''])
  expect(readFileSync(join(other, 'hooks', 'hooks.jsonl'), 'utf8')).toContain('"Stop"')
  expect(lode(['setup', 'claude', '--remove', '--home', other]).code).toBe(0)
  expect(existsSync(settings())).toBe(false)
})

test('names the plugin', () => {
  const { out } = lode(['setup', 'claude', '--plugin'])
  expect(out).toContain(`claude --plugin-dir ${join(root, 'plugin')}`)
  expect(out).toContain(`claude plugin marketplace add ${root}\n`)
})

test('a hand-over takes what is piped to it, and an unknown issue is said', () => {
  const { out, code } = lode(['handoff', '--json'], { stdin: 'Mind the cat\n' })
  expect(code).toBe(0)
  expect(JSON.parse(out).handoff).toMatchObject({ note: 'Mind the cat', folder: home, sessionId: null })
  expect(lode(['handoff', 'x', '--to', 'ld-none'])).toMatchObject({
    code: 3,
    err: expect.stringContaining('no issue ld-none'),
  })
  expect(lode(['handoff', 'x', '--to', 'issue'])).toMatchObject({ code: 3 })
  expect(lode(['handoff'], { stdin: '' })).toMatchObject({
    code: 2,
    err: expect.stringContaining('nothing to hand over'),
  })
  expect(lode(['prime']).out).toContain('Mind the cat')
})
