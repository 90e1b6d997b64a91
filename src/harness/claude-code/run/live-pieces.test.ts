import { expect, test } from 'bun:test'
import { livePieces } from './live-pieces'

const read = (line: object) => livePieces(Buffer.from(JSON.stringify(line)))
const event = (of: object, more: object = {}) => ({
  type: 'stream_event',
  parent_tool_use_id: null,
  event: of,
  ...more,
})
const delta = (text: string) => event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })

test('the words of the main thread are told as they come, and end with the message', () => {
  expect(read(event({ type: 'message_start' }))).toEqual([{ kind: 'said' }])
  expect(read(delta('Two lights'))).toEqual([{ kind: 'words', text: 'Two lights' }])
  expect(read({ type: 'assistant', parent_tool_use_id: null, message: {} })).toEqual([{ kind: 'said' }])
})

test('what a sub-agent writes, what a call is made of, and what is no line give nothing', () => {
  expect(read({ ...delta('x'), parent_tool_use_id: 'toolu_1' })).toEqual([])
  expect(read(event({ type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: '{' } }))).toEqual(
    [],
  )
  expect(livePieces(Buffer.from('{"type":"stream_event"'))).toEqual([])
  expect(read({ type: 'stream_event', event: [] })).toEqual([])
})
