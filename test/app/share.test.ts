/** That a session can be given away as a file and by a link, and that a link opens nothing but its own part of its own session. */

import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { appendFileSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cookieName } from '../../src/api/server/callers/cookie'
import { type RunningServer, startServer } from '../../src/app/server/server'
import { dispatch } from '../../src/cli/dispatch'
import { fakeIo } from '../../src/cli/kit/fake-io'
import { differences } from '../../src/cli/kit/json-shapes'
import { loadConfig } from '../../src/config/load'
import type { Share } from '../../src/domain/token/share'
import { silentLogger } from '../../src/util/log'
import { HOSTILE_NAMES, HOSTILE_TEXTS } from '../browser/world/world-hostile-texts'
import { copyTables } from '../lab/tables'
import { SampleSecrets } from '../secrets/sample-secrets'

const SESSION = '3f2a9c1e-0000-4000-8000-000000000001'
const OTHER = '7bd01c44-0000-4000-8000-000000000002'

let root: string
let server: RunningServer
let secret: string

beforeEach(async () => {
  root = realpathSync(mkdtempSync('/tmp/ld-'))
  const home = join(root, 'lode')
  copyTables(home)
  const config = loadConfig({
    env: { HOME: root, LODELINE_HOME: home },
    cwd: root,
    flags: { settings: { 'listen.port': 0, 'agents.claude-code.homes': [join(root, '.claude')] } },
  })
  server = await startServer({ config, log: silentLogger, isCollecting: false })
  secret = new SampleSecrets(7).of('github-token')
  const hostile = HOSTILE_NAMES.filter((name) => name !== 'word').map((name) => HOSTILE_TEXTS[name])
  write(SESSION, [
    say(1, 'user', 'the first prompt'),
    say(2, 'assistant', `I use ${secret} now`),
    say(3, 'user', 'the second prompt'),
    call(4, 'ls </pre><script>alert(1)</script>', hostile.join('\n')),
    ...hostile.map((text, at) => say(10 + at, 'assistant', text)),
    say(59, 'assistant', '# Two **<i>bells</i>**\n`ring & tell` **twice**, 2 ** 3'),
    say(60, 'user', 'the third prompt'),
  ])
  write(OTHER, [say(1, 'user', 'of another session')])
  await json('import', join(root, `${SESSION}.jsonl`), join(root, `${OTHER}.jsonl`))
})
afterEach(async () => {
  await server.stop()
  rmSync(root, { recursive: true, force: true })
})

const uuid = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
const line = (at: number, role: string, content: unknown) => ({
  parentUuid: at === 1 ? null : uuid(at - 1),
  isSidechain: false,
  version: '2.1.328',
  cwd: '/home/ada/secret-client/app',
  type: role,
  message: { id: `msg_${at}`, type: 'message', role, model: 'claude-x', content },
  uuid: uuid(at),
  timestamp: new Date(1_700_000_000_000 + at * 1_000).toISOString(),
})
const say = (at: number, role: 'user' | 'assistant', text: string) =>
  line(at, role, role === 'user' ? text : [{ type: 'text', text }])
const call = (at: number, command: string, answer: string) => [
  line(at, 'assistant', [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command } }]),
  line(at + 1, 'user', [{ type: 'tool_result', tool_use_id: 'toolu_1', content: answer }]),
]
const textOf = (session: string, lines: object[]) =>
  lines
    .flat()
    .map((one) => `${JSON.stringify({ ...one, sessionId: session })}\n`)
    .join('')
const write = (session: string, lines: object[]) =>
  writeFileSync(join(root, `${session}.jsonl`), textOf(session, lines))

async function lode(...words: string[]) {
  const io = fakeIo({ env: { HOME: root, LODELINE_HOME: join(root, 'lode'), PATH: root }, cwd: root })
  const code = await dispatch(words, io, new AbortController().signal)
  return { code, out: io.stdout, err: io.stderr }
}
async function json<T>(...words: string[]): Promise<T> {
  const { code, out, err } = await lode(...words, '--json')
  if (code !== 0) throw new Error(`lode ${words.join(' ')} ended with ${code}: ${err}`)
  const answer = JSON.parse(out) as T
  if (words[0] === 'share') expect(differences(answer, `lode share ${words[1]}`, words.join(' '))).toEqual([])
  return answer
}

