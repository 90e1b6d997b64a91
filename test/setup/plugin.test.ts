/** The plugin's folder: in step with the program, good in the eyes of the CLI, and at work in it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { FIRST_WITH_MODS } from '../../src/app/mod/install-mod'
import { groupOf, hookRows } from '../../src/harness/claude-code/setup/hook-rows'
import { FIRST_MOD_CLI } from '../../src/util/claude-cli'
import { claudeCli } from '../claude-cli'
import { CLI_VERSIONS, type CliVersion, cliPath, OUTER_CLIS } from '../lab/claude'
import { openLab } from '../lab/lab'

const root = resolve(import.meta.dir, '../..')
const plugin = join(root, 'plugin')
const json = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))

let folder: string
beforeAll(() => {
  folder = mkdtempSync('/tmp/ld-')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('has the version of the package', () => {
  expect(json('plugin/.claude-plugin/plugin.json').version).toBe(json('package.json').version)
})

test('has the hooks that a set-up adds, of events that every release knows', () => {
  const hooks: Record<string, unknown[]> = {}
  for (const row of hookRows(`"$\{CLAUDE_PLUGIN_ROOT}/bin/lode"`, null))
    hooks[row.event] = [...(hooks[row.event] ?? []), groupOf(row)]
  expect(json('plugin/hooks/hooks.json').hooks).toEqual(hooks)
})

describe('its launcher', () => {
  const run = (args: string[], env: Record<string, string>) => {
    const child = Bun.spawnSync([join(plugin, 'bin/lode'), ...args], { env, stdin: Buffer.from('{}') })
    return { out: child.stdout.toString().trim(), err: child.stderr.toString(), code: child.exitCode }
  }

  test('starts the program that the plugin stands beside', () => {
    expect(statSync(join(plugin, 'bin/lode')).mode & 0o111).not.toBe(0)
    const { out, code } = run(['version'], { PATH: process.env.PATH ?? '', HOME: folder, CLAUDE_PLUGIN_ROOT: plugin })
    expect([code, out]).toEqual([0, expect.stringContaining(json('package.json').version)])
  })

  test('copied to elsewhere it takes the one on PATH, and without one a hook stays silent', () => {
    const copy = join(folder, 'cache', 'plugin')
    cpSync(plugin, copy, { recursive: true })
    const alone = { PATH: '/usr/bin:/bin', HOME: folder, CLAUDE_PLUGIN_ROOT: copy }
    expect(run(['hook'], alone)).toEqual({ out: '', err: '', code: 0 })
    expect(run(['mcp'], alone)).toMatchObject({ code: 1, err: expect.stringContaining('not installed') })
    mkdirSync(join(folder, 'bin'))
    writeFileSync(join(folder, 'bin', 'lode'), '#!/bin/sh\necho "mine $*"\n')
    chmodSync(join(folder, 'bin', 'lode'), 0o755)
    expect(run(['hook'], { ...alone, PATH: `${join(folder, 'bin')}:/usr/bin:/bin` }).out).toBe('mine hook')
  })
})

test('the first release with mods is the one that is pinned for them', () => {
  expect(FIRST_MOD_CLI).toBe(FIRST_WITH_MODS)
})

const withMods: CliVersion[] = [
  ...CLI_VERSIONS.filter((version) => Bun.semver.order(version, FIRST_WITH_MODS) > 0),
  FIRST_MOD_CLI,
]

test.each(withMods)('its mod passes its own tests in Claude Code %s', async (version) => {
  // The CLI writes its types beside what it tests.
  const copy = join(folder, `mod-${version}`)
  cpSync(plugin, copy, { recursive: true })
  const child = Bun.spawn([version === FIRST_MOD_CLI ? claudeCli(version) : cliPath(version), 'plugin', 'test'], {
    cwd: copy,
    env: {
      PATH: '/usr/bin:/bin',
      HOME: join(folder, version),
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect([code, out + err]).toEqual([0, expect.stringContaining(' 0 fail')])
})

describe.each(OUTER_CLIS)('Claude Code %s', (version) => {
  test('finds nothing wrong with it', () => {
    const child = Bun.spawnSync([cliPath(version), 'plugin', 'validate', plugin], {
      env: { PATH: process.env.PATH ?? '', HOME: join(folder, version), DISABLE_AUTOUPDATER: '1' },
    })
    expect([child.exitCode, child.stdout.toString() + child.stderr.toString()]).toEqual([
      0,
      expect.stringContaining('Validation passed'),
    ])
  })

  test('installs it by its own commands, without a network, and takes it out again', () => {
    const home = join(folder, `${version}-install`)
    mkdirSync(home)
    const claude = (...words: string[]) => {
      const child = Bun.spawnSync([cliPath(version), 'plugin', ...words], {
        env: {
          PATH: '/usr/bin:/bin',
          HOME: home,
          DISABLE_AUTOUPDATER: '1',
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
        },
      })
      return { code: child.exitCode, out: child.stdout.toString() + child.stderr.toString() }
    }
    expect(claude('marketplace', 'add', root)).toMatchObject({ code: 0 })
    expect(claude('install', 'lodeline@lodeline')).toMatchObject({ code: 0 })
    const listed = claude('list').out
    expect([listed, listed]).toEqual([expect.stringContaining('lodeline@lodeline'), expect.stringContaining('enabled')])
    expect(claude('uninstall', 'lodeline@lodeline')).toMatchObject({ code: 0 })
    expect(claude('list').out).not.toContain('lodeline@lodeline')
  })

  test('loads its hooks, its MCP server, its skill and its command', async () => {
    const lab = await openLab({ claude: { version, script: 'compaction' } })
    try {
      const session = crypto.randomUUID()
      const ended = await lab.claude.run({ prompt: 'hello', sessionId: session, args: ['--plugin-dir', plugin] })
      expect(ended.exitCode).toBe(0)
      const init = ended.stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
        .find((line) => line.type === 'system' && line.subtype === 'init')
      expect(init.plugins).toContainEqual(expect.objectContaining({ name: 'lodeline' }))
      expect(init.mcp_servers).toContainEqual(
        expect.objectContaining({
          name: 'plugin:lodeline:lodeline',
          status: expect.stringMatching(/^(connected|pending)$/),
        }),
      )
      expect(init.slash_commands).toContain('lodeline:handoff')
      expect(init.skills).toContain('lodeline:lodeline')
      const journal = readFileSync(join(lab.claude.home, '.lodeline', 'hooks', 'hooks.jsonl'), 'utf8')
      for (const event of ['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd'])
        expect(journal).toContain(`"hook_event_name":"${event}"`)
      expect(journal).toContain(session)
    } finally {
      await lab.stop()
    }
  })
})
