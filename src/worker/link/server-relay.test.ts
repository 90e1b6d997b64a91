import { afterEach, expect, test } from 'bun:test'
import { transportOf } from '../../api/client/several-servers'
import { startServerRelay } from './server-relay'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

function serve(answer: (request: Request) => Response) {
  const seen: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      seen.push(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`)
      return answer(request)
    },
  })
  ends.push(() => server.stop(true))
  return { origin: `http://127.0.0.1:${server.port}`, seen, stop: () => server.stop(true) }
}

test("a run's one address passes on what the run sends, to whichever server is there, and lets no browser in", async () => {
  const answer = (request: Request) =>
    new Response(
      new ReadableStream({
        async start(controller) {
          controller.enqueue(new TextEncoder().encode(`${request.headers.get('authorization')} `))
          await Bun.sleep(1)
          controller.enqueue(new TextEncoder().encode('streamed'))
          controller.close()
        },
      }),
      { headers: { 'mcp-session-id': 's' } },
    )
  const [a, b] = [serve(answer), serve(answer)]
  const relay = startServerRelay(transportOf([a.origin, b.origin], null), a.origin)
  ends.push(() => relay.stop())
  const ask = (headers: Record<string, string> = {}) =>
    fetch(`${relay.url}/mcp?x=1`, { method: 'POST', body: 'hello', headers: { authorization: 'Bearer t', ...headers } })
  const first = await ask()
  expect([await first.text(), first.headers.get('mcp-session-id')]).toEqual(['Bearer t streamed', 's'])
  await a.stop()
  expect(await (await ask()).text()).toBe('Bearer t streamed')
  expect([a.seen, b.seen]).toEqual([['POST /mcp hello'], ['POST /mcp hello']])
  const strangers: Record<string, string>[] = [
    { origin: 'http://evil.example' },
    { origin: relay.url },
    { host: 'evil.example' },
  ]
  for (const headers of strangers) expect((await ask(headers)).status).toBe(403)
  await b.stop()
  const none = await fetch(`${relay.url}/api/tasks`, { method: 'POST', body: '{}' })
  expect([none.status, none.headers.get('lodeline-error')]).toEqual([503, 'unavailable'])
})

const CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call' })

test('a call of a tool waits for a server that takes it, and one that may have been taken is not sent again', async () => {
  const away = { status: 503, headers: { 'lodeline-error': 'unavailable' } }
  let refusals = 2
  const a = serve(() => (refusals-- > 0 ? Response.json({}, away) : new Response('taken')))
  const { port } = new URL(a.origin)
  const relay = startServerRelay(transportOf([a.origin], null, { isCareful: true }), a.origin)
  ends.push(() => relay.stop())
  const call = (more: RequestInit = {}) => fetch(`${relay.url}/mcp`, { method: 'POST', body: CALL, ...more })
  expect(await (await call()).text()).toBe('taken')
  expect(a.seen.length).toBe(3)
  refusals = 1
  expect((await fetch(`${relay.url}/api/tasks`)).status).toBe(503)
  refusals = 1
  const asks = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize' })
  expect((await call({ body: asks })).status).toBe(503)

  await a.stop()
  const [waits, leaves] = [call(), new AbortController()]
  const left = call({ signal: leaves.signal }).catch(({ name }: Error) => name)
  // Both were refused by then.
  await Bun.sleep(100)
  leaves.abort()
  expect(await left).toBe('AbortError')
  const cut = Bun.listen({
    hostname: '127.0.0.1',
    port: Number(port),
    socket: { data: (socket) => void socket.terminate() },
  })
  ends.push(() => cut.stop(true))
  expect((await waits).status).toBe(503)
})
