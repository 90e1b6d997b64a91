import { expect, test } from 'bun:test'
import { AppError } from '../../domain/errors'
import { answerCall } from './patient-call'

/** Servers that are away until told otherwise. @param beginMs  after which an answer begins as a stream */
function call(takesEvents: boolean, beginMs = 0) {
  const taken = Promise.withResolvers<Response>()
  let refusals = 3
  const body = new TextEncoder().encode('{"jsonrpc":"2.0","id":7,"method":"tools/call"}').buffer as ArrayBuffer
  const send = async () => {
    if (refusals-- > 0) throw new AppError('unavailable', 'nobody is there')
    return await taken.promise
  }
  return { taken, answering: answerCall({ send, takesEvents, body, signal: new AbortController().signal }, beginMs) }
}

test('a call that waits long begins its answer, and is then answered as the server does: by JSON, by events, by a refusal', async () => {
  const answers: [Response, string][] = [
    [Response.json({ id: 7, result: 'done' }), 'event: message\ndata: {"id":7,"result":"done"}\n\n'],
    [
      new Response('event: message\ndata: {}\n\n', { headers: { 'content-type': 'text/event-stream' } }),
      'event: message\ndata: {}\n\n',
    ],
    [
      new Response('', { status: 401 }),
      'event: message\ndata: {"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"The server refused the call (401)."}}\n\n',
    ],
  ]
  for (const [answer, text] of answers) {
    const { taken, answering } = call(true)
    const begun = await answering
    expect([begun.status, begun.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    taken.resolve(answer)
    expect(await begun.text()).toBe(text)
  }
})

test('one that is taken soon, or takes no stream, has the answer as it is', async () => {
  for (const { taken, answering } of [call(false), call(true, 10_000)]) {
    const answer = Response.json({ id: 7 })
    taken.resolve(answer)
    expect(await answering).toBe(answer)
  }
})
