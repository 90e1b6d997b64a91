import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readIssueFile, replaceIssueFile, stampOfFile } from '../../src/app/issue-files/issue-file'
import { withIssueFileLock } from '../../src/app/issue-files/issue-file-lock'
import { ISSUE_FILE_BYTES } from '../../src/domain/issue/issue'

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lode-issues-'))
  path = join(folder, 'issues.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const replace = (at: string, text: string) => replaceIssueFile(at, [Buffer.from(text)])

describe('replacing the file', () => {
  test('puts the whole text in place, keeps the permissions and leaves nothing else behind', async () => {
    writeFileSync(path, 'old\n')
    chmodSync(path, 0o640)
    const pending = replace(path, 'new\n')
    expect(readFileSync(path, 'utf8')).toBe('old\n')
    await pending.commit()
    expect(readFileSync(path, 'utf8')).toBe('new\n')
    expect(statSync(path).mode & 0o777).toBe(0o640)
    expect(readdirSync(folder)).toEqual(['issues.jsonl'])
    expect(readIssueFile(path)?.stamp).toEqual(pending.stamp)
    expect(stampOfFile(path)).toEqual(pending.stamp)
  })

  test('makes the file where there is none, of several parts', async () => {
    expect(readIssueFile(path)).toBeNull()
    await replaceIssueFile(path, [Buffer.from('a\n'), Buffer.from('b\n')]).commit()
    expect(readIssueFile(path)?.bytes.toString()).toBe('a\nb\n')
  })

  test('follows no link, since it may have been put there after the place was chosen', () => {
    const real = join(folder, 'shared.jsonl')
    writeFileSync(real, 'old\n')
    symlinkSync(real, path)
    expect(() => replace(path, 'new\n')).toThrow(expect.objectContaining({ code: 'invalid' }))
    expect(() => readIssueFile(path)).toThrow(expect.objectContaining({ code: 'invalid' }))
    expect(readFileSync(real, 'utf8')).toBe('old\n')
    expect(readdirSync(folder).sort()).toEqual(['issues.jsonl', 'shared.jsonl'])
  })

  test('refuses a file that is larger than the limit, before it reads it', () => {
    writeFileSync(path, '')
    truncateSync(path, ISSUE_FILE_BYTES + 1)
    expect(() => readIssueFile(path)).toThrow(expect.objectContaining({ code: 'too_large' }))
  })

  test('is no way to read or write what is no file', async () => {
    mkdirSync(path)
    expect(() => readIssueFile(path)).toThrow(expect.objectContaining({ code: 'invalid' }))
    await expect(replace(path, 'x').commit()).rejects.toMatchObject({ code: 'invalid' })
    expect(() => readIssueFile(join(folder, 'x'.repeat(300)))).toThrow(expect.objectContaining({ code: 'invalid' }))
    expect(readdirSync(folder)).toEqual(['issues.jsonl'])
  })
})

describe('the lock', () => {
  test('lets one process at a time read and write, and is gone afterwards', async () => {
    writeFileSync(path, '0')
    const script = join(folder, 'add.ts')
    const from = (name: string) => JSON.stringify(join(import.meta.dir, '../../src/app/issue-files', name))
    writeFileSync(
      script,
      `import { readIssueFile, replaceIssueFile } from ${from('issue-file.ts')}
import { withIssueFileLock } from ${from('issue-file-lock.ts')}
for (let n = 0; n < 25; n++) {
  await withIssueFileLock(process.argv[2], async () => {
    const read = readIssueFile(process.argv[2])
    await replaceIssueFile(process.argv[2], [Buffer.from(String(Number(read.bytes) + 1))]).commit()
  }, 60_000)
}`,
    )
    const all = [1, 2, 3].map(() =>
      Bun.spawn([process.execPath, script, path], { stdout: 'ignore', stderr: 'inherit' }),
    )
    expect(await Promise.all(all.map((one) => one.exited))).toEqual([0, 0, 0])
    expect(readFileSync(path, 'utf8')).toBe('75')
    expect(readdirSync(folder).sort()).toEqual(['add.ts', 'issues.jsonl'])
  })

  test('that is held makes another wait, then say so; the one of a dead process holds nobody', async () => {
    const held = Promise.withResolvers<void>()
    const entered = Promise.withResolvers<void>()
    const first = withIssueFileLock(path, async () => {
      entered.resolve()
      await held.promise
    })
    await entered.promise
    await expect(withIssueFileLock(path, async () => 'never', 30)).rejects.toMatchObject({ code: 'unavailable' })
    held.resolve()
    await first
    writeFileSync(join(folder, '.issues.jsonl.lock'), '')
    expect(await withIssueFileLock(path, async () => 'done')).toBe('done')
    expect(existsSync(join(folder, '.issues.jsonl.lock'))).toBe(false)
  })
})
