import { expect, test } from 'bun:test'
import { askedInLine, callWords, valueWords } from './call-parts'

test('a call in one line tells its parts apart, and has no JSON where it has words', () => {
  expect(askedInLine('sleep 40\nChange the rate')).toBe('sleep 40 · Change the rate')
  expect(askedInLine('  Survey the depths\n\nSURVEY\n{"subagent_type":"x"}')).toBe('Survey the depths · SURVEY')
  expect(askedInLine('{"status":"failed","why":"no\\n crane","at":[1]}')).toBe('status: failed, why: no crane, at: 1')
  expect(askedInLine('{"todos":[{"content":"Moor","status":"pending"}]}')).toBe('todos: content: Moor, status: pending')
  expect(askedInLine('1\n{"status":"done"}')).toBe('1 · status: done')
  // The start of a long input says nothing.
  expect(askedInLine('{"status":"fai')).toBe('')
  expect(askedInLine('echo {a,b}')).toBe('echo {a,b}')
  expect(askedInLine('')).toBe('')
})

test('the whole of a call is told in words, also of JSON that is cut', () => {
  expect(callWords('Bash\nsleep 40\nChange the rate\n{"timeout":9}', 'Bash')).toBe(
    'Bash: sleep 40 · Change the rate · timeout: 9',
  )
  expect(callWords('I look.\nGrep\nquay', 'Grep')).toBe('I look. · Grep: quay')
  expect(callWords('TodoWrite\n{"todos":[{"content":"Load\\n it","status":"pending"}]}', 'TodoWrite')).toBe(
    'TodoWrite: todos: content: Load it, status: pending',
  )
  expect(callWords('Edit\n/a.ts\n{"old_string":"say \\"x\\" to http://b:1","new_string":"y\\nz', 'Edit')).toBe(
    'Edit: /a.ts · old_string: say "x" to http://b:1, new_string: y z',
  )
  expect([callWords('LS', 'LS'), callWords('ls', null), callWords('', null)]).toEqual(['LS', 'ls', ''])
  expect([valueWords('[ -f x ] && y'), valueWords('{a,b}')]).toEqual(['[ -f x ] && y', '{a,b}'])
})
