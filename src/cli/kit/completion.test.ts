import { beforeAll, describe, expect, test } from 'bun:test'
import { COMMANDS } from '../command-table'
import { completionNodes, completionScript } from './completion'

let bash = ''
beforeAll(async () => {
  bash = await completionScript('bash', COMMANDS)
})

/** What bash offers for the last of these words. */
function offers(...words: string[]): string[] {
  const script = `${bash}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _lode; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr, exitCode } = Bun.spawnSync(['bash', '--norc', '-c', script, 'bash', 'lode', ...words])
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
  return stdout
    .toString()
    .split('\n')
    .filter((line) => line !== '')
}

describe('in bash', () => {
  test('commands and their verbs are offered', () => {
    expect(offers('s')).toEqual(['serve', 'status', 'secret', 'session', 'subagent', 'search', 'setup', 'service'])
    expect(offers('session', '')).toEqual(expect.arrayContaining(['list', 'show', 'tree', 'export', 'forget']))
    expect(offers('db', 'migrate', 'd')).toEqual(['down'])
    expect(offers('--json', 'session', 'tr')).toEqual(['tree'])
    expect(offers('--home', 'session', 'se')).toEqual(['serve', 'secret', 'session', 'search', 'setup', 'service'])
  })
  test('options are those of the command, and the global ones', () => {
    expect(offers('session', 'list', '--st')).toEqual(['--status'])
    expect(offers('session', 'export', 'id', '--t')).toEqual(['--to'])
    expect(offers('session', 'list', '--no')).toEqual(['--no-color'])
  })
  test('values come from closed lists, settings and files', () => {
    expect(offers('session', 'list', '--status', 'r')).toEqual(['running'])
    expect(offers('config', 'get', 'listen.')).toEqual(['listen.host', 'listen.port'])
    expect(offers('completion', 'f')).toEqual(['fish'])
    expect(offers('import', '/etc/hos')).toContain('/etc/hosts')
  })
  test('hidden commands are not offered', () => {
    expect(offers('ho')).toEqual([])
  })
})

test('every shell knows every command and option', async () => {
  const nodes = await completionNodes(COMMANDS)
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const script = await completionScript(shell, COMMANDS)
    for (const { path, options, verbs } of nodes) {
      expect(script).toContain(path)
      for (const verb of verbs) expect(script).toContain(verb.name)
      for (const name of Object.keys(options)) expect(script).toContain(name)
    }
    expect(script).toMatch(/^[\x20-\x7e\n]*$/)
  }
})

test('no script starts lode while a person types', async () => {
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    expect(await completionScript(shell, COMMANDS)).not.toMatch(/\$\(lode|`lode/)
  }
})
