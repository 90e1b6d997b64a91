import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TaskId } from '../../src/domain/ids'
import type { Attempt, Task } from '../../src/domain/task/task'
import {
  commitRest,
  commitsOf,
  dropTaskBranch,
  type FarWorktree,
  findTaskBranch,
  mergeTaskBranch,
  patchOf,
} from '../../src/worker/workplace/task-branch'
import { ensureWorktree } from '../../src/worker/workplace/worktree'

const root = mkdtempSync(join(tmpdir(), 'lode-branch-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let count = 0
let repository: string
let tree: string
let attempt: Attempt
let task: Task
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
    cwd,
    encoding: 'utf8',
  }).trim()
const write = (folder: string, name: string, text: string) => writeFileSync(join(folder, name), text)
const commit = (folder: string, message: string) => {
  git(folder, 'add', '--all')
  git(folder, 'commit', '-q', '-m', message)
}
const nothingFar: FarWorktree = {
  repository: '/',
  copy: async () => null,
  bundleOf: () => Promise.reject(new Error('there is none')),
}
const find = (into?: string) => findTaskBranch(task, [attempt], 'here', into, nothingFar)

beforeEach(async () => {
  count++
  repository = join(root, `repository-${count}`)
  mkdirSync(repository)
  git(repository, 'init', '-q', '-b', 'main', '.')
  git(repository, 'config', 'user.name', 'Ada')
  git(repository, 'config', 'user.email', 'ada@example.org')
  write(repository, 'a.txt', 'one\ntwo\nthree\n')
  commit(repository, 'first')
  const id = `t-${count}` as TaskId
  const made = await ensureWorktree(repository, join(root, 'trees'), id, null)
  tree = made.path
  task = { id, dir: repository, repository: null, project: repository, worktree: { base: null } } as Task
  attempt = { branch: made.branch, base: made.base, cwd: made.cwd, hostName: 'here', host: 'desk' } as Attempt
})

describe("a task's branch", () => {
  test('shows commits and new files in one patch, and leaves what is staged alone', async () => {
    write(tree, 'a.txt', 'one\n2\nthree\n')
    commit(tree, 'second')
    write(tree, 'new file.txt', 'fresh\n')
    const found = await find()
    expect(found).toMatchObject({ into: 'main', ahead: 1, behind: 0, uncommitted: ['new file.txt'], path: tree })
    expect((await commitsOf(found, 10)).map(({ title }) => title)).toEqual(['second'])
    const patch = await patchOf(found, false)
    expect(patch).toContain('+2')
    expect(patch).toContain('+fresh')
    expect(git(tree, 'status', '--porcelain')).toBe('?? "new file.txt"')
  })

  test('is not merged while files are in no commit on either side, and nothing changes', async () => {
    write(tree, 'b.txt', 'b\n')
    const head = git(repository, 'rev-parse', 'main')
    expect(mergeTaskBranch(await find())).rejects.toMatchObject({ code: 'conflict', details: { files: ['b.txt'] } })
    await commitRest(await find(), 'b')
    write(repository, 'a.txt', 'mine\n')
    expect(mergeTaskBranch(await find())).rejects.toThrow(/main is checked out in .* 1 file \(a.txt\)/)
    expect(git(repository, 'rev-parse', 'main')).toBe(head)
    expect(readFileSync(join(repository, 'a.txt'), 'utf8')).toBe('mine\n')
    git(repository, 'checkout', '-q', '--', '.')
    await mergeTaskBranch(await find())
    expect(readFileSync(join(repository, 'b.txt'), 'utf8')).toBe('b\n')
  })

  test('that contradicts the other one is refused with the files, and no merge is begun', async () => {
    write(tree, 'a.txt', 'one\ntheirs\nthree\n')
    commit(tree, 'theirs')
    write(repository, 'a.txt', 'one\nours\nthree\n')
    commit(repository, 'ours')
    expect(mergeTaskBranch(await find())).rejects.toThrow(/changed the same lines of 1 file \(a.txt\)/)
    expect(git(repository, 'status', '--porcelain')).toBe('')
    expect(existsSync(join(repository, '.git/MERGE_HEAD'))).toBe(false)
  })

  test('is merged into a branch that nobody has checked out, without a touch of any file', async () => {
    git(repository, 'branch', 'release')
    write(tree, 'b.txt', 'b\n')
    commit(tree, 'b')
    git(repository, 'checkout', '-q', 'release')
    write(repository, 'c.txt', 'c\n')
    commit(repository, 'c')
    git(repository, 'checkout', '-q', 'main')
    const merged = await mergeTaskBranch(await find('release'))
    expect(git(repository, 'rev-parse', 'release')).toBe(merged)
    expect(git(repository, 'ls-tree', '--name-only', 'release').split('\n')).toEqual(['a.txt', 'b.txt', 'c.txt'])
    expect(existsSync(join(repository, 'b.txt'))).toBe(false)
  })

  test('that is dropped goes with its worktree; a task elsewhere, or without one, is told so', async () => {
    write(tree, 'b.txt', 'b\n')
    await dropTaskBranch(await find())
    expect(existsSync(tree)).toBe(false)
    expect(find()).rejects.toMatchObject({ code: 'not_found' })
    expect(findTaskBranch(task, [attempt], 'elsewhere', undefined, nothingFar)).rejects.toThrow(/keeps no files.*desk/)
    expect(findTaskBranch(task, [], 'here', undefined, nothingFar)).rejects.toThrow(/no worktree of its own/)
  })
})
