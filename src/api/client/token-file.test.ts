import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureToken, readToken, tokenPath } from './token-file'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp('/tmp/ld-')
})
afterEach(() => rm(folder, { recursive: true }))

test('the token is 32 random bytes in a file for its owner alone, and stays the same', async () => {
  const home = join(folder, 'home')
  expect(await readToken(home)).toBeNull()
  const token = await ensureToken(home)
  expect(token).toMatch(/^[0-9a-f]{64}$/)
  expect(await ensureToken(home)).toBe(token)
  expect(await readToken(home)).toBe(token)
  expect(((await stat(tokenPath(home))).mode & 0o777).toString(8)).toBe('600')
  expect(((await stat(home)).mode & 0o777).toString(8)).toBe('700')
  expect(await readdir(home)).toEqual(['token'])
  expect(await ensureToken(join(folder, 'other'))).not.toBe(token)
})

test('all who make it at once get the same token', async () => {
  const tokens = await Promise.all(Array.from({ length: 20 }, () => ensureToken(folder)))
  expect(new Set(tokens).size).toBe(1)
  expect(await readdir(folder)).toEqual(['token'])
})

test('a token that others may read, or that is none, is refused', async () => {
  await ensureToken(folder)
  await chmod(tokenPath(folder), 0o644)
  await expect(readToken(folder)).rejects.toMatchObject({ code: 'forbidden' })
  await chmod(tokenPath(folder), 0o600)
  await writeFile(tokenPath(folder), 'short')
  await expect(readToken(folder)).rejects.toMatchObject({ code: 'invalid' })
})
