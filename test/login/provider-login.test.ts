import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, httpTransport } from '../../src/api/client'
import { type RunningServer, startServer } from '../../src/app/server/server'
import { dispatch } from '../../src/cli/dispatch'
import { fakeIo } from '../../src/cli/kit/fake-io'
import { loadConfig } from '../../src/config/load'
import type { Logger } from '../../src/util/log'
import { KeptLog } from '../api/start-api'
import { copyTables } from '../lab/tables'
import { CLIENT, type Lies, type Provider, startProvider } from './provider'

let provider: Provider
beforeAll(async () => {
  provider = await startProvider()
})
afterAll(() => provider[Symbol.asyncDispose]())

let root: string
let home: string
let server: RunningServer
let log: KeptLog
async function start(more: Record<string, string> = {}) {
  const secretFile = join(root, 'secret')
  writeFileSync(secretFile, `${CLIENT.secret}\n`, { mode: 0o600 })
  const settings = {
    'listen.port': 0,
    'agents.claude-code.homes': [join(root, '.claude')],
    'login.oidc.issuer': provider.issuer,
    'login.oidc.clientId': CLIENT.id,
    'login.oidc.secretFile': secretFile,
    ...more,
  }
  const config = loadConfig({ env: { HOME: root, LODELINE_HOME: home }, cwd: root, flags: { settings } })
  return await startServer({ config, log: log as unknown as Logger, isCollecting: false })
}
beforeEach(async () => {
  root = realpathSync(mkdtempSync('/tmp/ld-'))
  home = join(root, 'lode')
  copyTables(home)
  log = new KeptLog()
  server = await start()
  Object.assign(provider.who, {
    claims: { sub: 'ada-1', email: 'Ada@Example.org', email_verified: true },
    lies: {},
    denies: false,
  })
})
afterEach(async () => {
  await server.stop()
  rmSync(root, { recursive: true, force: true })
})

const operator = () => {
  const token = readFileSync(join(home, 'token'), 'utf8').trim()
  return createClient(httpTransport({ token, origin: server.url }), { baseUrl: server.url })
}

/** As a browser sends what another site's page led it to. */
const LINKED = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

/** A browser: it keeps cookies by their paths as it should, and shows where it is sent. */
class Browser {
  private readonly cookies = new Map<string, { value: string; path: string }>()

  async go(url: string, headers: Record<string, string> = {}): Promise<Response> {
    const { pathname } = new URL(url)
    const sent = [...this.cookies]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([n, { value }]) => `${n}=${value}`)
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie: sent.join('; '), ...headers } })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = '', path = ''] = /^([^=]+)=([^;]*); Path=([^;]+)/.exec(set) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, { value, path })
    }
    return answer
  }

  /** To the provider and to the address that leads back, without following it. */
  async atProvider(query = ''): Promise<string> {
    const began = await this.go(`${server.url}/api/login/provider${query}`)
    expect(began.status).toBe(303)
    const sent = await fetch(began.headers.get('location') ?? '', { redirect: 'manual' })
    return sent.headers.get('location') ?? ''
  }

  async come(back: string): Promise<string | null> {
    const answer = await this.go(back, LINKED)
    expect(answer.status).toBe(303)
    return answer.headers.get('location')
  }

  async logIn(query = ''): Promise<string | null> {
    return await this.come(await this.atProvider(query))
  }

  async me(): Promise<Record<string, unknown> | number> {
    const answer = await this.go(`${server.url}/api/me`)
    return answer.ok ? ((await answer.json()) as Record<string, unknown>) : answer.status
  }
}

const add = (login: string) => operator().users.add({ name: 'Ada', role: 'approver', login })
const refusals = async () => (await operator().audit.list({ act: 'login.refuse' })).lines.map(({ detail }) => detail)

