import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../../domain/errors'
import { findExecutable, version } from './executable'

let root = ''
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'lode-exe-'))
  for (const folder of ['a', 'b', 'c/claude']) mkdirSync(join(root, folder), { recursive: true })
  script('a/claude', 'echo "2.1.328 (Claude Code)"')
  script('b/claude', 'echo "2.0.30 (Claude Code)"')
  script('b/other', 'echo "3.0.0-rc.1 (Claude Code)"')
  script('b/liar', 'echo "git version 2.43.0"')
  script('b/broken', 'echo "no such library" >&2; exit 127')
  script('b/edge', 'echo "2.1.197 (Claude Code)"')
  script('b/before', 'echo "2.1.196 (Claude Code)"')
  writeFileSync(join(root, 'b/plain'), 'not executable', { mode: 0o600 })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const script = (name: string, body: string) => writeFileSync(join(root, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 })
const env = { PATH: '/usr/bin:/bin' }
const path = (...folders: string[]) => ({ PATH: folders.map((folder) => join(root, folder)).join(':') })

async function refusal(of: () => unknown): Promise<AppError> {
  try {
    await of()
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('it was taken')
}

test('the first claude in PATH that can be started is taken; a folder of that name is not', () => {
  expect(findExecutable(path('c', 'a', 'b'), null)).toBe(join(root, 'a/claude'))
})

test('the setting wins over PATH, as a path or as a name', () => {
  expect(findExecutable(path('a'), join(root, 'b/claude'))).toBe(join(root, 'b/claude'))
  expect(findExecutable(path('a', 'b'), 'other')).toBe(join(root, 'b/other'))
})

test('what can not be started is not found, with a hint', async () => {
  for (const of of [
    () => findExecutable(path('c'), null),
    () => findExecutable({}, null),
    () => findExecutable({ PATH: '.:relative' }, null),
    () => findExecutable(path('a'), join(root, 'b/plain')),
    () => findExecutable(path('a'), 'b/claude'),
  ]) {
    const error = await refusal(of)
    expect(error.code).toBe('not_found')
    expect(error.hint).toContain('agents.claude-code.executable')
  }
})

test('a release that tells when it is idle is driven', async () => {
  expect(await version(join(root, 'a/claude'), env)).toBe('2.1.328')
  expect(await version(join(root, 'b/edge'), env)).toBe('2.1.197')
  expect(await version(join(root, 'b/other'), env)).toBe('3.0.0-rc.1')
})

test('an older one is refused with how to update', async () => {
  for (const name of ['b/claude', 'b/before']) {
    const error = await refusal(() => version(join(root, name), env))
    expect(error.code).toBe('invalid')
    expect(error.message).toContain('still recorded')
    expect(error.hint).toContain('claude update')
  }
})

test('another program is not taken for the CLI', async () => {
  expect((await refusal(() => version(join(root, 'b/liar'), env))).message).toContain('git version')
  expect((await refusal(() => version(join(root, 'b/broken'), env))).message).toContain('no such library')
  expect((await refusal(() => version(join(root, 'nothing'), env))).code).toBe('invalid')
})
