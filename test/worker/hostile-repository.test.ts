/** A repository that brings programs along: none of them is run by the worker. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { taskId } from '../../src/domain/ids'
import { git } from '../../src/worker/workplace/git'
import { cleanWorktree, ensureWorktree } from '../../src/worker/workplace/worktree'

const root = realpathSync(mkdtempSync('/tmp/ld-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const TASK = taskId('t-00000001')
let repository: string
let trees: string
let marks: string
let turn = 0

beforeEach(async () => {
  turn += 1
  repository = join(root, `r${turn}`)
  trees = join(root, `w${turn}`)
  marks = join(root, `m${turn}`)
  mkdirSync(marks)
  await git(root, 'init', '-q', '-b', 'main', repository)
  await git(repository, 'config', 'user.email', 'test@lodeline.invalid')
  await git(repository, 'config', 'user.name', 'Test')
  writeFileSync(join(repository, 'a.txt'), 'a')
  await git(repository, 'add', '.')
  await git(repository, 'commit', '-qm', 'first')
})

/** A program that says that it was run. */
function program(name: string, end = 'cat'): string {
  const path = join(root, `${name}-${turn}`)
  writeFileSync(path, `#!/bin/sh\ntouch ${join(marks, name)}\n${end}\n`)
  chmodSync(path, 0o755)
  return path
}

const HOOKS = ['post-checkout', 'reference-transaction', 'post-index-change', 'pre-commit']

async function plant(): Promise<void> {
  for (const hook of HOOKS) {
    const path = join(repository, '.git/hooks', hook)
    mkdirSync(join(repository, '.git/hooks'), { recursive: true })
    writeFileSync(path, `#!/bin/sh\ntouch ${join(marks, hook)}\n`)
    chmodSync(path, 0o755)
  }
  const settings = {
    'core.fsmonitor': 'fsmonitor',
    'core.pager': 'pager',
    'core.sshCommand': 'ssh',
    'diff.external': 'diff',
  }
  for (const [key, name] of Object.entries(settings)) await git(repository, 'config', key, program(name))
  await git(repository, 'config', 'core.pager', program('pager'))
}

/** As a person would, without care. */
const careless = (...args: string[]) => Bun.spawnSync(['git', ...args], { cwd: repository, stdin: 'ignore' })

async function refusal(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'was not refused',
    (error: Error) => error.message,
  )
}

describe('a repository that brings programs along', () => {
  test('has none of its hooks and watchers run while a worktree is made, looked at and removed', async () => {
    await plant()
    const made = await ensureWorktree(repository, trees, TASK, null)
    expect(await cleanWorktree(made, 'changed', true)).toBe('removed the worktree: nothing was changed in it')
    expect(readdirSync(marks)).toEqual([])
    // The proof that they work.
    careless('status')
    careless('worktree', 'add', '-q', join(trees, 'careless'))
    expect(readdirSync(marks)).toEqual(expect.arrayContaining(['fsmonitor', 'post-checkout', 'reference-transaction']))
  })

  test.each(['smudge', 'process'])('is refused with the name of its filter: %s', async (kind) => {
    writeFileSync(join(repository, '.gitattributes'), '* filter=evil\n')
    await git(repository, 'add', '.')
    await git(repository, 'commit', '-qm', 'second')
    await git(repository, 'config', `filter.evil.${kind}`, program('filter'))
    expect(await refusal(ensureWorktree(repository, trees, TASK, null))).toContain(`filter.evil.${kind}`)
    expect(existsSync(join(marks, 'filter'))).toBe(false)
    careless('worktree', 'add', '-q', join(trees, 'careless'))
    expect(existsSync(join(marks, 'filter'))).toBe(true)
  })

  test('keeps its worktree, and runs nothing, when a run planted a filter or led the worktree to another repository', async () => {
    const made = await ensureWorktree(repository, trees, TASK, null)
    const evil = join(root, `e${turn}`)
    await git(root, 'init', '-q', evil)
    await git(evil, 'config', 'filter.evil.clean', program('filter'))
    writeFileSync(join(made.path, '.gitattributes'), '* filter=evil\n')
    writeFileSync(join(made.path, '.git'), `gitdir: ${join(evil, '.git')}\n`)
    expect(await refusal(cleanWorktree(made, 'changed', true))).toContain('filter.evil.clean')
    expect(existsSync(join(made.path, '.gitattributes'))).toBe(true)
    expect(readdirSync(marks)).toEqual([])
  })

  test('reaches nobody for objects that it lacks', async () => {
    const clone = join(root, `c${turn}`)
    await git(repository, 'config', 'uploadpack.allowFilter', 'true')
    expect(
      Bun.spawnSync(['git', 'clone', '-q', '--no-checkout', '--filter=blob:none', `file://${repository}`, clone])
        .exitCode,
    ).toBe(0)
    await git(clone, 'config', 'remote.origin.uploadpack', program('uploadpack', 'exit 1'))
    expect(await refusal(ensureWorktree(clone, trees, TASK, null))).toContain('git worktree failed')
    expect(readdirSync(marks)).toEqual([])
    Bun.spawnSync(['git', 'worktree', 'add', '-q', join(trees, 'careless')], { cwd: clone, stdin: 'ignore' })
    expect(readdirSync(marks)).toEqual(['uploadpack'])
  })

  test('can not call a folder its root in which the task does not work', async () => {
    const sub = join(repository, 'sub')
    mkdirSync(sub)
    await git(repository, 'config', 'core.worktree', sub)
    expect(await refusal(ensureWorktree(repository, trees, TASK, null))).toContain(`says that its files are in ${sub}`)
    expect(existsSync(trees)).toBe(false)
  })
})
