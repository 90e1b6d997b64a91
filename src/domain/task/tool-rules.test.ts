import { describe, expect, test } from 'bun:test'
import { judge } from './tool-rules'

const verdict = (allow: string[], deny: string[], tool: string, input: unknown = {}) =>
  judge({ allow, deny }, tool, input).behavior

describe('the rules for tool calls', () => {
  test('ask when they say nothing', () => {
    expect(verdict([], [], 'Bash', { command: 'ls' })).toBe('ask')
    expect(verdict(['Edit'], [], 'Bash')).toBe('ask')
    expect(verdict(['Bash(npm *)'], [], 'Bash', { nothing: 1 })).toBe('ask')
    expect(verdict(['Bash(npm *)'], [], 'Bash', null)).toBe('ask')
  })

  test('refuse before they allow', () => {
    expect(judge({ allow: ['*'], deny: ['Bash(rm *)'] }, 'Bash', { command: 'rm -rf /' })).toEqual({
      behavior: 'deny',
      rule: 'Bash(rm *)',
    })
    expect(verdict(['*'], ['Bash(rm *)'], 'Bash', { command: 'ls' })).toBe('allow')
    expect(verdict(['mcp__lodeline__*'], ['mcp__*'], 'mcp__lodeline__finish-task')).toBe('deny')
  })

  test("let a run use Lodeline's own tools", () => {
    expect(verdict([], [], 'mcp__lodeline__finish-task', { status: 'completed' })).toBe('allow')
    expect(verdict([], [], 'mcp__lodeline_evil__finish')).toBe('ask')
  })

  test('match a tool and its main argument as a whole', () => {
    expect(verdict(['Edit'], [], 'Edit', { file_path: '/a' })).toBe('allow')
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

  test('come to an end for a hostile argument', () => {
    expect(verdict([`Bash(${'*a'.repeat(500)}b)`], [], 'Bash', { command: 'a'.repeat(1_000_000) })).toBe('ask')
  })
})
