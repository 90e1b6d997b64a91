import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gitFoldersOf, hasRepository, projectOf } from './git-project'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync('/tmp/ld-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function git(folder: string, ...args: string[]): string {
  const done = Bun.spawnSync(['git', '-c', 'user.name=t', '-c', 'user.email=t@t', '-C', folder, ...args])
  return done.exitCode === 0 ? done.stdout.toString().trim() : `exit ${done.exitCode}`
}

test('a project is the repository that git sees, and its linked work trees belong to it', () => {
  const main = join(root, 'main')
  const tree = join(root, 'tree')
  mkdirSync(join(main, 'a/b'), { recursive: true })
  git(main, 'init', '-q')
  git(main, 'commit', '-q', '--allow-empty', '-m', 'one')
  git(main, 'worktree', 'add', '-q', tree)
  expect([main, join(main, 'a/b'), tree].map((folder) => projectOf(folder).root)).toEqual([main, main, main])
  expect([main, join(main, 'a/b'), tree].map(hasRepository)).toEqual([true, false, true])
})

test('an empty .git, as sandboxes of agent CLIs leave it, is no repository, as for git', () => {
  const inner = join(root, 'project')
  const below = join(inner, 'below')
  mkdirSync(below, { recursive: true })
  mkdirSync(join(inner, '.git/hooks'), { recursive: true })
  expect(git(below, 'rev-parse', '--show-toplevel')).toBe('exit 128')
  expect([projectOf(below).root, gitFoldersOf(below), hasRepository(inner)]).toEqual([below, null, false])
  // What is above it counts.
  git(root, 'init', '-q')
  expect(git(below, 'rev-parse', '--show-toplevel')).toBe(root)
  expect([projectOf(below).root, gitFoldersOf(below)?.common]).toEqual([root, join(root, '.git')])
})
