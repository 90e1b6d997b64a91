import { afterAll, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { desktopCommand, showOnDesktop } from '../../src/app/notify/desktop'
import { GONE, type Outgoing } from '../../src/app/notify/outgoing'
import { SENDERS } from '../../src/app/notify/senders'
import type { ChannelKind } from '../../src/domain/notify/channel-kind'
import { hmacSha256, makePushKeys } from '../../src/util/crypto'
import { startPushService } from './push-service'
import { startSmtp } from './smtp-server'

const folder = mkdtempSync('/tmp/ld-notify-')
afterAll(() => rmSync(folder, { recursive: true }))

const SETTINGS = { networks: [], allowsCommands: true, signal: new AbortController().signal }
/** Texts of agents and strangers: markup, quotes, lines, and letters beyond ASCII. */
const TITLE = 'Deploy <b>“Leuchtturm”</b> & more'
const TEXT = `Bash: rm -rf "$HOME" <script>\n灯台 *bold* https://evil.example`

/** A service that keeps what it was sent. */
function listen(status = 200) {
  const got: { path: string; headers: Headers; body: string }[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      got.push({ path: new URL(request.url).pathname, headers: request.headers, body: await request.text() })
      return new Response(null, { status })
    },
  })
  return { got, url: `http://127.0.0.1:${server.port}`, [Symbol.dispose]: () => void server.stop(true) }
}

const outgoing = (
  kind: ChannelKind,
  more: Partial<Outgoing> & { at?: Partial<Outgoing['channel']> } = {},
): Outgoing => {
  const { at, ...rest } = more
  return {
    ids: ['n-1'],
    channel: { name: 'c', kind, target: null, server: null, sender: null, ...at },
    secret: null,
    pushKeys: null,
    needs: 3,
    event: 'question',
    title: TITLE,
    text: TEXT,
    path: '/?need=q',
    link: 'https://lode.example/?need=q',
    answerSecret: 'n-1.secret',
    answerUrl: 'https://lode.example/api/notify/answer',
    ...rest,
  }
}

test('ntfy gets the topic, the texts as they are, and a button for each answer', async () => {
  using service = listen()
  const sent = outgoing('ntfy', { at: { target: `${service.url}/sub/my%20topic` }, secret: 'tk_1' })
  expect(await SENDERS.ntfy(sent, SETTINGS)).toBeNull()
  const [{ path, headers, body } = { path: '', headers: new Headers(), body: '{}' }] = service.got
  expect(path).toBe('/sub/')
  expect(headers.get('authorization')).toBe('Bearer tk_1')
  expect(JSON.parse(body)).toEqual({
    topic: 'my topic',
    title: TITLE,
    message: TEXT,
    click: 'https://lode.example/?need=q',
    actions: ['allow', 'deny'].map((behavior) => ({
      action: 'http',
      label: behavior === 'allow' ? 'Allow' : 'Deny',
      url: 'https://lode.example/api/notify/answer',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret: 'n-1.secret', behavior }),
      clear: true,
    })),
  })
})

test('a webhook can prove who posted, and without a public address there is no button', async () => {
  using service = listen()
  const sent = outgoing('webhook', { at: { target: `${service.url}/hook?a=1` }, secret: 'lns_x', answerUrl: null })
  expect(await SENDERS.webhook(sent, SETTINGS)).toBeNull()
  const [{ headers, body } = { headers: new Headers(), body: '' }] = service.got
  const head = `${headers.get('lodeline-timestamp')}.c./hook?a=1.`
  const signature = hmacSha256('lns_x', head, new TextEncoder().encode(body)).toString('hex')
  expect(headers.get('lodeline-signature')).toBe(`v1=${signature}`)
  expect(JSON.parse(body)).toMatchObject({
    type: 'notification',
    event: 'question',
    title: TITLE,
    text: TEXT,
    actions: [],
  })
})

test("Slack's own marks in a text mean nothing", async () => {
  using service = listen()
  expect(await SENDERS.slack(outgoing('slack', { at: { target: `${service.url}/T/B/x` } }), SETTINGS)).toBeNull()
  const { text } = JSON.parse(service.got[0]?.body ?? '{}') as { text: string }
  expect(text).toContain('&lt;b&gt;“Leuchtturm”&lt;/b&gt; &amp; more')
  expect(text).not.toContain('<script>')
  expect(text).toEndWith('<https://lode.example/?need=q|Open>')
})

test('Telegram gets a text without markup, and a button only for an address that it takes', async () => {
  using service = listen()
  const at = { target: '-100', server: service.url }
  expect(await SENDERS.telegram(outgoing('telegram', { at, secret: '42:AbC' }), SETTINGS)).toBeNull()
  const local = outgoing('telegram', { at, secret: '42:AbC', link: 'http://127.0.0.1:4655/' })
  expect(await SENDERS.telegram(local, SETTINGS)).toBeNull()
  expect(service.got.map(({ path }) => path)).toEqual(Array(2).fill('/bot42:AbC/sendMessage'))
  const [open, plain] = service.got.map(({ body }) => JSON.parse(body) as Record<string, unknown>)
  expect(open).toMatchObject({ chat_id: '-100', text: `${TITLE}\n${TEXT}` })
  expect(open).toHaveProperty('reply_markup.inline_keyboard.0.0.url', 'https://lode.example/?need=q')
  expect(open).not.toHaveProperty('parse_mode')
  expect(plain).toMatchObject({ text: `${TITLE}\n${TEXT}\nhttp://127.0.0.1:4655/` })
  expect(plain).not.toHaveProperty('reply_markup')
})