test('a person whom the provider knows by a verified address comes in, as that person, to the page that was wanted', async () => {
  await add('ada@example.ORG')
  const browser = new Browser()
  expect(await browser.logIn('?to=%2Ftasks%3Fstatus%3Dpaused')).toBe('/tasks?status=paused')
  expect(await browser.me()).toMatchObject({ kind: 'approver', name: 'Ada', role: 'approver' })
  const [line] = (await operator().audit.list({ act: 'login.enter' })).lines
  expect(line).toMatchObject({ actor: { kind: 'approver', name: 'Ada' }, detail: { by: 'provider' } })
  await operator().users.remove('Ada')
  expect(await browser.me()).toBe(401)
  expect(await browser.logIn()).toBe('/login#refused=unknown')
})

test('a subject counts as it is, and one that looks like an address is not taken for one', async () => {
  await add('ada-1')
  provider.who.claims = { sub: 'ada-1' }
  expect(await new Browser().logIn()).toBe('/')
  provider.who.claims = { sub: 'ADA-1' }
  expect(await new Browser().logIn()).toBe('/login#refused=unknown')
  await operator().users.edit('Ada', { login: 'ada@example.org' })
  provider.who.claims = { sub: 'ada@example.org' }
  expect(await new Browser().logIn()).toBe('/login#refused=unknown')
})

test('nobody gets in who was not added, and an address counts only where it is verified', async () => {
  const browser = new Browser()
  expect(await browser.logIn()).toBe('/login#refused=unknown')
  await add('ada@example.org')
  for (const email_verified of [false, undefined, 'true', 1]) {
    provider.who.claims = { sub: 'x', email: 'ada@example.org', email_verified }
    expect(await browser.logIn()).toBe('/login#refused=unknown')
  }
  expect(await browser.me()).toBe(401)
  expect(await refusals()).toContainEqual({ by: 'provider', reason: 'unknown', login: 'Ada@Example.org' })
})

const LIES: Record<string, Lies> = {
  'another nonce': { claims: (own) => ({ ...own, nonce: 'another' }) },
  'no nonce': { claims: ({ nonce: _, ...own }) => own },
  'another audience': { claims: (own) => ({ ...own, aud: 'another' }) },
  'another issuer': { claims: (own) => ({ ...own, iss: 'https://evil.example' }) },
  'a time that is over': { claims: (own) => ({ ...own, exp: Number(own.iat) - 3_600, iat: Number(own.iat) - 7_200 }) },
  'no subject': { claims: ({ sub: _, ...own }) => own },
  'a signature by another key': { hasOtherKey: true },
  'no signature': {
    token: (token) => `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`,
  },
  'a changed text': {
    token: (token) => {
      const [head = '', body = '', signature = ''] = token.split('.')
      const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
      return [head, Buffer.from(JSON.stringify({ ...claims, extra: 1 })).toString('base64url'), signature].join('.')
    },
  },
}

test.each(Object.entries(LIES))('an ID token with %s lets nobody in', async (_, lies) => {
  await add('ada@example.org')
  const browser = new Browser()
  provider.who.lies = lies
  expect(await browser.logIn()).toBe('/login#refused=unproven')
  expect([await browser.me(), await refusals()]).toEqual([401, [{ by: 'provider', reason: 'unproven', login: null }]])
  provider.who.lies = {}
  expect(await browser.logIn()).toBe('/')
})

test('an answer counts once, in the browser that asked for it, with the state that it was given', async () => {
  await add('ada@example.org')
  const browser = new Browser()
  const back = await browser.atProvider()
  // Somebody else's browser, that began a login of its own or none.
  const other = new Browser()
  expect(await other.come(back)).toBe('/login#refused=expired')
  await other.atProvider()
  expect([await other.come(back), await other.me()]).toEqual(['/login#refused=expired', 401])
  expect(await browser.come(back)).toBe('/')
  expect(await browser.come(back)).toBe('/login#refused=expired')
  // From the same browser, with another state, and with a code that nobody gave.
  for (const [field, reason] of [
    ['state', 'expired'],
    ['code', 'unproven'],
  ] as const) {
    const changed = new URL(await browser.atProvider())
    changed.searchParams.set(field, 'another')
    expect([field, await browser.come(changed.href)]).toEqual([field, `/login#refused=${reason}`])
  }
  provider.who.denies = true
  expect(await browser.logIn()).toBe('/login#refused=declined')
})

