import { describe, expect, test } from 'bun:test'
import type { RulePlace } from './file-rules'
import { PROTECTED_FILES } from './protected-files'
import { judge } from './tool-rules'

/** A machine on which `/repo/out` and `/link` are links. */
const PLACE: RulePlace = {
  cwd: '/repo',
  userHome: '/home/user',
  real: (path) => path.replace(/^\/repo\/out(?=\/|$)/, '/etc').replace(/^\/link(?=\/|$)/, '/repo'),
}
const verdict = (allow: string[], deny: string[], tool: string, input: unknown = {}) =>
  judge({ allow, deny }, tool, input, PLACE).behavior

describe('the rules for tool calls', () => {
  test('ask when they say nothing', () => {
    expect(verdict([], [], 'Bash', { command: 'ls' })).toBe('ask')
    expect(verdict(['Edit'], [], 'Bash')).toBe('ask')
    expect(verdict(['Bash(npm *)'], [], 'Bash', { nothing: 1 })).toBe('ask')
    expect(verdict(['Bash(npm *)'], [], 'Bash', null)).toBe('ask')
  })

  test('with a folder count in that folder and below it alone, and a worktree counts as where it was made from', () => {
    const inFolder = (rule: string, place: Partial<RulePlace> | null) =>
      judge({ allow: [rule], deny: [] }, 'Bash', { command: 'npm test' }, place && { ...PLACE, ...place }).behavior
    const rule = 'Bash(npm test) in /repo'
    expect(inFolder(rule, {})).toBe('allow')
    expect(inFolder(rule, { cwd: '/repo/web' })).toBe('allow')
    expect(inFolder(rule, { cwd: '/repository' })).toBe('ask')
    expect(inFolder(rule, { cwd: '/trees/t-1', project: '/repo' })).toBe('allow')
    expect(inFolder(rule, { cwd: '/repo', project: '/other' })).toBe('ask')
    expect(inFolder('Bash(npm test) in /link', {})).toBe('allow')
    // Nobody here can say where such a run is.
    expect(inFolder(rule, null)).toBe('ask')
    expect(inFolder('Bash(npm test) in repo', {})).toBe('ask')
    expect(inFolder('Bash in /', {})).toBe('allow')
  })

  test('refuse before they allow', () => {
    expect(judge({ allow: ['*'], deny: ['Bash(rm *)'] }, 'Bash', { command: 'rm -rf /' }, PLACE)).toEqual({
      behavior: 'deny',
      rule: 'Bash(rm *)',
    })
    expect(verdict(['*'], ['Bash(rm *)'], 'Bash', { command: 'ls' })).toBe('allow')
    expect(verdict(['mcp__lodeline__*'], ['mcp__*'], 'mcp__lodeline__finish-task')).toBe('deny')
  })

  test("let a run use Lodeline's own tools", () => {
    expect(verdict([], [], 'mcp__lodeline__finish-task', { status: 'completed' })).toBe('allow')
    for (const name of [
      'mcp__lodeline_evil__finish-task',
      'mcp__lodeline__x__finish-task',
      'mcp__lodeline__format-disk',
    ])
      expect([name, verdict([], [], name)]).toEqual([name, 'ask'])
  })

  test('match a tool and its main argument as a whole', () => {
    expect(verdict(['Edit'], [], 'Edit', { file_path: '/repo/a' })).toBe('allow')
    expect(verdict(['Edit'], [], 'NotebookEdit')).toBe('ask')
    expect(verdict(['Bash(npm test)'], [], 'Bash', { command: 'npm test' })).toBe('allow')
    expect(verdict(['Bash(npm test)'], [], 'Bash', { command: 'npm test --watch' })).toBe('ask')
    expect(verdict(['WebFetch(https://a.example/*)'], [], 'WebFetch', { url: 'https://a.example/x' })).toBe('allow')
    expect(verdict(['Read(/repo/*.ts)'], [], 'Read', { file_path: '/repo/src/x.ts' })).toBe('allow')
    expect(verdict(['Read(a*a)'], [], 'Read', { file_path: 'a' })).toBe('ask')
  })

  test('that allow one command do not allow what is joined to it, nor a way out of a folder', () => {
    for (const command of [
      'git status; rm -rf ~',
      'git status && id',
      'git status | sh',
      'git log\nid',
      'git log `id`',
      'git log $(id)',
      'git log > /etc/x',
    ])
      expect([command, verdict(['Bash(git *)'], [], 'Bash', { command })]).toEqual([command, 'ask'])
    expect(verdict(['Bash'], [], 'Bash', { command: 'a; b' })).toBe('allow')
    expect(verdict([], ['Bash(*rm *)'], 'Bash', { command: 'ls; rm x' })).toBe('deny')
    expect(verdict(['Edit(/repo/*)'], [], 'Edit', { file_path: '/repo/../etc/passwd' })).toBe('ask')
  })

  test('for files without a path allow the folder of the run alone, wherever links lead', () => {
    const reads = (rule: string, path: unknown) => verdict([rule], [], 'Read', { file_path: path })
    for (const path of ['/repo/a', 'a', './a/b', '/link/a'])
      expect([path, reads('Read', path)]).toEqual([path, 'allow'])
    for (const path of ['/etc/passwd', '../a', '/repo/../a', '/repo/out/passwd', '~/a', '/repository/a'])
      expect([path, reads('Read', path)]).toEqual([path, 'ask'])
    expect(reads('Read(src/**)', '/repo/src/a')).toBe('allow')
    expect(reads('Read(src/**)', '/repo/a')).toBe('ask')
    expect(reads('Read(~/notes/*)', '/home/user/notes/a')).toBe('allow')
    expect(reads('Read(/link/*)', '/repo/a')).toBe('allow')
    expect(reads('*', '/etc/passwd')).toBe('allow')
    expect(verdict(['Glob'], [], 'Glob', { pattern: '*.ts' })).toBe('allow')
    expect(verdict(['Glob'], [], 'Glob', { pattern: '/etc/*' })).toBe('ask')
    expect(verdict(['Glob'], [], 'Glob', { pattern: '*', path: '/' })).toBe('ask')
  })

  test('for files allow nothing where nobody can say where a path leads, and refuse all the same', () => {
    const far = (allow: string[], deny: string[]) =>
      judge({ allow, deny }, 'Edit', { file_path: '/repo/a' }, null).behavior
    expect(far(['Edit', 'Edit(/repo/*)'], [])).toBe('ask')
    expect(far([], ['Edit(/repo/*)'])).toBe('deny')
  })

  test('look at the one field that decides for a tool, and refuse by any of an unknown one', () => {
    const input = { command: '/repo/ok', path: '/etc/passwd' }
    expect(verdict(['mcp__fs__write(/repo/*)'], [], 'mcp__fs__write', input)).toBe('ask')
    expect(verdict(['mcp__fs__write'], ['mcp__fs__write(/etc/*)'], 'mcp__fs__write', input)).toBe('deny')
    expect(verdict(['Read'], [], 'Read', { command: '/repo/ok', file_path: '/etc/passwd' })).toBe('ask')
  })

  test('that protect files hold for every tool that changes them, by whatever way', () => {
    const writes = (tool: string, input: unknown) => verdict(['*'], [...PROTECTED_FILES], tool, input)
    for (const path of [
      '/repo/.git/hooks/pre-commit',
      '.git/config',
      'sub/.git/config',
      '~/.bashrc',
      '/home/user/.zshrc',
    ])
      for (const tool of ['Edit', 'Write', 'MultiEdit'])
        expect([path, tool, writes(tool, { file_path: path })]).toEqual([path, tool, 'deny'])
    expect(writes('NotebookEdit', { notebook_path: '/repo/.claude/settings.local.json' })).toBe('deny')
    expect(writes('Read', { file_path: '/home/user/.ssh/id_ed25519' })).toBe('deny')
    expect(writes('Grep', { pattern: 'KEY', path: '/home/user/.ssh' })).toBe('deny')
    for (const path of ['/repo/.gitignore', '/repo/a', '/repo/.claude/agents/a.md'])
      expect([path, writes('Write', { file_path: path })]).toEqual([path, 'allow'])
  })

  test('come to an end for a hostile argument', () => {
    expect(verdict([`Bash(${'*a'.repeat(500)}b)`], [], 'Bash', { command: 'a'.repeat(1_000_000) })).toBe('ask')
  })
})
