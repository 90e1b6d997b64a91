import { afterAll, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fakeIo } from '../kit/fake-io'
import { openBrowser } from './open-browser'

const root = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(root, { recursive: true, force: true }))

let made = 0
/** A machine with these programs, each of which writes down its arguments and ends with its code. */
function machine(programs: Record<string, number>, env: Record<string, string> = {}) {
  const folder = join(root, String(made++))
  mkdirSync(folder)
  for (const [name, code] of Object.entries(programs)) {
    writeFileSync(
      join(folder, name),
      `#!/bin/sh\nprintf '%s\\n' ${name} "$#" "$@" "$SECRET" > '${folder}/said'\nexit ${code}\n`,
    )
    chmodSync(join(folder, name), 0o700)
  }
  const io = fakeIo({ env: { PATH: folder, ...env } })
  const said = () =>
    existsSync(join(folder, 'said')) ? readFileSync(join(folder, 'said'), 'utf8').trimEnd().split('\n') : null
  return { io, said, home: join(folder, 'home') }
}

const URL = 'http://127.0.0.1:1/login#code=A&to=%2F'

/** What the only page of a home leads to, as a browser understands it. */
async function pageIn(home: string): Promise<{ path: string; leadsTo: string | undefined }> {
  const [name = ''] = readdirSync(join(home, 'open'))
  const path = join(home, 'open', name)
  let leadsTo: string | undefined
  const reader = new HTMLRewriter().on('meta[http-equiv=refresh]', {
    element: (element) => {
      leadsTo = element.getAttribute('content')?.replaceAll('&amp;', '&').replace('0; url=', '')
    },
  })
  await reader.transform(new Response(readFileSync(path, 'utf8'))).text()
  return { path, leadsTo }
}

test("the desktop's own program is given a page, which alone holds the address and which only its owner reads", async () => {
  for (const [platform, env, program] of [
    ['linux', { DISPLAY: ':0' }, 'xdg-open'],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, 'xdg-open'],
    ['linux', { WSL_DISTRO_NAME: 'Debian' }, 'wslview'],
    ['darwin', {}, 'open'],
  ] as const) {
    const { io, said, home } = machine({ 'xdg-open': 0, wslview: 0, open: 0 }, env)
    expect(await openBrowser('http://127.0.0.1:1/login#code=A&to=%2Ftree', home, io, platform)).toBe(true)
    const { path, leadsTo } = await pageIn(home)
    expect(said()).toEqual([program, '1', path])
    expect(leadsTo).toBe('http://127.0.0.1:1/login#code=A&to=%2Ftree')
    expect([statSync(path).mode & 0o777, statSync(join(home, 'open')).mode & 0o777]).toEqual([0o600, 0o700])
  }
})

test('no address becomes markup of the page', async () => {
  const { io, home } = machine({ open: 0 })
  const url = `http://127.0.0.1:1/login#code=A&to=%2F"><script>x</script>'`
  expect(await openBrowser(url, home, io, 'darwin')).toBe(true)
  const { path, leadsTo } = await pageIn(home)
  expect(readFileSync(path, 'utf8').match(/<script|'|"[^=>]*"[^ >]/)).toBe(null)
  expect(leadsTo).toStartWith('http://127.0.0.1:1/login#code=A&to=%2F')
})

test('pages of earlier times are removed, and those of now stay', async () => {
  const { io, home } = machine({ open: 0 })
  const folder = join(home, 'open')
  mkdirSync(folder, { recursive: true })
  for (const name of ['old', 'new']) writeFileSync(join(folder, `${name}.html`), '')
  const then = Date.now() / 1_000 - 600
  utimesSync(join(folder, 'old.html'), then, then)
  expect(await openBrowser(URL, home, io, 'darwin')).toBe(true)
  const names = readdirSync(folder)
  expect([names.includes('old.html'), names.includes('new.html'), names.length]).toEqual([false, true, 2])
})

test('nothing is started without a desktop, or where its program is missing', async () => {
  const bare = machine({ 'xdg-open': 0, wslview: 0, open: 0 })
  expect([await openBrowser(URL, bare.home, bare.io, 'linux'), bare.said()]).toEqual([false, null])
  const missing = machine({}, { DISPLAY: ':0' })
  expect([await openBrowser(URL, missing.home, missing.io, 'linux'), existsSync(missing.home)]).toEqual([false, false])
})

test('a program that fails opened nothing', async () => {
  const { io, said, home } = machine({ 'xdg-open': 3 }, { DISPLAY: ':0' })
  expect(await openBrowser(URL, home, io, 'linux')).toBe(false)
  expect(said()?.[0]).toBe('xdg-open')
})

test('only an address of the web is opened', async () => {
  const { io, said, home } = machine({ 'xdg-open': 0 }, { DISPLAY: ':0' })
  for (const url of ['file:///etc/passwd', 'javascript:1', '--help', 'mailto:x@y', ' http://x'])
    expect([url, await openBrowser(url, home, io, 'linux')]).toEqual([url, false])
  expect(said()).toBe(null)
})
