import { afterAll, beforeAll, expect, test } from 'bun:test'
import { browserOfTests, shot, withDashboard } from './page'
import { axeCheck } from './page-axe'
import { Problems } from './page-problems'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; require-trusted-types-for 'script'"

/** A page of each kind, under a policy as strict as our own. */
const PAGES: Record<string, [type: string, body: string]> = {
  '/good': [
    'text/html',
    '<!doctype html><html lang=en><title>Good</title><main><h1>Good</h1><button>Press</button></main>',
  ],
  '/bad': [
    'text/html',
    '<!doctype html><html><title></title><main><h1>Bad</h1><img src="data:,"><button></button></main>',
  ],
  '/inline': ['text/html', '<!doctype html><title>x</title><script>globalThis.ran = true</script>'],
  '/script': ['text/html', '<!doctype html><title>x</title><script src=/wrong.js></script>'],
  '/wrong.js': [
    'text/javascript',
    'console.error("said"); fetch("/none"); open("/good"); alert("hello"); setTimeout(() => { throw new Error("thrown") })',
  ],
  '/far': [
    'text/html',
    '<!doctype html><title>x</title><a ping=http://far.example/ping href=http://far.example/>far</a>',
  ],
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request) {
    const [type, body] = PAGES[new URL(request.url).pathname] ?? []
    if (body === undefined) return new Response('none', { status: 404 })
    return new Response(body, {
      headers: { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': POLICY },
    })
  },
})

beforeAll(async () => void (await browserOfTests()))
afterAll(() => server.stop(true))

async function open(path: string) {
  const page = await (await browserOfTests()).browser.newPage()
  const problems = new Problems(server.url.origin)
  problems.watch(page)
  await page.goto(`${server.url.origin}${path}`)
  await page.waitForTimeout(50)
  return { page, problems }
}

test('axe runs under a strict policy and finds nothing wrong with a good page', async () => {
  const { page, problems } = await open('/good')
  expect(await axeCheck(page)).toEqual([])
  expect(await axeCheck(page, { within: 'main' })).toEqual([])
  problems.allow(/favicon/)
  expect(problems.list()).toEqual([])
  problems.check()
  await page.close()
})

test('axe names what is wrong, and where', async () => {
  const { page } = await open('/bad')
  const found = await axeCheck(page)
  const rules = found.map((line) => line.split(' ')[0])
  expect(rules).toContain('html-has-lang')
  expect(rules).toContain('document-title')
  expect(rules).toContain('image-alt')
  expect(found.find((line) => line.startsWith('button-name'))).toContain('<button>')
  expect((await axeCheck(page, { without: ['image-alt'] })).map((line) => line.split(' ')[0])).not.toContain(
    'image-alt',
  )
  await page.close()
})

test('a breach of the content policy is a problem', async () => {
  const { page, problems } = await open('/inline')
  expect(problems.list().join('\n')).toContain('Content Security Policy')
  expect(() => problems.check()).toThrow('the page did what it should not')
  expect(await page.evaluate<unknown>('globalThis.ran')).toBeUndefined()
  await page.close()
})

test('what a page says, asks in vain, opens and throws are problems', async () => {
  const { page, problems } = await open('/script')
  problems.allow(/favicon/)
  const found = problems.list().join('\n')
  expect(found).toContain('console error: said')
  expect(found).toContain(`refused: GET ${server.url.origin}/none 404`)
  expect(found).toContain('dialog: alert hello')
  expect(found).toContain('uncaught: Error: thrown')
  problems.allow(/said/, /none/, /alert/, /thrown/, /opened a window/, /blocked/i)
  expect(problems.list()).toEqual([])
  await page.close()
})

test('a request to anyone else is a problem, a ping and the page that it leads to included', async () => {
  const { page, problems } = await open('/far')
  await page.click('a')
  await page.waitForTimeout(100)
  expect(problems.list().join('\n')).toContain('asks others: GET http://far.example/')
  await page.close()
})

test('a person comes in by a code and sees the dashboard, and nothing of it is wrong', async () => {
  await withDashboard({}, async ({ page, problems, context, server, client }) => {
    expect(new URL(page.url()).origin).toBe(server.url)
    expect((await client.login.me()).kind).toBe('operator')
    expect((await context.cookies()).map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).toEqual([[true, 'Strict']])
    expect(
      await page.evaluate<string>('document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })'),
    ).not.toMatch(/[A-Z0-9]{4}-[A-Z0-9]{4}/)
    expect(problems.requests.every((url) => url.startsWith(server.url))).toBe(true)
    await shot(page, 'test/empty-home')
  })
})

test('the page stays where it was while its server is killed and comes back', async () => {
  await withDashboard({ size: 'phone', scheme: 'dark', path: '/tree' }, async ({ page, problems, server }) => {
    expect(new URL(page.url()).pathname).toBe('/tree')
    expect(await page.evaluate<boolean>('matchMedia("(prefers-color-scheme: dark)").matches')).toBe(true)
    expect(await page.evaluate<number>('innerWidth')).toBe(390)
    problems.allow(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/)
    await server.kill()
    await expect(fetch(server.url)).rejects.toThrow()
    await server.up()
    await page.reload()
    expect(new URL(page.url()).pathname).toBe('/tree')
  })
})

test('a test fails for what its page did wrong, though its own words hold', async () => {
  const failure = await withDashboard({ isLoggedIn: false }, async ({ page, server }) => {
    await page.goto(`${server.url}/`)
    await page.evaluate('console.error("what nobody expected")')
  }).catch((error: unknown) => error)
  expect(String(failure)).toContain('console error: what nobody expected')
})
