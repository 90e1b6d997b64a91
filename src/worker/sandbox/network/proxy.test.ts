import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { until } from '../../../../test/lab/until'
import { NetworkProxy, type ProxyOptions } from './proxy'
import { Reach } from './reach'

const root = mkdtempSync('/tmp/ld-')
const endings: (() => unknown)[] = [() => rmSync(root, { recursive: true, force: true })]
afterAll(async () => {
  for (const end of endings.reverse()) await end()
})

/** A server of this machine, as one of the internet: its name is listed, and its address too. */
const big = 'x'.repeat(32 * 2 ** 20)
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname === '/big') return new Response(big)
    if (pathname === '/echo') return new Response(await request.arrayBuffer())
    return Response.json({ path: pathname, headers: Object.fromEntries(request.headers) })
  },
})
endings.push(() => server.stop(true))
const port = server.port ?? 0
const words = [`server.test:${port}`, '127.0.0.1', 'rebound.test']

let count = 0
function open(more: Partial<ProxyOptions> = {}) {
  count += 1
  const refused: string[] = []
  const path = join(root, `s${count}`)
  const proxy = new NetworkProxy({
    path,
    env: {},
    find: async (host) => (host === 'rebound.test' ? ['10.0.0.1'] : ['127.0.0.1']),
    reach: () => new Reach(words, []),
    onRefused: (why) => refused.push(why),
    ...more,
  })
  return { path, refused, proxy }
}

/** Says something to the proxy; resolves with all that comes up to the end. */
function say(path: string, text: string): Promise<string> {
  return new Promise((resolve) => {
    let heard = ''
    const socket = connect({ path })
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1')
    })
    socket.on('close', () => resolve(heard))
    // It may be answered and closed before it is asked; what was heard counts.
    socket.on('error', () => {})
    socket.write(text)
  })
}

const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`

test('a request without encryption reaches its host, without the headers that are for the proxy', async () => {
  const { path } = open()
  const said = await say(
    path,
    head(
      `GET http://server.test:${port}/x?y HTTP/1.1`,
      `Host: server.test:${port}`,
      'Proxy-Authorization: secret',
      'Connection: keep-alive',
    ),
  )
  expect(said).toStartWith('HTTP/1.1 200')
  expect(said).toContain('"path":"/x"')
  expect(said).not.toContain('secret')
})

test('a second request of the same connection reaches no other host than the first', async () => {
  const { path } = open()
  const first = head(`GET http://server.test:${port}/first HTTP/1.1`, `Host: server.test:${port}`)
  const second = head('GET http://elsewhere.test/second HTTP/1.1', 'Host: elsewhere.test')
  const said = await say(path, first + second)
  expect(said.split('HTTP/1.1 200')).toHaveLength(2)
  expect(said).toContain('/first')
})

test('a way carries much in both directions, however slowly it is taken', async () => {
  const { path } = open()
  const socket = connect({ path })
  socket.write(head(`CONNECT server.test:${port} HTTP/1.1`))
  const first = await new Promise<Buffer>((resolve) => socket.once('data', resolve))
  expect(first.toString()).toBe('HTTP/1.1 200 Connected\r\n\r\n')
  socket.write(head(`POST /echo HTTP/1.1`, 'Host: x', `Content-Length: ${big.length}`, 'Connection: close'))
  socket.write(big)
  let heard = 0
  let beats = 0
  for await (const bytes of socket) {
    heard += (bytes as Buffer).length
    beats += 1
    if (beats % 50 === 0) await Bun.sleep(1)
  }
  expect(heard).toBeGreaterThan(big.length)
  expect(heard).toBeLessThan(big.length + 1_000)
})

test('what is not listed is refused with the name of the setting, and told once', async () => {
  const { path, refused } = open()
  for (const text of [
    head('CONNECT evil.test:443 HTTP/1.1'),
    head('GET http://evil.test:443/ HTTP/1.1'),
    head('CONNECT EVIL.test.:443 HTTP/1.1'),
  ]) {
    const said = await say(path, text)
    expect(said).toStartWith('HTTP/1.1 403 Refused by worker.network')
    expect(said).toContain('evil.test:443 is not in worker.network')
  }
  expect(refused).toEqual(['evil.test:443 is not in worker.network'])
})

