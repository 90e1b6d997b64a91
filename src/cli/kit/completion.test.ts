import { beforeAll, describe, expect, test } from 'bun:test'
import { COMMANDS } from '../command-table'
import { ID_KINDS } from './arguments/id-kinds'
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
    expect(offers('s')).toEqual(['serve', 'status', 'share', 'secret', 'session', 'subagent', 'search', 'setup', 'service'])
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

describe('IDs', () => {
  /** A `lode` that notes what it was asked, and answers. */
  const stub = `lode() { echo "$*" >&2; printf '%s\\n' t-1 t-2 'x'; }`
  const asked = (...words: string[]) => {
    const script = `${stub}\n${bash.replaceAll('2>/dev/null', '2>&2')}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _lode; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr } = Bun.spawnSync(['bash', '--norc', '-c', script, 'bash', 'lode', ...words])
    return [stderr.toString().trim(), stdout.toString().trim().split('\n')]
  }
  test('are those of the thing that the argument or option names', () => {
    expect(asked('task', 'show', 't-')).toEqual(['complete bash task', ['t-1', 't-2']])
    expect(asked('issue', 'close', '')).toEqual(['complete bash issue', ['t-1', 't-2', 'x']])
    expect(asked('cost', 'list', '--session', 't-2')).toEqual(['complete bash session', ['t-2']])
    expect(asked('need', 'dismiss', 't-1', 't-2')).toEqual(['complete bash need', ['t-2']])
  })
  test('start lode where an ID is due, and nowhere else', () => {
    for (const words of [['s'], ['task', 'show', '--'], ['config', 'get', ''], ['task', 'list', '--status', '']])
      expect(asked(...words)[0]).toBe('')
  })
  test('are listed for every kind that a script asks for', async () => {
    for (const shell of ['bash', 'zsh', 'fish'] as const) {
      const script = await completionScript(shell, COMMANDS)
      for (const kind of ID_KINDS) expect(script).toMatch(new RegExp(`(_lode_ids |ids='?|fish )${kind}\\b`))
    }
  })
})
