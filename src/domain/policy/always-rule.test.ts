import { expect, test } from 'bun:test'
import { alwaysRule, alwaysRules } from './always-rule'
import { judge } from './tool-rules'

test('a rule allows the call that it was made of, and no other command', () => {
  const rule = alwaysRule('Bash', { command: 'npm test -- store' }, null)
  expect(rule).toBe('Bash(npm test -- store)')
  const rules = { allow: [rule ?? ''], deny: [] }
  expect(judge(rules, 'Bash', { command: 'npm test -- store' }, null).behavior).toBe('allow')
  expect(judge(rules, 'Bash', { command: 'npm test -- store; rm -rf ~' }, null).behavior).toBe('ask')
  expect(alwaysRule('mcp__browser__open', {}, null)).toBe('mcp__browser__open')
})

test('a file in the folder gets the rule of the folder, and one elsewhere its own, by which it is not asked about again', () => {
  const place = { cwd: '/repo', userHome: '/home/me', real: (path: string) => path }
  for (const [path, rule] of [
    ['/repo/src/a.ts', 'Edit'],
    ['src/a.ts', 'Edit'],
    ['/home/me/.lodeline/worktrees/t-1/src/a.ts', 'Edit'],
    ['/etc/hosts', 'Edit(/etc/hosts)'],
    ['/repository/a', 'Edit(/repository/a)'],
    ['~/notes.txt', 'Edit(~/notes.txt)'],
    ['/etc/*', null],
    ['../outside', null],
    ['/repo/../etc/hosts', null],
  ] as const) {
    const input = { file_path: path }
    expect([path, alwaysRule('Edit', input, '/repo')]).toEqual([path, rule])
    if (rule === null || path.includes('/worktrees/')) continue
    expect(judge({ allow: [rule], deny: [] }, 'Edit', input, place)).toMatchObject({ rule })
  }
  expect(alwaysRule('Edit', { file_path: '/etc/hosts' }, null)).toBe('Edit(/etc/hosts)')
  // A rule looks at one path.
  for (const tool of ['ApplyPatch', 'ReadFiles']) expect(alwaysRule(tool, { files: 'a\nb' }, '/repo')).toBeNull()
})

test('what a rule would widen, or not allow, gets none', () => {
  for (const command of ['rm *', 'a; b', 'a && b', 'a > b', 'a | b', '$(a)', '`a`', 'a\nb', 'f(1)', ''])
    expect(alwaysRule('Bash', { command }, null)).toBeNull()
  expect(alwaysRule('B*', { command: 'ls' }, null)).toBeNull()
})

test('a tool that removes or publishes gets no rule by its name alone', () => {
  expect(alwaysRule('mcp__files__delete_file', {}, null)).toBeNull()
  expect(alwaysRule('Bash', { command: 'git push origin main' }, null)).toBe('Bash(git push origin main)')
})

test('the rule of the project comes before that for everywhere, where the task names a folder', () => {
  const command = { command: 'npm test' }
  expect(alwaysRules('Bash', command, false, '/repo')).toEqual(['Bash(npm test) in /repo', 'Bash(npm test)'])
  expect(alwaysRules('Bash', command, false, null)).toEqual(['Bash(npm test)'])
  expect(alwaysRules('Bash', command, true, '/repo')).toEqual([])
  expect(alwaysRules('Bash', command, false, '/a\nb')).toEqual(['Bash(npm test)'])
})
