import { describe, expect, test } from 'bun:test'
import { type CliHolder, chooseCli, neededClis, othersThan } from './agent-choice'

const holder = (names: string[] | null, more: Partial<CliHolder> = {}): CliHolder => ({
  clis: names?.map((name) => ({ name, version: '1' })) ?? null,
  cliLimits: {},
  fallsOver: false,
  ...more,
})

describe('the agent CLI of a task on a worker', () => {
  test("is the worker's first when the task names none", () => {
    expect(chooseCli([], holder(['codex', 'claude-code']), 0)).toBe('codex')
    expect(chooseCli([], holder([]), 0)).toBeUndefined()
  })

  test('is the best of its list that the worker has', () => {
    const two = holder(['codex', 'claude-code'])
    expect(chooseCli(['claude-code', 'codex'], two, 0)).toBe('claude-code')
    expect(chooseCli(['opencode', 'codex'], two, 0)).toBe('codex')
    expect(chooseCli(['opencode'], two, 0)).toBeUndefined()
  })

  test('is anything for a worker that does not say what it has', () => {
    expect(chooseCli(['opencode'], holder(null), 0)).toBe('opencode')
    expect(chooseCli([], holder(null), 0)).toBeNull()
  })

  test('waits for the end of a usage limit, unless the next one may take over', () => {
    const limited = { cliLimits: { codex: 100 } }
    expect(chooseCli(['codex', 'claude-code'], holder(['codex', 'claude-code'], limited), 99)).toBeUndefined()
    expect(chooseCli(['codex', 'claude-code'], holder(['codex', 'claude-code'], limited), 100)).toBe('codex')
    const falls = holder(['codex', 'claude-code'], { ...limited, fallsOver: true })
    expect(chooseCli(['codex', 'claude-code'], falls, 99)).toBe('claude-code')
    expect(chooseCli(['codex'], falls, 99)).toBeUndefined()
  })
})

test('a task stays with the CLI that has its conversation, unless its list says otherwise', () => {
  expect(neededClis([], null)).toEqual([])
  expect(neededClis([], 'codex')).toEqual(['codex'])
  expect(neededClis(['claude-code', 'codex'], 'codex')).toEqual(['codex'])
  expect(neededClis(['claude-code'], 'codex')).toEqual(['claude-code'])
})

test('who takes over is on the list, and is not the one that met its limit', () => {
  expect(othersThan('codex', ['codex', 'claude-code'])).toEqual(['claude-code'])
  expect(othersThan('codex', [])).toEqual([])
  expect(othersThan('codex', ['claude-code'])).toEqual([])
})
