import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postOutside } from '../../src/util/net/post-outside'

/** Loopback has many addresses: one stands for what is allowed, the other for what is not. */
const ALLOWED = '127.0.0.2'
const OTHER = '127.0.0.3'
const NETWORKS = [`${ALLOWED}/32`]
const NAME = 'desk.example'

const folder = mkdtempSync(join(tmpdir(), 'ld-callback-'))
const certificate = { key: '', cert: '' }
beforeAll(async () => {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const made = Bun.spawn(
    [
      ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-keyout', key, '-out', cert, '-days', '2', '-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`],
    ],
    { stdout: 'ignore', stderr: 'ignore' },
  )
  expect(await made.exited).toBe(0)
  certificate.key = readFileSync(key, 'utf8')
  certificate.cert = readFileSync(cert, 'utf8')
})
afterAll(() => rmSync(folder, { recursive: true }))

function listen(hostname: string, port = 0, answer = () => new Response(null, { status: 204 })) {
  const got: { host: string | null; body: string }[] = []
  const server = Bun.serve({
    hostname,
    port,
    tls: certificate,
    async fetch(request) {
      got.push({ host: request.headers.get('host'), body: await request.text() })
      return answer()
    },
  })
  return { got, port: server.port ?? 0, [Symbol.dispose]: () => void server.stop(true) }
}

/** Answers each look-up with the next of these, the last one for ever. */
function names(...answers: string[][]) {
  const asked: string[] = []
  return {
    asked,
    resolve: async (name: string) => {
      asked.push(name)
      return answers[Math.min(asked.length, answers.length) - 1] ?? []
    },
  }
}

const post = (url: string, more: Partial<Parameters<typeof postOutside>[0]> = {}) =>
  postOutside({
    setting: 'inbox.callbackNetworks',
    url,
    body: '{"a":1}',
    headers: { 'content-type': 'application/json' },
    networks: NETWORKS,
    signal: new AbortController().signal,
    ca: certificate.cert,
    ...more,
  })

test('the connection goes to the address that was judged, and TLS proves the name', async () => {
  using server = listen(ALLOWED)
  const { asked, resolve } = names([ALLOWED])
  expect(await post(`https://${NAME}:${server.port}/hook`, { resolve })).toBe(null)
  expect(server.got).toEqual([{ host: `${NAME}:${server.port}`, body: '{"a":1}' }])
  expect(asked).toEqual([NAME])
  // The same address, by a name that its certificate does not hold, after a connection that did.
  expect(await post(`https://other.example:${server.port}/hook`, { resolve })).toContain('ALTNAME')
  expect(await post(`https://${NAME}:${server.port}/hook`, { resolve, ca: '' })).toMatch(/self.signed/i)
  expect(server.got).toHaveLength(1)
})

test('a name that leads elsewhere at the second look-up is looked up once', async () => {
  using allowed = listen(ALLOWED)
  using other = listen(OTHER, allowed.port)
  const { asked, resolve } = names([ALLOWED], [OTHER])
  expect(await post(`https://${NAME}:${allowed.port}/`, { resolve })).toBe(null)
  expect(asked).toHaveLength(1)
  expect(allowed.got).toHaveLength(1)
  // The next reply finds where it leads now, and does not go there.
  expect(await post(`https://${NAME}:${allowed.port}/`, { resolve })).toContain(OTHER)
  expect(other.got).toEqual([])
})

test('of several addresses those that are not allowed are never tried', async () => {
  using allowed = listen(ALLOWED)
  using other = listen(OTHER, allowed.port)
  const url = `https://${NAME}:${allowed.port}/`
  expect(await post(url, names([OTHER, '169.254.169.254', ALLOWED]))).toBe(null)
  expect(await post(url, { ...names([OTHER, ALLOWED]), networks: [] })).toContain('inbox.callbackNetworks')
  expect([allowed.got.length, other.got.length]).toEqual([1, 0])
})

test('the next address is tried when nobody answers at the first', async () => {
  using server = listen(ALLOWED)
  const networks = ['127.0.0.0/8']
  expect(await post(`https://${NAME}:${server.port}/`, { ...names([OTHER, ALLOWED]), networks })).toBe(null)
})

test('nothing leads to this machine, a private network or a service of the cloud unless it is allowed', async () => {
  using server = listen(OTHER)
  const addresses = ['127.0.0.1', OTHER, '10.0.0.1', '192.168.0.1', '100.64.0.1', '::1', 'fd00::1', '::ffff:127.0.0.1']
  for (const address of [...addresses, '169.254.169.254', 'fe80::1', '224.0.0.1', '64:ff9b::7f00:3', '0.0.0.0']) {
    expect(await post(`https://${NAME}:${server.port}/`, names([address]))).toContain(address)
    const literal = address.includes(':') ? `[${address}]` : address
    if (!/^127|^::1$/.test(address))
      expect(await post(`https://${literal}:${server.port}/`, names([]))).toContain('leads to')
  }
  // What is special stays so in an allowed network.
  for (const address of ['169.254.169.254', '0.0.0.0'])
    expect(await post(`https://${NAME}/`, { ...names([address]), networks: ['0.0.0.0/0'] })).toContain(
      'nothing may be sent',
    )
  expect(await post(`https://${NAME}/`, names([]))).toBe(`${NAME} has no address`)
  expect(server.got).toEqual([])
})

test('http on this machine goes where the callback names this machine, and nowhere else', async () => {
  const got: string[] = []
  using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => new Response(String(got.push(request.url))),
  })
  expect(await post(`http://127.0.0.1:${server.port}/a`, { networks: [] })).toBe(null)
  expect(await post(`http://localhost:${server.port}/b`, { networks: [], ...names(['127.0.0.1']) })).toBe(null)
  expect(got).toHaveLength(2)
  // A hosts file that leads elsewhere.
  expect(await post(`http://localhost:${server.port}/`, { networks: [], ...names(['8.8.8.8']) })).toContain('8.8.8.8')
})

test('a redirect is not followed', async () => {
  using other = listen(OTHER)
  using server = listen(ALLOWED, 0, () => Response.redirect(`https://${OTHER}:${other.port}/`, 307))
  expect(await post(`https://${NAME}:${server.port}/`, names([ALLOWED]))).toBe('it responded with status 307')
  expect(other.got).toEqual([])
})

test('a look-up that never ends is given up with the server', async () => {
  const ending = new AbortController()
  const waiting = post(`https://${NAME}/`, { resolve: () => new Promise(() => {}), signal: ending.signal })
  ending.abort()
  expect(await waiting).toContain('abort')
})
