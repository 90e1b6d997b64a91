import { expect, test } from 'bun:test'
import { sessionId } from '../../../domain/ids'
import { livePieces } from './live-pieces'

const MAIN = sessionId('01999999-0000-7000-8000-000000000001')
const read = (method: string, params: object) =>
  livePieces(Buffer.from(JSON.stringify({ method, params: { threadId: MAIN, ...params } })), MAIN)

test('words and the output of commands are told as they come', () => {
  expect(read('item/agentMessage/delta', { itemId: 'm', delta: 'Two' })).toEqual([{ kind: 'words', text: 'Two' }])
  expect(read('item/commandExecution/outputDelta', { itemId: 'c', delta: 'ok\n' })).toEqual([
    { kind: 'output', call: 'c', text: 'ok\n', isWhole: false },
  ])
  expect(read('item/completed', { item: { type: 'commandExecution', id: 'c' } })).toEqual([{ kind: 'done', call: 'c' }])
  expect(read('item/completed', { item: { type: 'agentMessage', id: 'm' } })).toContainEqual({ kind: 'said' })
})

test('what another thread does gives nothing', () => {
  expect(read('item/agentMessage/delta', { threadId: 'other', delta: 'x' })).toEqual([])
  expect(livePieces(Buffer.from('no json'), MAIN)).toEqual([])
})
