import { expect, test } from 'bun:test'
import { alwaysRule, alwaysRules } from './always-rule'
import { judge } from './tool-rules'

test('a rule allows the call that it was made of, and no other command', () => {
  const rule = alwaysRule('Bash', { command: 'npm test -- store' })
  expect(rule).toBe('Bash(npm test -- store)')
  const rules = { allow: [rule ?? ''], deny: [] }
  expect(judge(rules, 'Bash', { command: 'npm test -- store' }, null).behavior).toBe('allow')
  expect(judge(rules, 'Bash', { command: 'npm test -- store; rm -rf ~' }, null).behavior).toBe('ask')
  expect(alwaysRule('Edit', { file_path: '/etc/passwd' })).toBe('Edit')
  expect(alwaysRule('mcp__browser__open', {})).toBe('mcp__browser__open')
})

test('what a rule would widen, or not allow, gets none', () => {
  for (const command of ['rm *', 'a; b', 'a && b', 'a > b', 'a | b', '$(a)', '`a`', 'a\nb', 'f(1)', ''])
    expect(alwaysRule('Bash', { command })).toBeNull()
  expect(alwaysRule('B*', { command: 'ls' })).toBeNull()
})

test('a tool that removes or publishes gets no rule by its name alone', () => {
  expect(alwaysRule('mcp__files__delete_file', {})).toBeNull()
  expect(alwaysRule('Bash', { command: 'git push origin main' })).toBe('Bash(git push origin main)')
})

test('the rule of the project comes before that for everywhere, where the task names a folder', () => {
  const command = { command: 'npm test' }
  expect(alwaysRules('Bash', command, false, '/repo')).toEqual(['Bash(npm test) in /repo', 'Bash(npm test)'])
  expect(alwaysRules('Bash', command, false, null)).toEqual(['Bash(npm test)'])
  expect(alwaysRules('Bash', command, true, '/repo')).toEqual([])
  expect(alwaysRules('Bash', command, false, '/a\nb')).toEqual(['Bash(npm test)'])
})
