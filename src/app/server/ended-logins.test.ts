import { afterEach, expect, test } from 'bun:test'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COOKIE_MS, createCookies } from '../../api/server/callers/cookie'
import { endedLogins } from './ended-logins'

const START = Date.UTC(2026, 0, 2)
const TOKEN = '5'.repeat(64)
const home = mkdtempSync('/tmp/ld-logins-')
const file = join(home, 'logins-ended')
afterEach(() => rmSync(home, { recursive: true, force: true }))

test('a login that was ended stays so over a restart, whatever else the file holds', () => {
  const start = (now = START) =>
    createCookies(
      TOKEN,
      () => now,
      endedLogins(home, () => now),
    )
  const cookies = start()
  const [ended, kept] = [cookies.make().value, cookies.make().value]
  cookies.end(ended)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).not.toContain(ended.split('.').at(-1) ?? '')
  // Half a line, as a full disk leaves it, and what nobody understands.
  writeFileSync(file, `\u0000 what is this\n${readFileSync(file, 'utf8')}`)
  appendFileSync(file, 'abc')
  const again = start()
  expect([again.isGood(ended), again.isGood(kept)]).toEqual([false, true])
  again.end(kept)
  expect(start().isGood(kept)).toBe(false)
  expect(endedLogins(home, () => START + COOKIE_MS).has(ended.split('.')[2] ?? '')).toBe(false)
})
