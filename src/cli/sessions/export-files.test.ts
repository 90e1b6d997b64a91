import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { ExportFile } from '../../api/client'
import { isAppError } from '../../domain/errors'
import { insidePath, writeExport } from './export-files'

const root = mkdtempSync('/tmp/ld-')
let folder: string
let made = 0
beforeEach(() => {
  folder = join(root, `out${made++}`)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

async function* files(content: Record<string, string>, breaksAt?: string): AsyncGenerator<ExportFile> {
  for (const [relativePath, text] of Object.entries(content)) {
    async function* bytes() {
      const whole = Buffer.from(text)
      yield whole.subarray(0, 3)
      if (relativePath === breaksAt) throw new Error('connection lost')
      yield whole.subarray(3)
    }
    yield { relativePath, size: Buffer.byteLength(text), bytes: bytes() }
  }
}
async function refusal(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (error: unknown) => (isAppError(error) ? error.code : String(error)),
  )
}
const SESSION = {
  's1.jsonl': '{"a":1}\n',
  's1/subagents/agent-a.jsonl': '{"b":1}\n',
  's1/subagents/agent-a.meta.json': '{}',
}

describe('an export', () => {
  test('puts every byte at its place, readable by the owner only', async () => {
    const written = await writeExport(files(SESSION), folder, false)
    expect(written.map(({ path, bytes }) => [path, bytes])).toEqual([
      [join(folder, 's1.jsonl'), 8],
      [join(folder, 's1/subagents/agent-a.jsonl'), 8],
      [join(folder, 's1/subagents/agent-a.meta.json'), 2],
    ])
    for (const [path, text] of Object.entries(SESSION)) expect(readFileSync(join(folder, path), 'utf8')).toBe(text)
    expect(statSync(join(folder, 's1.jsonl')).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 's1')).mode & 0o777).toBe(0o700)
    expect(readdirSync(folder).sort()).toEqual(['s1', 's1.jsonl'])
  })

  test('that breaks off leaves nothing behind', async () => {
    expect(await refusal(writeExport(files(SESSION, 's1/subagents/agent-a.jsonl'), folder, false))).toContain(
      'connection lost',
    )
    expect(existsSync(folder)).toBe(false)
  })

  test('that is shorter than announced is refused whole', async () => {
    async function* short(): AsyncGenerator<ExportFile> {
      yield {
        relativePath: 'a.jsonl',
        size: 5,
        bytes: (async function* () {
          yield Buffer.from('abc')
        })(),
      }
    }
    expect(await refusal(writeExport(short(), folder, false))).toBe('unavailable')
    expect(existsSync(folder)).toBe(false)
  })

  test('replaces what is there only when told to, and then whole', async () => {
    mkdirSync(folder)
    writeFileSync(join(folder, 's1.jsonl'), 'mine')
    expect(await refusal(writeExport(files(SESSION), folder, false))).toBe('conflict')
    expect(readdirSync(folder)).toEqual(['s1.jsonl'])
    expect(readFileSync(join(folder, 's1.jsonl'), 'utf8')).toBe('mine')
    await writeExport(files(SESSION), folder, true)
    expect(readFileSync(join(folder, 's1.jsonl'), 'utf8')).toBe('{"a":1}\n')
  })
})

describe('a hostile export', () => {
  const outside = join(root, 'outside')
  test('writes nowhere but below the folder', async () => {
    const names = [
      '../x',
      '/etc/x',
      'a/../../x',
      '..',
      '.',
      '',
      'a//b',
      'a/./b',
      'a\\..\\x',
      'C:x',
      'a\0b',
      'a\nb',
      'x\u202ey',
      `${'a/'.repeat(9)}b`,
      'a'.repeat(300),
      '.lode-export-1/x',
    ]
    for (const name of names) {
      expect([name, await refusal(writeExport(files({ 'ok.jsonl': 'abcd', [name]: 'evil' }), folder, true))]).toEqual([
        name,
        'invalid',
      ])
    }
    expect(existsSync(folder)).toBe(false)
    expect(readdirSync(root).some((name) => name === 'x')).toBe(false)
  })
  test('follows no link that stands in the folder', async () => {
    mkdirSync(outside, { recursive: true })
    mkdirSync(folder)
    symlinkSync(outside, join(folder, 's1'))
    expect(await refusal(writeExport(files(SESSION), folder, true))).toBe('conflict')
    expect(readdirSync(outside)).toEqual([])
    rmSync(join(folder, 's1'))
    writeFileSync(join(outside, 'target'), 'keep')
    symlinkSync(join(outside, 'target'), join(folder, 's1.jsonl'))
    expect(await refusal(writeExport(files({ 's1.jsonl': 'new!' }), folder, false))).toBe('conflict')
    await writeExport(files({ 's1.jsonl': 'new!' }), folder, true)
    expect(readFileSync(join(outside, 'target'), 'utf8')).toBe('keep')
  })
  test('with one name twice, or in two cases, is refused', async () => {
    expect(await refusal(writeExport(files({ 'a.jsonl': 'abcd', 'A.jsonl': 'abcd' }), folder, false))).toBe('invalid')
  })
  test('has no name that leaves the folder, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('..', '.', '/', '', '~'))),
        (parts) => {
          let path: string
          try {
            path = insidePath('/r/out', parts.join('/'))
          } catch (error) {
            return isAppError(error) && error.code === 'invalid'
          }
          return path.startsWith('/r/out/') && !path.includes('/../')
        },
      ),
      { numRuns: 3_000 },
    )
  })
})
