import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { packFiles } from '../../../scripts/web/pack'
import { packAt, stampOf } from '../../../src/app/server/dashboard-files'
import { readPack } from '../../../src/app/server/dashboard-pack'
import { overHttp, TOKEN } from '../start-api'
import { rawHttp, statusOfAnswer } from './raw-http'

const folder = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const PAGE = `<!doctype html><title>Lodeline</title>${'<p>page</p>'.repeat(100)}`
const SCRIPT = `console.log(${JSON.stringify('x'.repeat(5_000))})`
const PIXELS = crypto.getRandomValues(new Uint8Array(900))
const text = (of: string) => new TextEncoder().encode(of)

const site = (page: string) =>
  packFiles([
    { path: 'index.html', bytes: text(page) },
    { path: 'assets/main-3f2a9c81.js', bytes: text(SCRIPT) },
    { path: 'assets/app-00000000.css', bytes: text('p{color:red}') },
    { path: 'assets/shot-12345678.png', bytes: PIXELS },
    { path: 'favicon.ico', bytes: PIXELS },
  ])

let made = 0
/** A server with these pages, built just now. */
async function withPages(pack?: Uint8Array) {
  const path = join(folder, `${made++}.pack`)
  const write = (bytes: Uint8Array) => {
    writeFileSync(`${path}.new`, bytes)
    renameSync(`${path}.new`, path)
  }
  write(pack ?? (await site(PAGE)))
  const api = await overHttp(undefined, {}, { dashboard: packAt(async () => path, stampOf) })
  // By raw bytes: `fetch` unpacks what it gets, and tidies paths up.
  const get = async (target: string, headers: Record<string, string> = {}, method = 'GET') => {
    const lines = Object.entries({ host: `127.0.0.1:${api.port}`, connection: 'close', ...headers })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const answer = await rawHttp(api.port, `${method} ${target} HTTP/1.1\r\n${head}\r\n`, () => false)
    const [top = '', body = ''] = answer.split(/\r\n\r\n(.*)/s)
    const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(top)?.[1]?.trim() ?? null
    return { status: statusOfAnswer(answer), header, body: Buffer.from(body, 'latin1') }
  }
  return Object.assign(api, { get, path, write })
}

