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
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mayHaveChanged, readIssueFile, replaceIssueFile, withIssueFileLock } from '../../src/app/issue-file-io'

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lode-issues-'))
  path = join(folder, 'issues.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('replacing the file', () => {
  test('puts the whole text in place, keeps the permissions and leaves nothing else behind', async () => {
    writeFileSync(path, 'old\n')
    chmodSync(path, 0o640)
    const stamp = await replaceIssueFile(path, 'new\n', readIssueFile(path)?.stamp)
    expect(readFileSync(path, 'utf8')).toBe('new\n')
    expect(statSync(path).mode & 0o777).toBe(0o640)
    expect(readdirSync(folder)).toEqual(['issues.jsonl'])
    expect(readIssueFile(path)?.stamp).toEqual(stamp)
    expect(await mayHaveChanged(path, stamp)).toBe(false)
  })

  test('makes the file and its folder where there is none, of parts as of text', async () => {
    const inside = join(folder, '.lodeline', 'issues.jsonl')
    expect(readIssueFile(inside)).toBeNull()
    await replaceIssueFile(inside, [Buffer.from('a\n'), Buffer.from('b\n')], null)
    expect(readIssueFile(inside)?.text).toBe('a\nb\n')
  })

  test('refuses when somebody wrote it meanwhile, and changes nothing', async () => {
    writeFileSync(path, 'one\n')
    const stamp = readIssueFile(path)?.stamp
    writeFileSync(path, 'pulled\n')
    expect(await mayHaveChanged(path, stamp ?? null)).toBe(true)
    await expect(replaceIssueFile(path, 'mine\n', stamp)).rejects.toMatchObject({ code: 'conflict' })
    await expect(replaceIssueFile(path, 'mine\n', null)).rejects.toMatchObject({ code: 'conflict' })
    expect(readFileSync(path, 'utf8')).toBe('pulled\n')
    expect(readdirSync(folder)).toEqual(['issues.jsonl'])
  })

  test('takes a file that was only touched for the same', async () => {
    writeFileSync(path, 'one\n')
    const stamp = readIssueFile(path)?.stamp
    rmSync(path)
    writeFileSync(path, 'one\n')
    await replaceIssueFile(path, 'mine\n', stamp)
    expect(readFileSync(path, 'utf8')).toBe('mine\n')
  })

  test('follows a link to a file of issues, and to no other', async () => {
    const real = join(folder, 'shared.jsonl')
    writeFileSync(real, 'old\n')
    symlinkSync(real, path)
    await replaceIssueFile(path, 'new\n')
    expect(readFileSync(real, 'utf8')).toBe('new\n')
    const trap = join(folder, 'profile')
    writeFileSync(trap, 'mine\n')
    symlinkSync(trap, join(folder, 'trap.jsonl'))
    await expect(replaceIssueFile(join(folder, 'trap.jsonl'), 'x')).rejects.toMatchObject({ code: 'invalid' })
    expect(readFileSync(trap, 'utf8')).toBe('mine\n')
  })

  test('is no way to read or write what is no file', async () => {
    mkdirSync(path)
    expect(() => readIssueFile(path)).toThrow(expect.objectContaining({ code: 'invalid' }))
    await expect(replaceIssueFile(path, 'x')).rejects.toMatchObject({ code: 'invalid' })
  })
})

describe('the lock', () => {
  test('lets one process at a time read and write, and is gone afterwards', async () => {
    writeFileSync(path, '0')
    const script = join(folder, 'add.ts')
    const io = join(import.meta.dir, '../../src/app/issue-file-io.ts')
    writeFileSync(
      script,
      `import { readIssueFile, replaceIssueFile, withIssueFileLock } from ${JSON.stringify(io)}
for (let n = 0; n < 25; n++) {
  await withIssueFileLock(process.argv[2], async () => {
    const read = readIssueFile(process.argv[2])
    await replaceIssueFile(process.argv[2], String(Number(read.text) + 1), read.stamp)
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