test('nobody is led elsewhere: neither by a page that is wanted, nor by a host that is not ours', async () => {
  await add('ada@example.org')
  for (const to of ['//evil.example', '/\\evil.example', 'https://evil.example', '/a b', 'javascript:x'])
    expect(await new Browser().logIn(`?to=${encodeURIComponent(to)}`)).toBe('/')
  expect((await new Browser().go(`${server.url}/api/login/provider`, { host: 'evil.example' })).status).toBe(403)
  expect([...new Set(provider.asked.filter((one) => one.startsWith(server.url)))]).toEqual([
    `${server.url}/api/login/provider/back`,
  ])
  expect(provider.asked.some((one) => one.includes('evil'))).toBe(false)
  // Another site's page may lead back, and read nothing by a script, nor begin a login.
  const script = { ...LINKED, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', origin: 'https://evil.example' }
  for (const path of ['/api/login/provider/back', '/api/login/provider'])
    expect((await new Browser().go(server.url + path, script)).status).toBe(403)
  expect((await new Browser().go(`${server.url}/api/login/provider`, LINKED)).status).toBe(403)
})

test('the address that a person set is the one that the provider sends back to', async () => {
  await server.stop()
  const port = new URL(server.url).port
  server = await start({ 'listen.port': port, 'server.publicUrl': `http://localhost:${port}` })
  const elsewhere = await new Browser().go(`http://127.0.0.1:${port}/api/login/provider`)
  expect(elsewhere.headers.get('location')).toBe(`http://localhost:${port}/login`)
  const began = await new Browser().go(`http://localhost:${port}/api/login/provider`)
  const to = new URL(began.headers.get('location') ?? '')
  expect(to.searchParams.get('redirect_uri')).toBe(`http://localhost:${port}/api/login/provider/back`)
})

test('a provider that does not answer is said to, and the page knows whether there is one', async () => {
  expect(await (await fetch(`${server.url}/api/login`)).json()).toEqual({ provider: new URL(provider.issuer).host })
  await server.stop()
  server = await start({ 'login.oidc.issuer': 'http://127.0.0.1:9' })
  expect((await new Browser().go(`${server.url}/api/login/provider`)).status).toBe(503)
  await server.stop()
  server = await start({ 'login.oidc.issuer': 'off' })
  expect(await (await fetch(`${server.url}/api/login`)).json()).toEqual({ provider: null })
  expect((await new Browser().go(`${server.url}/api/login/provider`)).status).toBe(404)
})

test('the secret is in no list of settings, no log and no answer, and only issuers of this machine may do without TLS', async () => {
  await add('ada@example.org')
  await new Browser().logIn()
  const lode = async (...words: string[]) => {
    const env = { HOME: root, LODELINE_HOME: home, LODELINE_OIDC_SECRET: CLIENT.secret }
    const io = fakeIo({ env, cwd: root })
    const code = await dispatch(words, io, new AbortController().signal)
    return { code, said: io.stdout + io.stderr }
  }
  expect((await lode('config', 'list', '--json')).said).not.toContain(CLIENT.secret)
  expect(log.lines.join('\n')).not.toContain(CLIENT.secret)
  for (const issuer of [
    'http://login.example.org',
    'http://127.0.0.1.evil.example',
    'https://me:pw@login.example.org',
    'x',
  ])
    expect([issuer, (await lode('config', 'set', 'login.oidc.issuer', issuer)).code]).toEqual([issuer, 2])
  expect((await lode('config', 'set', 'login.oidc.issuer', 'https://login.example.org/realms/x')).code).toBe(0)
})