/** Elements and attributes that a document of ours has: a text that became markup would add another. */
const OWN_TAGS = new Set(
  'html head meta title style body main footer h1 h2 dl div dt dd details summary ol li a section time p b em code pre'.split(
    ' ',
  ),
)
function tagsOf(html: string): string[] {
  const found: string[] = []
  const rewriter = new HTMLRewriter().on('*', {
    element({ tagName, attributes }) {
      found.push(tagName)
      for (const [name, value] of attributes)
        if (name.startsWith('on') || (name === 'href' && !value.startsWith('#')))
          found.push(`${tagName} ${name}=${value}`)
    },
  })
  rewriter.transform(html)
  return [...new Set(found)].filter((tag) => !OWN_TAGS.has(tag))
}

test('a session is written as a page and as Markdown, without its secrets, and no text in it becomes markup', async () => {
  const answer = await json<{ file: string; masked: unknown[]; turns: number }>(
    'session',
    'export',
    SESSION.slice(0, 8),
    '--html',
  )
  expect(answer).toMatchObject({ turns: 3, masked: [{ rule: 'github-token', count: 1, turns: [1] }] })
  const html = readFileSync(answer.file, 'utf8')
  expect(tagsOf(html)).toEqual([])
  expect(html).not.toContain(secret)
  expect(html).not.toContain('secret-client')
  for (const said of ['I use [secret: github-token] now', 'gnp.exe', '⟨U+202E⟩', 'the third prompt'])
    expect(html).toContain(said)
  // Code, strong words and headings are shown as such.
  expect(html).toContain('<b>Two **&lt;i&gt;bells&lt;/i&gt;**</b>\n<code>ring &amp; tell</code> <b>twice</b>, 2 ** 3')
  expect(html.match(/Content-Security-Policy" content="default-src &#39;none&#39;/)).not.toBeNull()

  const md = await lode('session', 'export', SESSION, '--md', '--from', '2', '--until', '2', '--to', 'out')
  expect(md.err).toContain('no secret of a known form')
  const text = readFileSync(md.out.split('\n')[0] ?? '', 'utf8')
  expect(text).toContain('the second prompt')
  for (const foreign of ['the first prompt', 'the third prompt']) expect(text).not.toContain(foreign)
  // Outside of blocks of code no element begins, and no picture.
  const prose = text.replace(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, '')
  expect(prose.match(/(?<!\\)<(?=[a-z/!])|!\[/gi)).toBeNull()

  expect((await lode('session', 'export', SESSION, '--html')).err).toContain('exists already')
  expect((await lode('session', 'export', SESSION, '--html', '--from', '9')).err).toContain('There is no turn 9')
  expect((await lode('session', 'export', SESSION, '--md', '--from', '3', '--until', '1')).err).toContain(
    'ends before it begins',
  )
})

test('a link shows its part of one session to whoever has it, until it is revoked or expires, and opens nothing else', async () => {
  type Created = { share: Share; url: string }
  const { share, url } = await json<Created>('share', 'create', SESSION, '--from', '2', '--expires', '1h')
  const open = (address: string) =>
    fetch(address, {
      headers: { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': 'cross-site' },
    })
  const opened = await open(url)
  const html = await opened.text()
  expect([opened.status, opened.headers.get('set-cookie'), opened.headers.get('cache-control')]).toEqual([
    200,
    null,
    'no-store',
  ])
  expect(opened.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-.*sandbox$/)
  expect(tagsOf(html)).toEqual([])
  expect(html).toContain('the third prompt')
  expect(html).not.toContain('the first prompt')

  // What comes later is not what was shared.
  const last = {
    ...say(70, 'assistant', 'said after the link was made'),
    timestamp: new Date(Date.now() + 60_000).toISOString(),
  }
  appendFileSync(join(root, `${SESSION}.jsonl`), textOf(SESSION, [last]))
  await json('import', join(root, `${SESSION}.jsonl`))
  expect((await lode('session', 'show', SESSION, '-c')).out).toContain('said after the link was made')
  expect(await (await open(url)).text()).not.toContain('said after the link was made')

  // The secret of a link is no token and no login.
  const key = new URL(url).searchParams.get('key') ?? ''
  const bearers: Record<string, string>[] = [
    { authorization: `Bearer ${key}` },
    { cookie: `${cookieName(new Request(server.url, { headers: { host: new URL(server.url).host } }))}=${key}` },
  ]
  for (const path of [
    '/api/me',
    '/api/sessions',
    `/api/sessions/${OTHER}`,
    `/api/sessions/${SESSION}/conversation`,
    '/api/shares',
  ])
    for (const headers of bearers)
      expect([path, (await fetch(server.url + path, { headers })).status]).toEqual([path, 401])
  expect((await fetch(`${server.url}/api/shared?key=${key}x`)).status).toBe(404)
  expect(
    (await fetch(`${server.url}/api/shared?session=${OTHER}&key=${key}`).then((answer) => answer.text())).includes(
      'of another session',
    ),
  ).toBe(false)
  expect((await lode('token', 'revoke', share.id)).err).toContain('There is no token')
  expect((await lode('token', 'list')).out).not.toContain(share.id)

  expect(await json<{ shares: Share[] }>('share', 'list')).toMatchObject({
    shares: [{ id: share.id, sessionId: SESSION, from: 2, until: 3, state: 'active', lastUsedAt: expect.any(String) }],
  })
  await json('share', 'revoke', share.id)
  const gone = await open(url)
  expect([gone.status, await gone.text()]).toEqual([404, expect.stringContaining('was revoked')])

  const second = await json<Created>('share', 'create', SESSION)
  expect((await open(second.url)).status).toBe(200)
  const tables = new Database(join(root, 'lode', 'lodeline.db'))
  // The server may be writing down that the link was used.
  tables.run('pragma busy_timeout = 5000')
  tables.run('update tokens set expires_at = ? where public_id = ?', [Date.now() - 1, second.share.id])
  tables.close()
  expect((await open(second.url)).status).toBe(404)

  // What an admin gave ends with the admin.
  await json('user', 'add', 'Ada', '--role', 'admin')
  const { secret: token } = await json<{ secret: string }>('token', 'create', '--user', 'Ada')
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const made = await fetch(`${server.url}/api/shares`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ sessionId: OTHER }),
  })
  const { path } = (await made.json()) as { path: string }
  expect((await open(server.url + path)).status).toBe(200)
  await json('user', 'remove', 'Ada')
  expect((await open(server.url + path)).status).toBe(404)
})

test('two sessions are written and shared side by side, without what they share, and the link shows nothing said later', async () => {
  const FORK = '9ad01c44-0000-4000-8000-000000000003'
  const own = (at: number, role: 'user' | 'assistant', text: string) => ({
    ...say(at, role, text),
    uuid: `00000000-0000-4000-9000-${String(at).padStart(12, '0')}`,
  })
  write(FORK, [
    say(1, 'user', 'the first prompt'),
    own(2, 'user', `a way with <b>${secret}</b>`),
    own(3, 'assistant', 'done apart'),
  ])
  await json('import', join(root, `${FORK}.jsonl`))
  const answer = await json<{ file: string; masked: { rule: string }[] }>('session', 'compare', SESSION, FORK, '--html')
  const html = readFileSync(answer.file, 'utf8')
  expect(tagsOf(html)).toEqual([])
  expect(html).not.toContain(secret)
  expect(answer.masked.map(({ rule }) => rule)).toEqual(['github-token'])
  for (const said of ['The common line is left out', 'the second prompt', 'done apart', 'a way with &lt;b&gt;'])
    expect(html).toContain(said)
  expect(html).not.toContain('<div class="words" dir="auto">the first prompt')
  const md = await lode('session', 'compare', FORK, OTHER, '--md', '--to', 'out')
  const text = readFileSync(md.out.split('\n')[0] ?? '', 'utf8')
  for (const said of ['Both go on from one conversation.', 'done apart']) expect(text).toContain(said)

  expect((await lode('session', 'compare', FORK, FORK, '--md')).err).toContain('Both are session')
  expect((await lode('session', 'compare', FORK, SESSION, '--to', 'out')).err).toContain('--to and --force go with')
  expect((await lode('share', 'create', FORK, '--beside', OTHER, '--from', '2')).err).toContain('has no range of turns')

  const { share, url } = await json<{ share: Share; url: string }>('share', 'create', SESSION, '--beside', FORK)
  expect(share).toMatchObject({ sessionId: SESSION, besideId: FORK, from: 0, until: 0 })
  const last = {
    ...own(9, 'assistant', 'said after the link was made'),
    timestamp: new Date(Date.now() + 60_000).toISOString(),
  }
  appendFileSync(join(root, `${FORK}.jsonl`), textOf(FORK, [last]))
  await json('import', join(root, `${FORK}.jsonl`))
  const shown = await (await fetch(url)).text()
  for (const said of ['the second prompt', 'done apart']) expect(shown).toContain(said)
  for (const hidden of [secret, 'said after the link was made', 'of another session'])
    expect(shown).not.toContain(hidden)
  expect((await lode('share', 'list')).out).toContain(FORK.slice(0, 8))
  await lode('session', 'forget', FORK, '--yes')
  expect((await fetch(url)).status).toBe(404)
})
