import { expect, test } from 'bun:test'
import { sessionId } from '../../domain/ids'
import { acpLivePieces } from './live-pieces'

const SESSION = sessionId('s-1')
const read = (message: object) => acpLivePieces(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })), SESSION)
const update = (of: object, session: string = SESSION) =>
  read({ method: 'session/update', params: { sessionId: session, update: of } })

test('words go on until a call, or the end of the turn', () => {
  const said = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Two' } }
  expect(update(said)).toEqual([{ kind: 'words', text: 'Two' }])
  expect(update(said, 'another')).toEqual([])
  expect(update({ sessionUpdate: 'tool_call', toolCallId: 'c' })).toEqual([{ kind: 'said' }])
  expect(read({ id: 3, result: { stopReason: 'end_turn' } })).toEqual([{ kind: 'said' }])
})

test('a call shows what it has given out until it is over', () => {
  const content = [{ type: 'content', content: { type: 'text', text: 'half' } }]
  const going = { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'in_progress', content }
  expect(update(going)).toEqual([{ kind: 'output', call: 'c', text: 'half', isWhole: true }])
  expect(update({ ...going, status: 'completed' })).toEqual([{ kind: 'done', call: 'c' }])
  expect(acpLivePieces(Buffer.from('no json'), SESSION)).toEqual([])
})
