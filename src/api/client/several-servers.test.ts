import { afterEach, expect, test } from 'bun:test'
import { IDEMPOTENCY_HEADER } from '../contract/protocol'
import { severalServers, transportOf } from './several-servers'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** A server that counts what it gets. It says that it is there unless it is silent. */
function serve(answer: (request: Request) => Response | Promise<Response> = () => new Response('here')) {
  const seen: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/api/health') return new Response('{}')
      seen.push(`${request.method} ${pathname} ${await request.text()}`)
      return answer(request)
    },
  })
  ends.push(() => server.stop(true))
  return { origin: `http://127.0.0.1:${server.port}`, seen, stop: () => server.stop(true) }
}

/** Takes connections and says nothing. */
function silent() {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  ends.push(() => server.stop(true))
  return { origin: `http://127.0.0.1:${server.port}` }
}

/** Takes the request and ends the connection. */
function breaking() {
  let count = 0
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        count++
        socket.terminate()
      },
    },
  })
  ends.push(() => server.stop(true))
  return { origin: `http://127.0.0.1:${server.port}`, count: () => count }
}

const post = (origin: string, key?: string) =>
  new Request(`${origin}/api/x`, {
    method: 'POST',
    body: 'once',
    ...(key !== undefined && { headers: { [IDEMPOTENCY_HEADER]: key } }),
  })
const overall = (...servers: { origin: string }[]) => {
  const [first, ...rest] = servers.map(({ origin }) => origin)
  return transportOf([first ?? '', ...rest], null)
}

test('a server that refuses is passed over, whatever is asked, and the one that answered is asked from then on', async () => {
  const [gone, b, c] = [serve(), serve(), serve()]
  await gone.stop()
  const send = overall(gone, b, c)
  expect(await (await send(post(gone.origin))).text()).toBe('here')
  expect(await (await send(new Request(`${gone.origin}/api/y?z=1`))).text()).toBe('here')
  expect(b.seen).toEqual(['POST /api/x once', 'GET /api/y '])
  await b.stop()
  await send(post(gone.origin))
  expect(c.seen).toEqual(['POST /api/x once'])
  await c.stop()
  expect(send(post(gone.origin))).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(`${gone.origin}: `),
  })
})

test('what a server may have got is sent to no other one, unless that does nothing twice', async () => {
  const b = serve()
  const broken = breaking()
  const send = overall(broken, b)
  expect(
    await send(post(broken.origin)).then(
      () => 'sent',
      () => 'failed',
    ),
  ).toBe('failed')
  expect(b.seen).toEqual([])
  const again = overall(broken, b)
  expect((await again(post(broken.origin, 'k'))).status).toBe(200)
  // The next one went elsewhere all the same.
  expect((await send(post(broken.origin))).status).toBe(200)
  expect(b.seen).toEqual(['POST /api/x once', 'POST /api/x once'])
  expect(broken.count()).toBe(2)
})

test('a server that is silent is given up, and one that answers slowly is waited for', async () => {
  const b = serve()
  const send = overall(silent(), b)
  expect((await send(new Request(`${b.origin}/api/x`))).status).toBe(200)
  const waits = serve(async () => {
    await Bun.sleep(2_500)
    return new Response('slow')
  })
  const slow = overall(waits, b)
  expect(await (await slow(post(waits.origin))).text()).toBe('slow')
})

test('one server alone is given up, too, when it says nothing, and waited for when it is slow', async () => {
  const doubt = { afterMs: 50, answerMs: 100 }
  const { origin } = silent()
  const asked = transportOf([origin], null, { doubt })(
    new Request(`${origin}/api/files`, { method: 'POST', body: 'x' }),
  )
  await expect(asked).rejects.toThrow('no answer within 0.15 s')
  const slow = serve(async (request) => {
    await Bun.sleep(400)
    return new Response(`took ${request.method}`)
  })
  const answer = await transportOf([slow.origin], null, { doubt })(
    new Request(`${slow.origin}/api/files`, { method: 'POST', body: 'x' }),
  )
  expect([await answer.text(), slow.seen]).toEqual(['took POST', ['POST /api/files x']])
})

test('a server that can not do its work is left, and where none can, its own words are told', async () => {
  const busy = () =>
    Response.json(
      { error: { code: 'unavailable', message: 'no database' } },
      { status: 503, headers: { 'Lodeline-Error': 'unavailable' } },
    )
  const [a, b] = [serve(busy), serve()]
  const send = overall(a, b)
  expect((await send(post(a.origin))).status).toBe(503)
  expect((await send(post(a.origin))).status).toBe(200)
  const [x, y] = [serve(busy), serve(busy)]
  const none = severalServers([x, y].map(({ origin }) => ({ origin, transport: (request) => fetch(request) })))
  expect(await (await none(new Request(`${x.origin}/api/x`))).json()).toMatchObject({
    error: { message: 'no database' },
  })
})
