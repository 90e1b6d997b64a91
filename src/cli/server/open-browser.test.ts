import { afterAll, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
  return { io, said }
}

const URL = 'http://127.0.0.1:1/login#code=A&to=%2F$(touch x);\'"`x`'

test("the desktop's own program is given the address as one argument, whatever stands in it", async () => {
  for (const [platform, env, program] of [
    ['linux', { DISPLAY: ':0' }, 'xdg-open'],
    ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, 'xdg-open'],
    ['linux', { WSL_DISTRO_NAME: 'Debian' }, 'wslview'],
    ['darwin', {}, 'open'],
  ] as const) {
    const { io, said } = machine({ 'xdg-open': 0, wslview: 0, open: 0 }, env)
    expect(await openBrowser(URL, io, platform)).toBe(true)
    expect(said()).toEqual([program, '1', URL])
  }
})

test('nothing is started without a desktop, or where its program is missing', async () => {
  const bare = machine({ 'xdg-open': 0, wslview: 0, open: 0 })
  expect([await openBrowser(URL, bare.io, 'linux'), bare.said()]).toEqual([false, null])
  const missing = machine({}, { DISPLAY: ':0' })
  expect(await openBrowser(URL, missing.io, 'linux')).toBe(false)
})

test('a program that fails opened nothing', async () => {
  const { io, said } = machine({ 'xdg-open': 3 }, { DISPLAY: ':0' })
  expect(await openBrowser(URL, io, 'linux')).toBe(false)
  expect(said()?.[0]).toBe('xdg-open')
})

test('only an address of the web is opened', async () => {
  const { io, said } = machine({ 'xdg-open': 0 }, { DISPLAY: ':0' })
  for (const url of ['file:///etc/passwd', 'javascript:1', '--help', 'mailto:x@y', ' http://x'])
    expect([url, await openBrowser(url, io, 'linux')]).toEqual([url, false])
  expect(said()).toBe(null)
})
