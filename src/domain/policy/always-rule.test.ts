import { expect, test } from 'bun:test'
import { alwaysRule } from './always-rule'
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
