/** `lode setup codex` with the real CLI: what the model is shown, and what is left after the hooks are removed. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseHookLine } from '../../src/util/hook-journal'
import { Codex } from '../agents/codex'
import { LODE } from '../lode-command'

const AT = { resume: 'This conversation continues', compact: 'The conversation was just compacted' }
const GOAL = 'rebuild the harbour wall before the storm'

let root: string
let codex: Codex
beforeEach(async () => {
  root = realpathSync(mkdtempSync('/var/tmp/ld-'))
  codex = await Codex.start(root, {
    hi: [[{ text: 'hello' }]],
    sends: [
      [{ tool: 'spawn_agent', namespace: 'multi_agent_v1', args: { message: 'Ask for it @@asks' } }],
      [{ tool: 'exec_command', args: { cmd: 'while [ ! -e sent ]; do sleep 0.1; done', yield_time_ms: 30_000 } }],
      [{ text: 'It was asked for.' }],
    ],
    asks: [
      [{ tool: 'send_task', namespace: 'mcp__lodeline', args: { title: 'Mortar', task: 'Mix mortar' } }],
      [{ tool: 'exec_command', args: { cmd: 'touch sent' } }],
      [{ text: 'Asked.' }],
    ],
  })
  mkdirSync(codex.folder)
})
afterEach(async () => {
  await codex[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})

async function lode(...args: string[]) {
  const child = Bun.spawn([...LODE, ...args], {
    cwd: codex.project,
    env: { PATH: `${codex.onPath()}:${process.env.PATH ?? ''}`, HOME: codex.home },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err, code }
}

const file = (name: string) => join(codex.folder, name)
const times = (part: string, text = codex.shown.at(-1) ?? '') => text.split(part).length - 1

test('a conversation gets its goal again after a resume and after a compaction, once each', async () => {
  await lode('session', 'list')
  expect(await lode('setup', 'codex')).toMatchObject({ code: 0, err: '' })
  expect(await lode('setup', 'codex', '--check')).toMatchObject({ code: 0 })
  expect((await lode('doctor')).out).toContain('Codex: set up')

  const thread = await codex.run(`@@hi ${GOAL}`)
  expect(times('Lodeline keeps the record of the work in')).toBe(1)
  await lode('session', 'list')
  await codex.run('@@hi and now?', { resume: thread })
  expect(times(AT.resume)).toBe(1)
  expect(codex.shown.at(-1)?.slice(codex.shown.at(-1)?.indexOf(AT.resume))).toContain(GOAL)
  await lode('session', 'list')
  // What stands in the conversation is above this limit, so that it is compacted before the turn.
  await codex.run('@@hi go on', { resume: thread, config: { model_auto_compact_token_limit: '500' } })
  expect(codex.shown.some((text) => text.includes('CONTEXT CHECKPOINT COMPACTION'))).toBe(true)
  expect(times(AT.compact)).toBe(1)
  const lines = readFileSync(join(codex.home, '.lodeline/hooks/hooks.jsonl'), 'utf8').trim().split('\n')
  const told = lines.map((line) => parseHookLine(Buffer.from(line)))
  expect(new Set(told.map((line) => line?.agent))).toEqual(new Set(['codex']))
  const { session } = JSON.parse((await lode('session', 'show', thread, '--json')).out)
  expect(session).toMatchObject({ id: thread, agent: 'codex' })
  const doctor = JSON.parse((await lode('doctor', '--json')).out)
  expect(doctor.unknownKinds).toEqual([])
})

test('a tool knows the session that calls it, by a sub-agent too', async () => {
  const args = JSON.stringify([...LODE.slice(1), 'mcp'])
  const server = `{command="${LODE[0]}",args=${args},default_tools_approval_mode="approve",startup_timeout_sec=60}`
  const thread = await codex.run('@@sends ask for mortar', { config: { 'mcp_servers.lodeline': server } })
  const { tasks } = JSON.parse((await lode('task', 'list', '--json')).out)
  expect(tasks).toMatchObject([{ title: 'Mortar', spawnedBy: { sessionId: thread } }])
})

test('a long reminder reaches the model whole', async () => {
  await lode('session', 'list')
  await lode('setup', 'codex')
  const goal = `${'Brick by brick. '.repeat(120)}${GOAL}`
  const thread = await codex.run(`@@hi ${goal}`)
  for (let n = 0; n < 3; n++) {
    await lode('session', 'list')
    await codex.run(`@@hi ${n} ${goal}`, { resume: thread })
  }
  expect(times('tokens truncated', codex.shown.join())).toBe(0)
})

test('hooks that nobody trusts run nowhere, and are told of', async () => {
  await lode('session', 'list')
  await lode('setup', 'codex')
  writeFileSync(file('config.toml'), '')
  await codex.run(`@@hi ${GOAL}`)
  expect(times('Lodeline')).toBe(0)
  expect(await lode('setup', 'codex', '--check')).toMatchObject({
    code: 3,
    out: expect.stringContaining('  skipped  Sess'),
  })
  expect((await lode('doctor')).out).toContain('Codex: skipped')
  expect((await lode('setup', 'codex')).out).toContain('  trust SessionStart')
  await codex.run(`@@hi ${GOAL}`)
  expect(times('Lodeline keeps the record')).toBe(1)
})

test('removing the hooks leaves both files as they were, and the hooks of others trusted', async () => {
  const others = (name: string) => [{ hooks: [{ type: 'command', command: `touch ${join(root, name)}` }] }]
  const before = {
    'hooks.json': `{\n  "hooks": { "Stop": ${JSON.stringify(others('stopped'))} }\n}\n`,
    'config.toml': '# mine\nmodel = "x"\n',
  }
  for (const [name, text] of Object.entries(before)) writeFileSync(file(name), text)
  await lode('setup', 'codex', '--dry-run')
  expect(readFileSync(file('hooks.json'), 'utf8')).toBe(before['hooks.json'])
  expect(existsSync(file('sessions'))).toBe(false)
  await lode('setup', 'codex')
  expect(readFileSync(file('hooks.json'), 'utf8')).toContain('hook --agent codex')
  // Only what is ours is trusted.
  await codex.run('@@hi')
  expect(existsSync(join(root, 'stopped'))).toBe(false)
  expect(await lode('setup', 'codex', '--remove')).toMatchObject({ code: 0, err: '' })
  for (const [name, text] of Object.entries(before)) expect(readFileSync(file(name), 'utf8')).toBe(text)
})

test('a hook that a person trusted stays trusted when ours before it goes', async () => {
  await lode('setup', 'codex')
  const hooks = JSON.parse(readFileSync(file('hooks.json'), 'utf8'))
  hooks.hooks.Stop.push({ hooks: [{ type: 'command', command: `touch ${join(root, 'stopped')}` }] })
  writeFileSync(file('hooks.json'), JSON.stringify(hooks))
  await trustAll()
  await lode('setup', 'codex', '--remove')
  expect(readFileSync(file('hooks.json'), 'utf8')).not.toContain('lode')
  expect(readFileSync(file('config.toml'), 'utf8')).toContain('hooks.json:stop:0:0')
  await codex.run('@@hi')
  expect(existsSync(join(root, 'stopped'))).toBe(true)
})

test('without any settings before, none are left', async () => {
  await lode('setup', 'codex')
  await lode('setup', 'codex', '--remove')
  expect(['hooks.json', 'config.toml'].filter((name) => existsSync(file(name)))).toEqual([])
})

test('it says what to do without the program, and where Codex keeps no hooks', async () => {
  const bare = Bun.spawnSync([...LODE, 'setup', 'codex'], {
    cwd: codex.project,
    env: { PATH: '/usr/bin:/bin', HOME: codex.home },
  })
  expect(bare.stderr.toString()).toContain('Codex was not found on PATH')
  expect(existsSync(file('hooks.json'))).toBe(false)
  expect((await lode('setup', 'codex', '--file', 'settings.json')).err).toContain('no file of hooks')
})

/** Has the CLI trust every hook, as a person does in its own view. */
async function trustAll(): Promise<void> {
  const { withAppServer } = await import('../../src/harness/codex/setup/app-server')
  const place = { executable: join(codex.onPath(), 'codex'), root: codex.folder }
  await withAppServer({ ...place, env: { PATH: process.env.PATH, HOME: codex.home } }, async ({ ask }) => {
    const { data } = (await ask('hooks/list', { cwds: [codex.folder] })) as { data: { hooks: Listed[] }[] }
    const edits = data
      .flatMap(({ hooks }) => hooks)
      .map(({ key, currentHash }) => ({
        keyPath: `hooks.state.${JSON.stringify(key)}.trusted_hash`,
        value: currentHash,
        mergeStrategy: 'upsert',
      }))
    await ask('config/batchWrite', { edits })
  })
}

interface Listed {
  key: string
  currentHash: string
}
