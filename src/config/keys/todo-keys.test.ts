import { describe, expect, test } from 'bun:test'
import { type ConfigKey, specOf } from '../keys'

const place = { env: { HOME: '/home/ada' }, folder: '/work' }
const parse = (key: ConfigKey, value: unknown): unknown => specOf(key).parse(value, place)

describe('settings of to-dos', () => {
  test('take the words that people write', () => {
    expect(parse('todos.linkFrom', 'off')).toEqual([])
    expect(parse('todos.linkFrom', 'branch, person')).toEqual(['person', 'branch'])
    expect(parse('todos.linkFrom', ['claim'])).toEqual(['claim'])
    expect(parse('todos.retentionDays', 'off')).toBeNull()
    expect(parse('todos.retentionDays', 30)).toBe(30)
    expect(parse('todos.debounceMs', '0')).toBe(0)
    expect(parse('todos.onReplace', 'replace')).toBe('replace')
    expect(parse('hooks.autoInstall', 'yes')).toBe(true)
  })

  test('refuse what means nothing', () => {
    expect(() => parse('todos.linkFrom', 'moon')).toThrow('must name some of person, claim')
    expect(() => parse('todos.linkFrom', 'claim,moon')).toThrow('must name some of person, claim')
    expect(() => parse('todos.onReplace', 'delete')).toThrow('must be one of merge, replace')
    expect(() => parse('todos.maxPerSession', 0)).toThrow('from 1 to 100000')
    expect(() => parse('todos.enabled', 'maybe')).toThrow('must be true or false')
  })

  test('keep a cloned repository from deleting and publishing to-dos, and from changing what the agent is held to', () => {
    const own = ['todos.retentionDays', 'todos.maxPerSession', 'todos.onReplace', 'todos.exportToJsonl'] as const
    for (const key of [...own, 'hooks.autoInstall', 'guard.launches'] as const)
      expect([key, specOf(key).isProjectSafe]).toEqual([key, false])
  })
})