test("every address of a page's own is the page, which no token is needed for", async () => {
  await using api = await withPages()
  for (const path of ['/', '/index.html', '/tree', '/sessions/x?y=1', '/issues/ld-1.2.3', '/apix', '/a//b', '/login']) {
    const { status, header, body } = await api.get(path)
    expect([path, status, header('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8'])
    expect(body.toString()).toBe(PAGE)
    expect(header('cache-control')).toBe('no-cache')
  }
})

test('the API, MCP and hooks are no pages', async () => {
  await using api = await withPages()
  for (const path of ['/api', '/api/', '/api/nothing', '/mcp/x', '/hooks', '/hooks/x', '/API/../api/nothing']) {
    const { status, header } = await api.get(path)
    expect([path, status, header('content-type')]).toEqual([path, 404, 'application/json; charset=utf-8'])
  }
  expect((await api.get('/mcp')).status).toBe(401)
  expect((await api.get('/api/sessions')).status).toBe(401)
  expect((await api.get('/api/health')).status).toBe(200)
})

test('a file with its hash in its name is kept for ever, in the form that the browser takes', async () => {
  await using api = await withPages()
  const path = '/assets/main-3f2a9c81.js'
  const as = async (accepted?: string) => {
    const { header, body } = await api.get(path, accepted === undefined ? {} : { 'accept-encoding': accepted })
    expect(header('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(header('vary')).toBe('accept-encoding')
    expect(header('content-type')).toBe('text/javascript; charset=utf-8')
    expect(Number(header('content-length'))).toBe(body.length)
    return { encoding: header('content-encoding'), body, etag: header('etag') }
  }
  const br = await as('gzip, deflate, br, zstd')
  expect([br.encoding, brotliDecompressSync(br.body).toString()]).toEqual(['br', SCRIPT])
  const zipped = await as('gzip;q=1.0, br;q=0')
  expect([zipped.encoding, gunzipSync(zipped.body).toString()]).toEqual(['gzip', SCRIPT])
  const plain = await as()
  expect([plain.encoding, plain.body.toString()]).toEqual([null, SCRIPT])
  expect((await as('identity, zstd')).encoding).toBe(null)
  expect(new Set([br.etag, zipped.etag, plain.etag]).size).toBe(3)
  expect(br.body.length).toBeLessThan(SCRIPT.length / 10)
})

test('what does not compress is sent as it is', async () => {
  await using api = await withPages()
  for (const path of ['/assets/shot-12345678.png', '/favicon.ico']) {
    const { header, body } = await api.get(path, { 'accept-encoding': 'br' })
    expect([header('content-encoding'), header('vary')]).toEqual([null, null])
    expect(new Uint8Array(body)).toEqual(PIXELS)
  }
})

test('a page that the browser has is not sent again, until another was built', async () => {
  await using api = await withPages()
  const first = await api.get('/', { 'accept-encoding': 'br' })
  const etag = first.header('etag') ?? ''
  for (const match of [etag, `"x", W/${etag}`, '*']) {
    const again = await api.get('/tree', { 'accept-encoding': 'br', 'if-none-match': match })
    expect([match, again.status, again.body.length]).toEqual([match, 304, 0])
    expect(again.header('content-security-policy')).toBe(first.header('content-security-policy'))
  }
  expect((await api.get('/', { 'accept-encoding': 'gzip', 'if-none-match': etag })).status).toBe(200)
  api.write(await site('another page'))
  const newer = await api.get('/', { 'if-none-match': etag })
  expect([newer.status, newer.body.toString()]).toEqual([200, 'another page'])
})

test('HEAD tells all but the bytes', async () => {
  await using api = await withPages()
  for (const [path, type, length] of [
    ['/', 'text/html; charset=utf-8', PAGE.length],
    ['/assets/main-3f2a9c81.js', 'text/javascript; charset=utf-8', SCRIPT.length],
  ] as const) {
    const { status, header, body } = await api.get(path, {}, 'HEAD')
    expect([status, header('content-type'), Number(header('content-length')), body.length]).toEqual([
      200,
      type,
      length,
      0,
    ])
  }
})

test('a range is not given: the answer is whole', async () => {
  await using api = await withPages()
  for (const range of ['bytes=0-9', 'bytes=-5', 'bytes=9-0', 'bytes=0-1,3-4']) {
    const { status, header, body } = await api.get('/assets/main-3f2a9c81.js', { range })
    expect([range, status, header('content-range'), body.length]).toEqual([range, 200, null, SCRIPT.length])
  }
})

test('no path leads out of the pages', async () => {
  await using api = await withPages()
  const inside = new Set([PAGE, SCRIPT])
  for (const path of [
    '/..%2f..%2f..%2fetc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/assets/../../../etc/passwd',
    '/assets/..%2f..%2fetc%2fpasswd',
    '/assets/..%5c..%5cetc',
    '/assets/%00',
    '/assets/main-3f2a9c81.js%00.html',
    '/sessions/%0d%0aset-cookie:%20x=1',
    '/%',
    '/%ff%fe',
    '/assets/',
    '/assets/main.js',
    '/assets/constructor',
    '/assets/__proto__',
    '/.env',
    '/package.json',
    '/robots.txt',
    '//evil.example/x',
    '/sessions/..',
    `/${'a'.repeat(10_000)}`,
  ]) {
    const { status, header, body } = await api.get(path)
    const isOurs = status === 404 ? body.toString().includes('"not_found"') : inside.has(body.toString())
    expect([path, isOurs, header('set-cookie')]).toEqual([path, true, null])
  }
  for (const path of ['/..%2f..%2fetc/passwd', '/assets/%00', '/assets/nothing.js', '/robots.txt', '/%ff'])
    expect([path, (await api.get(path)).status]).toEqual([path, 404])
})

test('nothing is written by way of a page', async () => {
  await using api = await withPages()
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    const answer = await api.send('/tree', { method, headers: { 'content-type': 'application/json' } })
    expect([method, answer.status]).toEqual([method, 404])
  }
})

test('a page is refused under a name that is not ours, and to whatever is no link of another site', async () => {
  await using api = await withPages()
  expect((await api.get('/', { host: `evil.example:${api.port}` })).status).toBe(403)
  const cross = (mode: string, dest: string, more: Record<string, string> = {}) =>
    api.get('/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode, 'sec-fetch-dest': dest, ...more })
  expect((await cross('navigate', 'document')).status).toBe(200)
  for (const [mode, dest] of [
    ['navigate', 'iframe'],
    ['navigate', 'embed'],
    ['no-cors', 'script'],
    ['cors', 'empty'],
  ] as const)
    expect([mode, dest, (await cross(mode, dest)).status]).toEqual([mode, dest, 403])
  expect((await cross('navigate', 'document', { origin: 'http://evil.example' })).status).toBe(403)
  // What is a link to a page is none to the record.
  const record = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  expect((await api.get('/api/health', record)).status).toBe(403)
})

test('a page runs, loads and frames nothing but ours', async () => {
  await using api = await withPages()
  for (const path of ['/', '/assets/main-3f2a9c81.js']) {
    const { header } = await api.get(path)
    const policy = header('content-security-policy') ?? ''
    expect(policy.split('; ')).toContain("default-src 'none'")
    expect(policy.split('; ')).toContain("script-src 'self'")
    expect(policy.split('; ')).toContain("frame-ancestors 'none'")
    expect(policy.split('; ')).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
    expect(header('x-content-type-options')).toBe('nosniff')
    expect(header('referrer-policy')).toBe('no-referrer')
    expect(header('cross-origin-opener-policy')).toBe('same-origin')
    expect(header('cross-origin-resource-policy')).toBe('same-origin')
    expect(header('permissions-policy')).toContain('camera=()')
    expect(header('lodeline-version')).toBe('1.2.3')
  }
})

test('where no page was built, or one of another make, the address says what to run', async () => {
  await using none = await withPages()
  rmSync(none.path)
  for (const api of [none, await withPages(text('lodeline dashboard 0\nxxxxxxxx')), await withPages(text(''))]) {
    const { status, header, body } = await api.get('/tree')
    expect([status, header('content-type')]).toEqual([503, 'text/plain; charset=utf-8'])
    expect(body.toString()).toContain('npm run build')
    expect((await api.get('/assets/main-3f2a9c81.js')).status).toBe(404)
    expect((await api.send('/api/health', { headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(200)
    if (api !== none) await api.server.stop(true)
  }
})

test('a file whose ending says nothing of its type is refused when it is packed', async () => {
  await expect(packFiles([{ path: 'assets/x.exe', bytes: PIXELS }])).rejects.toThrow('assets/x.exe')
})

test('a pack gives back every byte', async () => {
  const files = readPack(await site(PAGE))
  expect([...(files?.keys() ?? [])]).toHaveLength(5)
  expect(new TextDecoder().decode(files?.get('index.html')?.bytes(null))).toBe(PAGE)
})
