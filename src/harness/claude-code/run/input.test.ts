import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../../../test/lab/until'
import { mcpConfigFile, settingsFile } from './files'
import { interruptLine, permissionLine, userLine } from './input'

const ID = '0b0c5f0e-6a3a-4b7e-9a55-0f1f6f0a1b2c'

test('a message is one line, whatever it holds', () => {
  const text = 'two\nlines\r\n\u2028 and \u2029 "quoted" \\ \0'
  const line = userLine(text, ID, 'next')
  expect(line.match(/[\n\r\u2028\u2029]/g)).toEqual(['\n'])
  expect(JSON.parse(line)).toEqual({
    type: 'user',
    message: { role: 'user', content: text },
    uuid: ID,
    priority: 'next',
  })
})

test('half of a character is replaced: the model would refuse it for ever', () => {
  expect(JSON.parse(userLine('a\ud800b', ID, 'now')).message.content).toBe('a\ufffdb')
})

test('an interrupt carries the id that its answer will name', () => {
  expect(JSON.parse(interruptLine('i-1'))).toEqual({
    type: 'control_request',
    request_id: 'i-1',
    request: { subtype: 'interrupt' },
  })
})

test('an allowed call repeats its input, a denied one says why', () => {
  const response = (line: string) => JSON.parse(line).response
  expect(response(permissionLine('r', { behavior: 'allow', message: null, input: { command: 'ls' } }))).toEqual({
    subtype: 'success',
    request_id: 'r',
    response: { behavior: 'allow', updatedInput: { command: 'ls' } },
  })
  expect(
    response(permissionLine('r', { behavior: 'allow', message: null, input: 'odd' })).response.updatedInput,
  ).toEqual({})
  expect(response(permissionLine('r', { behavior: 'deny', message: 'No.', input: {} })).response).toEqual({
    behavior: 'deny',
    message: 'No.',
  })
  expect(response(permissionLine('r', { behavior: 'deny', message: null, input: {} })).response.message).toBeString()
})

const PLACE = { cwd: '/repo', userHome: '/home/user' }

test('the hooks of a run fire at every start of a session, before every compaction and before a launch', () => {
  const settings = JSON.parse(settingsFile({ ...PLACE, lode: ["/home/o'neil/my bin/lode"], denied: ['Bash(rm *)'] }))
  const hook = { type: 'command', command: `'/home/o'\\''neil/my bin/lode' hook --answer`, timeout: 10 }
  expect(settings).toEqual({
    hooks: {
      SessionStart: [{ hooks: [{ ...hook, command: expect.stringContaining(`else exec ${hook.command}; fi`) }] }],
      PreCompact: [{ hooks: [hook] }],
      PreToolUse: [{ matcher: 'Agent|Task', hooks: [hook] }],
    },
    permissions: { deny: ['Bash(rm *)'] },
    enabledPlugins: { 'lodeline@lodeline': false, 'lodeline@skills-dir': false },
  })
})

test('the command of a hook comes through a shell as it was given', async () => {
  const words = ['/bin/echo', '$HOME `id` "x"', "it's; rm -rf /", '']
  const { command } = JSON.parse(settingsFile({ ...PLACE, lode: words, denied: [] })).hooks.SessionStart[0].hooks[0]
  const shell = Bun.spawn(['/bin/sh', '-c', command], { stdout: 'pipe', env: { HOME: '/h' } })
  expect(await shell.stdout.text()).toBe(`${words.slice(1).join(' ')} hook --answer\n`)
})

test('the shell tells a run its start once, where the text is there, and the program is given the payload', async () => {
  const folder = mkdtempSync('/tmp/ld-')
  try {
    const [program, kept] = [join(folder, 'o"ur $lode'), join(folder, 'kept')]
    writeFileSync(program, `#!/bin/sh\nprintf '%s of %s\\n' "$*" "$(cat)" | tee -a '${kept}'\n`, { mode: 0o755 })
    const { command } = JSON.parse(settingsFile({ ...PLACE, lode: [program], denied: [] })).hooks.SessionStart[0]
      .hooks[0]
    const payload = `{"cwd":"it's \\\\ %s\n"}`
    const start = async (): Promise<string> => {
      const env = { PATH: process.env.PATH ?? '', LODELINE_RUN_DIR: folder, LODELINE_RUN_MOMENT: 'resume' }
      const shell = Bun.spawn(['/bin/sh', '-c', command], { stdin: Buffer.from(payload), stdout: 'pipe', env })
      return await shell.stdout.text()
    }
    const byProgram = `hook --answer of ${payload}\n`
    expect(await start()).toBe(byProgram)
    writeFileSync(join(folder, 'start-resume'), 'Your task is %s "$HOME".\n')
    const told = await Promise.all([start(), start(), start()])
    expect(told.sort()).toEqual(['Your task is %s "$HOME".\n', byProgram, byProgram])
    await until('the payload', () => readFileSync(kept, 'utf8').includes(`hook of ${payload}`))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test("a run's tools are reached with the attempt's token", () => {
  expect(
    JSON.parse(
      mcpConfigFile({ serverUrl: 'http://127.0.0.1:4100/', token: 'lat_x', root: '/nowhere', mcpServers: [] }),
    ),
  ).toEqual({
    mcpServers: {
      lodeline: { type: 'http', url: 'http://127.0.0.1:4100/mcp', headers: { Authorization: 'Bearer lat_x' } },
    },
  })
})

test('a run gets the MCP servers that the person named, as the settings of the CLI have them, and no other', () => {
  const folder = mkdtempSync('/tmp/ld-')
  const root = join(folder, '.claude')
  const options = { serverUrl: 'http://127.0.0.1:4100', token: 'lat_x', root }
  const named = (...mcpServers: string[]) =>
    Object.keys(JSON.parse(mcpConfigFile({ ...options, mcpServers })).mcpServers)
  try {
    expect(() => named('tickets')).toThrow('worker.mcpServers names tickets')
    const servers = { tickets: { command: 'tickets' }, secret: { command: 'secret' } }
    writeFileSync(join(folder, '.claude.json'), JSON.stringify({ mcpServers: servers }))
    expect(named('tickets')).toEqual(['tickets', 'lodeline'])
    expect(named()).toEqual(['lodeline'])
    expect(() => named('tickets', 'toString')).toThrow('no such MCP server')
    // The one in the configuration folder counts, where there is one.
    mkdirSync(root)
    writeFileSync(join(root, '.claude.json'), JSON.stringify({ mcpServers: { own: servers.tickets } }))
    expect(named('own')).toEqual(['own', 'lodeline'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
