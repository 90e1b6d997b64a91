import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { AppError } from '../../../domain/errors'
import { folderOf, transcriptPath } from './place'
import { restore } from './restore'

const ID = '0b0c5f0e-6a3a-4b7e-9a55-0f1f6f0a1b2c'
let base = ''
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lode-restore-'))
  mkdirSync(join(base, 'work'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const place = () => ({ root: join(base, 'claude'), cwd: join(base, 'work') })
const main = () => transcriptPath(place(), ID)
const inside = (name: string) => join(main().slice(0, -'.jsonl'.length), name)
async function* files(...of: [string, string | Uint8Array][]) {
  for (const [name, bytes] of of) yield { name, bytes: typeof bytes === 'string' ? Buffer.from(bytes) : bytes }
}
async function refusal(of: Promise<void>): Promise<AppError> {
  try {
    await of
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('it was taken')
}
/** Everything below the CLI's folder. */
const all = () =>
  existsSync(place().root)
    ? readdirSync(place().root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name)
    : []

test("the transcript and its sub-agents' files stand where the CLI looks, for their owner alone", async () => {
  await restore(
    place(),
    ID,
    files(
      [`${ID}.jsonl`, 'main\n'],
      [`${ID}/subagents/agent-a1.jsonl`, 'sub\n'],
      ['subagents/agent-a1.meta.json', '{}'],
      ['subagents/agent-acompact-1.jsonl', 'more\n'],
      [`${ID}/subagents/workflows/run-1/agent-a2.jsonl`, 'deep\n'],
      ['agent-0123abcd.jsonl', 'flat\n'],
    ),
  )
  expect(readFileSync(main(), 'utf8')).toBe('main\n')
  expect(readFileSync(inside('subagents/agent-a1.jsonl'), 'utf8')).toBe('sub\n')
  expect(readFileSync(inside('subagents/agent-a1.meta.json'), 'utf8')).toBe('{}')
  expect(statSync(main()).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(main())).mode & 0o077).toBe(0)
  expect(readFileSync(inside('subagents/workflows/run-1/agent-a2.jsonl'), 'utf8')).toBe('deep\n')
  expect(readFileSync(join(dirname(main()), 'agent-0123abcd.jsonl'), 'utf8')).toBe('flat\n')
  expect(all().length).toBe(6)
})

test('a file may come in pieces', async () => {
  const pieces = Array.from({ length: 50 }, (_, i) => [`${ID}.jsonl`, `${'é'.repeat(i * 1_000)}\n`] as [string, string])
  await restore(place(), ID, files(...pieces))
  expect(readFileSync(main(), 'utf8')).toBe(pieces.map(([, text]) => text).join(''))
})

test('a file that is a beginning of the new one is replaced; the same one, or a longer one, is left', async () => {
  mkdirSync(dirname(main()), { recursive: true })
  for (const [there, after] of [
    ['', 'one\ntwo\n'],
    ['one\n', 'one\ntwo\n'],
    ['one\ntwo\n', 'one\ntwo\n'],
    ['one\ntwo\nthree\n', 'one\ntwo\nthree\n'],
  ]) {
    writeFileSync(main(), there ?? '')
    await restore(place(), ID, files([`${ID}.jsonl`, 'one\ntwo\n']))
    expect(readFileSync(main(), 'utf8')).toBe(after ?? '')
  }
})

test('a file that differs is never overwritten, and then nothing is', async () => {
  mkdirSync(dirname(main()), { recursive: true })
  writeFileSync(main(), 'one\nother\n')
  const error = await refusal(
    restore(place(), ID, files(['subagents/agent-a1.jsonl', 'sub\n'], [`${ID}.jsonl`, 'one\ntwo\nthree\n'])),
  )
  expect(error.code).toBe('conflict')
  expect(error.hint).toBeString()
  expect(readFileSync(main(), 'utf8')).toBe('one\nother\n')
  expect(all()).toEqual([`${ID}.jsonl`])
})

test('a source that fails half way leaves nothing behind', async () => {
  async function* failing() {
    yield { name: `${ID}.jsonl`, bytes: Buffer.from('half') }
    throw new Error('the server is away')
  }
  await expect(restore(place(), ID, failing())).rejects.toThrow('the server is away')
  expect(all()).toEqual([])
})

test('without a main transcript there is nothing to restore', async () => {
  expect((await refusal(restore(place(), ID, files(['subagents/agent-a1.jsonl', 'x'])))).code).toBe('invalid')
  expect((await refusal(restore(place(), ID, files()))).code).toBe('invalid')
  expect(all()).toEqual([])
})

test.each([
  '../evil.jsonl',
  '/etc/passwd',
  `${ID}/../../evil.jsonl`,
  'subagents/../../evil.jsonl',
  'subagents/agent-a/b.jsonl',
  'subagents/agent-a1.jsonl/x',
  'subagents/agent-.jsonl',
  'subagents/workflows/../agent-a1.jsonl',
  'subagents/workflows/a/b/agent-a1.jsonl',
  'agent-a1.meta.json',
  'subagents/agent-a1.sh',
  '0b0c5f0e-6a3a-4b7e-9a55-0f1f6f0a1b2d.jsonl',
  'settings.json',
  `${ID}.jsonl\0`,
  '',
])('a name that is none of a conversation is refused: %p', async (name) => {
  expect((await refusal(restore(place(), ID, files([`${ID}.jsonl`, 'x'], [name, 'evil'])))).code).toBe('invalid')
  expect(all()).toEqual([])
})

test('a session id that is a path is refused', async () => {
  expect((await refusal(restore(place(), '../../x', files(['../../x.jsonl', 'x'])))).code).toBe('invalid')
  expect(() => transcriptPath(place(), 'a/b')).toThrow(AppError)
})

test('the folder of a working directory has the name that the CLI gives it', () => {
  expect(folderOf('/home/user/my.project_1')).toBe('-home-user-my-project-1')
  expect(folderOf('/tmp/ü é')).toBe('-tmp----')
  const long = `/${'a'.repeat(120)}/${'b'.repeat(120)}`
  expect(folderOf(long)).toMatch(/^-a{120}-b{78}-[0-9a-z]{1,7}$/)
  expect(folderOf(long)).not.toBe(folderOf(`${long}c`))
})
