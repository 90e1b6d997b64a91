import { expect, test } from 'bun:test'
import { askedInLine, askedWords, callWords, valueWords } from './call-parts'

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

test('what a call was asked is read without JSON: edits as lines, to-dos as a list, other fields by their names', () => {
  expect(askedWords('sleep 40\nChange the rate\n{"timeout":9,"run_in_background":true}')).toBe(
    'sleep 40\nChange the rate\ntimeout: 9\nrun_in_background: true',
  )
  expect(askedWords('/a.ts\n{"old_string":"let a\\nlet b","new_string":"let c","replace_all":false}')).toBe(
    '/a.ts\nreplace_all: false\n- let a\n- let b\n+ let c',
  )
  expect(askedWords('/a.ts\n{"edits":[{"old_string":"a","new_string":"b"},{"old_string":"c","new_string":""}]}')).toBe(
    '/a.ts\n- a\n+ b\n\n- c',
  )
  expect(
    askedWords('{"todos":[{"content":"Load\\n it","status":"completed"},{"content":"Sail","status":"in_progress"}]}'),
  ).toBe('[x] Load it\n[~] Sail')
  expect(askedWords('{"explanation":null,"plan":[{"step":"Moor","status":"pending"}]}')).toBe(
    'explanation: null\n[ ] Moor',
  )
  expect(askedWords('/a.ts\n{"content":"one\\ntwo"}')).toBe('/a.ts\ncontent:\none\ntwo')
})

test('what is no such JSON, is cut or hostile is still shown', () => {
  expect(askedWords('ls -la')).toBe('ls -la')
  expect(askedWords('{ echo {}; }')).toBe('{ echo {}; }')
  expect(askedWords('/a\n{"old_string":"a\\nb","new_st')).toBe('/a\nold_string: a b, new_st')
  expect(askedWords('{"todos":[7,null]}')).toBe('todos: 7, null')
  expect(askedWords('{"edits":{"a":1},"todos":"x"}')).toBe('todos: x\nedits: a: 1')
  expect(askedWords('{"old_string":7}')).toBe('old_string: 7')
  expect(askedWords(`{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`)).toStartWith('a: ')
})
