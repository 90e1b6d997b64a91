import { expect, test } from 'bun:test'
import { wholeText } from './whole-text'

const line = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

test('a line of a megabyte is read whole, calls with their inputs and answers with their words', () => {
  const long = 'x'.repeat(1_000_000)
  expect(wholeText(line({ type: 'user', message: { content: `${long}\u0000end` } }))).toBe(`${long}end`)
  const call = { type: 'tool_use', name: 'Bash', input: { command: long, timeout: 5 } }
  expect(wholeText(line({ type: 'assistant', message: { content: [call] } }))).toBe(`Bash\n${long}\n{"timeout":5}`)
  const result = { type: 'tool_result', content: [{ type: 'text', text: long }] }
  expect(wholeText(line({ type: 'user', message: { content: [result] } }))).toBe(long)
})

test('what is no line of a conversation has no words', () => {
  for (const value of [null, 7, [], {}, { message: null }, { message: { content: [] } }])
    expect(wholeText(line(value))).toBeNull()
  expect(wholeText(new Uint8Array([0xff, 0xfe, 0x7b]))).toBeNull()
  expect(wholeText(new Uint8Array([]))).toBeNull()
})
