import { describe, expect, test } from 'bun:test'
import type { RunEvent } from '../../domain/harness/harness-run'
import { EndOfWork } from './end-of-work'

const result: RunEvent = {
  kind: 'result',
  result: {
    subtype: 'success',
    isError: false,
    text: 'done',
    errors: [],
    numTurns: 1,
    costUsd: 0,
    usage: null,
    terminalReason: null,
    sessionId: null,
  },
}
const state = (now: 'running' | 'requires_action' | 'idle'): RunEvent => ({ kind: 'state', state: now })
const background = (agents: string[], shells: string[]): RunEvent => ({ kind: 'background', agents, shells })
const after = (...events: RunEvent[]) => {
  const work = new EndOfWork()
  for (const event of events) work.see(event)
  return work.state
}

describe('the work of a run', () => {
  test('is not over by a result alone', () => {
    expect(after(state('running'), result)).toBe('working')
    expect(after(state('idle'))).toBe('working')
    expect(after(state('running'), result, state('idle'))).toBe('over')
    expect(after(state('idle'), state('running'), result, state('requires_action'))).toBe('working')
  })

  test('waits for what runs in the background', () => {
    const begun = [state('running'), background(['a1'], ['s1']), result, state('idle')]
    expect(after(...begun)).toBe('agents')
    expect(after(...begun, background([], ['s1']))).toBe('shells')
    expect(after(...begun, background([], []))).toBe('over')
    expect(after(...begun, background([], []), state('running'))).toBe('working')
  })

  test('is told by the result where the CLI tells no states', () => {
    const init: RunEvent = { kind: 'init', sessionId: 's', cwd: null, model: null, version: null }
    expect(after(init, result)).toBe('over')
    expect(after(init, result, init)).toBe('working')
    expect(after(init, result, background([], ['s']))).toBe('shells')
  })
})
