import { expect, test } from 'bun:test'
import { askedInLine } from './call-parts'

test('a call in one line tells its parts apart, and has no JSON where it has words', () => {
  expect(askedInLine('sleep 40\nChange the rate')).toBe('sleep 40 · Change the rate')
  expect(askedInLine('  Survey the depths\n\nSURVEY\n{"subagent_type":"x"}')).toBe('Survey the depths · SURVEY')
  expect(askedInLine('{"status":"failed","why":"no\\n crane","at":[1]}')).toBe('status: failed, why: no crane, at: [1]')
  expect(askedInLine('1\n{"status":"done"}')).toBe('1 · status: done')
  // The start of a long input says nothing.
  expect(askedInLine('{"status":"fai')).toBe('')
  expect(askedInLine('echo {a,b}')).toBe('echo {a,b}')
  expect(askedInLine('')).toBe('')
})