test('a mail server gets one mail, with the login and no header of a stranger', async () => {
  using server = await startSmtp()
  const at = { target: 'ann@example.org', server: server.url, sender: 'lode@example.org' }
  const sent = outgoing('email', { at, secret: 'pass word', title: 'One\r\nBcc: eve@example.org' })
  expect(await SENDERS.email(sent, SETTINGS)).toBeNull()
  expect(server.mails).toHaveLength(1)
  expect(server.mails[0]).toMatchObject({ auth: '\0ann\0pass word' })
  expect(server.mails[0]?.to).toContain('<ann@example.org>')
  expect(server.mails[0]?.from).toContain('<lode@example.org>')
  const [head = ''] = server.mails[0]?.data.split('\n\n') ?? []
  expect(head).toContain('Subject: One Bcc: eve@example.org')
  expect(head).not.toMatch(/^Bcc:/m)
})

test('what refuses is named, and no secret is', async () => {
  using service = listen(500)
  const status = 'it responded with status 500'
  expect(await SENDERS.ntfy(outgoing('ntfy', { at: { target: `${service.url}/t` } }), SETTINGS)).toBe(status)
  const inside = outgoing('webhook', { at: { target: 'https://desk.example/' } })
  const resolve = async () => ['10.1.2.3']
  expect(await SENDERS.webhook(inside, { ...SETTINGS, resolve })).toContain('notify.networks allows a private network')
  const mail = outgoing('email', { at: { target: 'a@b.example', server: 'smtps://mail.example' } })
  expect(await SENDERS.email(mail, { ...SETTINGS, resolve })).toContain('notify.networks')
  using refusing = await startSmtp('554 no')
  const refused = outgoing('email', { at: { target: 'a@b.example', server: refusing.url }, secret: 'x' })
  await expect(SENDERS.email(refused, SETTINGS)).rejects.toThrow('554')
})

test('a program gets the notification on its standard input, where the settings allow programs', async () => {
  const file = join(folder, 'got')
  const target = JSON.stringify(['sh', '-c', 'cat > "$1"', 'sh', file])
  const sent = outgoing('command', { at: { target } })
  expect(await SENDERS.command(sent, { ...SETTINGS, allowsCommands: false })).toContain('notify.commands')
  expect(await SENDERS.command(sent, SETTINGS)).toBeNull()
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ title: TITLE, text: TEXT })
  const failing = outgoing('command', { at: { target: JSON.stringify(['sh', '-c', 'echo broken >&2; exit 3']) } })
  expect(await SENDERS.command(failing, SETTINGS)).toBe('sh: exit code 3: broken')
})

test('the desktop gets the texts as arguments', async () => {
  const [shown, program] = [join(folder, 'shown'), join(folder, 'notify-send')]
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > '${shown}'\n`)
  chmodSync(program, 0o755)
  const PATH = process.env.PATH
  process.env.PATH = `${folder}:${PATH}`
  try {
    expect(await showOnDesktop(outgoing('desktop', { title: '--help' }), SETTINGS)).toBeNull()
  } finally {
    process.env.PATH = PATH
  }
  expect(readFileSync(shown, 'utf8')).toStartWith(
    `--app-name=Lodeline\n--\n--help\nBash: rm -rf "$HOME" &lt;script&gt;\n`,
  )
  // Elsewhere the texts are no code either.
  for (const platform of ['darwin', 'win32'] as const)
    expect(desktopCommand(platform, 'T"; evil', 'x').filter((word) => word.includes('evil'))).toEqual(
      platform === 'darwin' ? ['T"; evil'] : [],
    )
})

test("a browser's push service gets it signed, encrypted for that browser alone, with an answer for each button", async () => {
  using service = startPushService()
  const pushKeys = await makePushKeys()
  const sent = outgoing('push', { at: { target: service.endpoint }, secret: service.secret, pushKeys, answerUrl: null })
  expect(await SENDERS.push(sent, SETTINGS)).toBeNull()
  const [{ payload, headers, raw } = { payload: {}, headers: new Headers(), raw: Buffer.alloc(0) }] = service.got
  expect(payload).toEqual({
    title: TITLE,
    text: TEXT,
    path: '/?need=q',
    tag: 'n-1',
    needs: 3,
    actions: ['allow', 'deny'],
    answerSecret: 'n-1.secret',
  })
  expect(headers.get('urgency')).toBe('high')
  // Whoever carries it reads nothing.
  for (const word of ['Deploy', 'Leuchtturm', 'n-1.secret', 'need=q', pushKeys.privateKey])
    expect(`${raw.toString('latin1')} ${JSON.stringify([...headers])}`).not.toContain(word)
})

test('a subscription that its browser ended is told as such, and keys that are none are an error', async () => {
  using gone = startPushService(410)
  const pushKeys = await makePushKeys()
  const sent = outgoing('push', { at: { target: gone.endpoint }, secret: gone.secret, pushKeys })
  expect(await SENDERS.push(sent, SETTINGS)).toBe(GONE)
  await expect(SENDERS.push({ ...sent, secret: 'a.b' }, SETTINGS)).rejects.toThrow()
  using busy = startPushService(503)
  const again = outgoing('push', { at: { target: busy.endpoint }, secret: busy.secret, pushKeys })
  expect(await SENDERS.push(again, SETTINGS)).toBe('it responded with status 503')
})
