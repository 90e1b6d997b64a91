import { afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HOST_KEY_VARIABLE, hostIdentity, hostKey } from './home'

const root = mkdtempSync(join(tmpdir(), 'lode-home-'))
afterEach(() => {
  delete process.env[HOST_KEY_VARIABLE]
  rmSync(root, { recursive: true, force: true })
})

test('a machine that is given its key is the same in every folder, and another key is another machine', () => {
  const folder = () => mkdtempSync(join(root, 'home-'))
  const [own, other] = [folder(), folder()]
  expect(hostIdentity(own).name).toBe(hostIdentity(own).name)
  expect(hostIdentity(own).name).not.toBe(hostIdentity(other).name)
  const file = join(root, 'key')
  process.env[HOST_KEY_VARIABLE] = file
  expect(() => hostKey(own)).toThrow('holds no key')
  writeFileSync(file, `${'a'.repeat(64)}\n`)
  const [name, key] = [hostIdentity(own).name, hostKey(own)]
  expect([hostIdentity(folder()).name, hostKey(other)]).toEqual([name, key])
  // The name tells nothing of the key.
  expect(key).not.toContain(name)
  writeFileSync(file, 'b'.repeat(64))
  expect(hostIdentity(own).name).not.toBe(name)
})
