import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { branchOf } from './git-branch'

let root: string
beforeEach(() => {
  root = mkdtempSync('/tmp/ld-')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function git(...args: string[]): void {
  const done = Bun.spawnSync(['git', '-c', 'user.name=t', '-c', 'user.email=t@t', '-C', root, ...args])
  expect([args, done.exitCode]).toEqual([args, 0])
}

test('is what git has checked out, also below the root, in a worktree, and before the first commit', () => {
  expect(branchOf(root)).toBeNull()
  git('init', '-q', '-b', 'feature/ld-a1b2-fix')
  mkdirSync(join(root, 'a/b'), { recursive: true })
  expect(branchOf(join(root, 'a/b'))).toBe('feature/ld-a1b2-fix')
  git('commit', '-q', '--allow-empty', '-m', 'one')
  git('worktree', 'add', '-q', '-b', 'other', join(root, 'tree'))
  expect(branchOf(join(root, 'tree'))).toBe('other')
  expect(branchOf(root)).toBe('feature/ld-a1b2-fix')
  git('checkout', '-q', '--detach')
  expect(branchOf(root)).toBeNull()
})

test('of broken files is none', () => {
  writeFileSync(join(root, '.git'), 'gitdir: /nowhere/at/all\n')
  expect(branchOf(root)).toBeNull()
  writeFileSync(join(root, '.git'), 'x'.repeat(5_000))
  expect(branchOf(root)).toBeNull()
})
