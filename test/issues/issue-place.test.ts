/** Which tracker is used for a folder that may have come from anybody. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createIssueFiles } from '../../src/app/issue-files/issue-files'
import { emptyRepository } from '../lab/empty-repository'

const ISSUE = '{"id":"x-1","title":"t"}\n'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync('/tmp/ld-place-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const files = (uid?: number, env: Record<string, string | undefined> = { ...process.env }) =>
  createIssueFiles({ hostName: 'h', home: join(root, 'no-home'), bd: [], env, ...(uid !== undefined && { uid }) })

/** A repository below the test's folder, and the place of its own file. */
function repository(name: string): { dir: string; file: string } {
  const dir = join(root, name)
  emptyRepository(dir)
  return { dir, file: join(dir, '.lodeline', 'issues.jsonl') }
}

function tracker(dir: string, name = '.lodeline'): string {
  mkdirSync(join(dir, name), { recursive: true })
  writeFileSync(join(dir, name, 'issues.jsonl'), ISSUE)
  return join(dir, name, 'issues.jsonl')
}

const codeOf = (act: () => unknown): string => {
  try {
    act()
    return 'none'
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('a tracker above the repository is not the repository’s', () => {
  tracker(root)
  const { dir, file } = repository('r')
  mkdirSync(join(dir, 'deep'))
  expect(files().locate(join(dir, 'deep')).path).toBe(file)
  const own = tracker(dir)
  expect(files().locate(join(dir, 'deep')).path).toBe(own)
  const nearer = tracker(join(dir, 'deep'))
  expect(files().locate(join(dir, 'deep')).path).toBe(nearer)
})

test('outside of a repository the folders above count as far as they are the user’s', () => {
  const above = tracker(root)
  mkdirSync(join(root, 'a', 'b'), { recursive: true })
  expect(files().locate(join(root, 'a', 'b')).path).toBe(above)
  // Nothing here is this user's: the search ends where it begins.
  const none = (process.geteuid?.() ?? 0) + 1
  expect(files(none, {}).locate.bind(null, join(root, 'a', 'b'))).toThrow(
    expect.objectContaining({ code: 'forbidden' }),
  )
})

test('a link to outside of the project is refused: of the file, of its folder, and by a redirect', () => {
  const away = tracker(join(root, 'other'))
  tracker(join(root, 'other'), '.beads')
  const a = repository('a')
  mkdirSync(join(a.dir, '.lodeline'))
  symlinkSync(away, a.file)
  const b = repository('b')
  symlinkSync(join(root, 'other', '.lodeline'), join(b.dir, '.lodeline'))
  const c = repository('c')
  symlinkSync(join(root, 'other', '.beads'), join(c.dir, '.beads'))
  const d = repository('d')
  mkdirSync(join(d.dir, '.beads'))
  writeFileSync(join(d.dir, '.beads', 'redirect'), '../other/.beads\n')
  const e = repository('e')
  mkdirSync(join(root, 'empty'))
  symlinkSync(join(root, 'empty'), join(e.dir, '.lodeline'))
  for (const { dir } of [a, b, c, d, e]) expect([dir, codeOf(() => files().locate(dir))]).toEqual([dir, 'forbidden'])
})

test('a link within the project leads to the file that is meant', () => {
  const { dir, file } = repository('r')
  const shared = tracker(join(dir, 'shared'))
  mkdirSync(join(dir, '.lodeline'))
  symlinkSync(shared, file)
  expect(files().locate(dir).path).toBe(shared)
})

test('a folder that becomes a link after the place was found is neither read nor written through', () => {
  const { dir } = repository('r')
  const path = tracker(dir)
  const found = files().locate(dir).path
  expect(found).toBe(path)
  const away = tracker(join(root, 'other'))
  rmSync(join(dir, '.lodeline'), { recursive: true })
  symlinkSync(join(root, 'other', '.lodeline'), join(dir, '.lodeline'))
  expect(codeOf(() => files().read(found))).toBe('forbidden')
  expect(codeOf(() => files().prepare(found, [Buffer.from('x')]))).toBe('forbidden')
  expect(codeOf(() => void files().lock(found, async () => {}))).toBe('forbidden')
  expect(files().read(away)?.bytes.toString()).toBe(ISSUE)
})

test('a tracker of another user is used only where the person named the project in git’s safe.directory', () => {
  const { dir } = repository('r')
  const path = tracker(dir)
  const other = (process.geteuid?.() ?? 0) + 1
  const config = join(root, 'gitconfig')
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: config, GIT_CONFIG_SYSTEM: '/dev/null', HOME: root }
  const withSafe = (...values: string[]) => {
    writeFileSync(config, `[safe]\n${values.map((value) => `\tdirectory = ${value}\n`).join('')}`)
    return codeOf(() => files(other, env).locate(dir))
  }
  expect(withSafe()).toBe('forbidden')
  expect(withSafe('/elsewhere', `${dir}x`)).toBe('forbidden')
  expect(withSafe(dir, '')).toBe('forbidden')
  expect(withSafe(dir)).toBe('none')
  expect(withSafe(`${root}/*`)).toBe('none')
  expect(withSafe('*')).toBe('none')
  expect(files(other, env).locate(dir).path).toBe(path)
  // What the repository says of itself does not count.
  writeFileSync(join(dir, '.git', 'config'), `[safe]\n\tdirectory = ${dir}\n`)
  expect(withSafe()).toBe('forbidden')
})
