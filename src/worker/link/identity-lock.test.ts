import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AppError } from '../../domain/errors'
import { lockIdentity } from './identity-lock'

let home: string
beforeEach(() => {
  home = mkdtempSync('/tmp/ld-')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** A process that holds the name until it is killed. */
async function holder(name: string) {
  const code = `import { lockIdentity } from '${resolve(import.meta.dir, 'identity-lock.ts')}'
    const lock = lockIdentity(process.argv[1], process.argv[2])
    process.stdout.write(String(lock.isFormerGone))
    setInterval(() => lock.isFormerGone, 1_000)`
  const child = Bun.spawn([process.execPath, '-e', code, home, name], { stdout: 'pipe', stderr: 'inherit' })
  const { value } = await child.stdout.getReader().read()
  return { child, isFormerGone: new TextDecoder().decode(value) === 'true' }
}

function refused(act: () => unknown): AppError {
  try {
    act()
  } catch (error) {
    if (error instanceof AppError) return error
  }
  throw new Error('expected an error of ours')
}

test('a name belongs to one process; when that is killed, the next knows that it is gone', async () => {
  const first = await holder('worker one')
  expect(first.isFormerGone).toBe(false)
  const error = refused(() => lockIdentity(home, 'worker one'))
  expect(error).toMatchObject({ code: 'conflict', hint: expect.stringContaining('--name') })
  expect(error.message).toContain('worker one')
  first.child.kill('SIGKILL')
  await first.child.exited
  const lock = lockIdentity(home, 'worker one')
  expect(lock.isFormerGone).toBe(true)
  lock.release()
  const again = lockIdentity(home, 'worker one')
  expect(again.isFormerGone).toBe(true)
  again.release()
})

test('a process that stands still keeps its name', async () => {
  const { child } = await holder('still')
  child.kill('SIGSTOP')
  expect(refused(() => lockIdentity(home, 'still')).code).toBe('conflict')
  child.kill('SIGKILL')
  await child.exited
})

test('any text is a name of its own, and none leaves the folder', () => {
  const names = ['a', 'A', 'a ', '../../a', '/etc/passwd', 'a\0b', 'ü', '', '.', '..', 'x'.repeat(5_000), 'a\nb', 'con']
  const locks = names.map((name) => lockIdentity(home, name))
  expect(locks.map((lock) => lock.isFormerGone)).toEqual(names.map(() => false))
  for (const name of names) expect(refused(() => lockIdentity(home, name)).code).toBe('conflict')
  for (const lock of locks) lock.release()
  expect(readdirSync(home)).toEqual(['workers'])
  for (const file of readdirSync(join(home, 'workers'))) expect(file).toMatch(/^[a-z0-9-]{1,41}[0-9a-f]{16}\.lock$/)
})

test('a folder that can not be used is told in words', () => {
  writeFileSync(join(home, 'workers'), 'a file')
  expect(refused(() => lockIdentity(home, 'a'))).toMatchObject({ code: 'invalid', hint: expect.any(String) })
})