test('a listed name that leads to a private address is refused: what was looked at is what would be reached', async () => {
  const { path, refused } = open()
  expect(await say(path, head('CONNECT rebound.test:443 HTTP/1.1'))).toContain('403')
  expect(refused).toEqual([
    'rebound.test:443 leads to 10.0.0.1, an address of a private network that is not in worker.network',
  ])
})

test('one who makes up hosts without end is told of no more than some', async () => {
  const { path, refused } = open()
  for (let index = 0; index < 70; index += 1) await say(path, head(`CONNECT h${index}.test:443 HTTP/1.1`))
  expect(refused).toHaveLength(51)
})

test('what is no request of a proxy, or has no end, gets an answer and no way', async () => {
  const { path } = open()
  for (const text of [
    head('GET / HTTP/1.1'),
    head('CONNECT nowhere HTTP/1.1'),
    head('CONNECT a:0 HTTP/1.1'),
    head('GET http://user:word@server.test/ HTTP/1.1'),
    head('GET ftp://server.test/ HTTP/1.1'),
    head('\u0005\u0001\u0000'),
  ])
    expect([text, await say(path, text)]).toEqual([text, expect.stringMatching(/^HTTP\/1\.1 400 /)])
  expect(await say(path, `GET http://server.test/ HTTP/1.1\r\nX: ${'x'.repeat(70_000)}`)).toStartWith('HTTP/1.1 431 ')
})

test('a run has a bounded number of connections; those that end make room', async () => {
  const { path } = open()
  const sockets = Array.from({ length: 256 }, () => connect({ path }))
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
  await until('the limit', async () => (await say(path, head('CONNECT evil.test:443 HTTP/1.1'))).includes(' 503 '))
  for (const socket of sockets) socket.destroy()
  await until('room', async () => (await say(path, head('CONNECT evil.test:443 HTTP/1.1'))).includes(' 403 '))
})

test('the end of the run ends every way, and its socket is gone', async () => {
  const { path, proxy } = open()
  const socket = connect({ path })
  const ended = new Promise((resolve) => socket.once('close', resolve))
  socket.write(head(`CONNECT server.test:${port} HTTP/1.1`))
  await new Promise((resolve) => socket.once('data', resolve))
  socket.resume()
  proxy.close()
  await ended
  expect(existsSync(path)).toBe(false)
})

test('its socket may lie in a folder with a name as long as one may be', async () => {
  const folder = join(root, 'n'.repeat(200))
  mkdirSync(folder)
  const { proxy } = open({ path: join(folder, 'network') })
  expect(existsSync(join(folder, 'network'))).toBe(true)
  proxy.close()
})

test('where the machine has a proxy of its own, that one is asked for the way, and not for what is not listed', async () => {
  const asked: string[] = []
  const other = open({ reach: () => new Reach(['open'], []) })
  const relay = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket, bytes) {
        asked.push(bytes.toString().split('\r\n')[0] ?? '')
        void say(other.path, bytes.toString()).then((text) => socket.end(text))
      },
    },
  })
  endings.push(() => relay.stop(true))
  const { path } = open({
    env: { HTTPS_PROXY: `http://me:word@127.0.0.1:${relay.port}`, NO_PROXY: 'direct.test' },
    reach: () => new Reach([`server.test:${port}`, `direct.test:${port}`, '127.0.0.1'], []),
  })
  expect(await say(path, head('CONNECT evil.test:443 HTTP/1.1'))).toContain('403')
  expect(asked).toEqual([])
  const way = connect({ path })
  way.write(head(`CONNECT server.test:${port} HTTP/1.1`))
  await until('the question', () => asked.length > 0)
  way.destroy()
  expect(asked).toEqual([`CONNECT server.test:${port} HTTP/1.1`])
  const direct = head(`GET http://direct.test:${port}/direct HTTP/1.1`, `Host: direct.test:${port}`)
  expect(await say(path, direct)).toContain('/direct')
  expect(asked).toHaveLength(1)
})
