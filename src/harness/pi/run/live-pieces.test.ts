import { expect, test } from 'bun:test'
import { livePieces } from './live-pieces'

const read = (line: object) => livePieces(Buffer.from(JSON.stringify(line)))

test('words and what tools gave out so far are told until they are over', () => {
  const update = {
    type: 'message_update',
    assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'Two' },
  }
  expect(read(update)).toEqual([{ kind: 'words', text: 'Two' }])
  expect(read({ type: 'message_end', message: {} })).toEqual([{ kind: 'said' }])
  const partialResult = { content: [{ type: 'text', text: 'one\ntwo\n' }] }
  expect(read({ type: 'tool_execution_update', toolCallId: 'c', partialResult })).toEqual([
    { kind: 'output', call: 'c', text: 'one\ntwo\n', isWhole: true },
  ])
  expect(read({ type: 'tool_execution_end', toolCallId: 'c' })).toEqual([{ kind: 'done', call: 'c' }])
})

test('thinking, and what is no line, give nothing', () => {
  expect(read({ type: 'message_update', assistantMessageEvent: { type: 'thinking_delta', delta: 'x' } })).toEqual([])
  expect(livePieces(Buffer.from('no json'))).toEqual([])
})
