import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAppError } from '../../src/domain/errors'
import { taskId } from '../../src/domain/ids'
import type { Task } from '../../src/domain/task/task'
import type { ConversationSource } from '../../src/domain/task/worker-protocol'
import { git } from '../../src/worker/workplace/git'
import { findWorkplace, type WorkplaceParts } from '../../src/worker/workplace/workplace'
import { cleanWorktree, ensureWorktree } from '../../src/worker/workplace/worktree'

const root = realpathSync(mkdtempSync('/tmp/ld-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const TASK = taskId('t-00000001')
let repository: string
let trees: string
let turn = 0

beforeEach(async () => {
  repository = join(root, `r${++turn}`)
  trees = join(root, `w${turn}`)
  mkdirSync(join(repository, 'src'), { recursive: true })
  await git(root, 'init', '-q', '-b', 'main', repository)
  await git(repository, 'config', 'user.email', 'test@lodeline.invalid')
  await git(repository, 'config', 'user.name', 'Test')
  writeFileSync(join(repository, 'src/a.txt'), 'a')
  await git(repository, 'add', '.')
  await git(repository, 'commit', '-qm', 'first')
})

async function commit(folder: string, name: string): Promise<string> {
  writeFileSync(join(folder, name), name)
  await git(folder, 'add', '.')
  await git(folder, 'commit', '-qm', name)
  return git(folder, 'rev-parse', 'HEAD')
}

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    if (isAppError(error) && error.code === 'invalid') return `${error.message} | ${error.hint}`
    throw error
  }
  throw new Error('was not refused')
}

describe("a task's worktree", () => {
  test('is a branch of its own from the revision asked for, in the folder asked for', async () => {
    const first = await git(repository, 'rev-parse', 'HEAD')
    await commit(repository, 'b.txt')
    const made = await ensureWorktree(join(repository, 'src'), trees, TASK, 'HEAD~1')
    expect(made).toEqual({
      path: join(trees, TASK),
      cwd: join(trees, TASK, 'src'),
      branch: `lode/${TASK}`,
      base: first,
      repository,
      remote: null,
    })
    expect(existsSync(join(made.path, 'b.txt'))).toBe(false)
    expect(await git(made.path, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe(`lode/${TASK}`)
  })

  test('is found again by the next attempt, with its base', async () => {
    const made = await ensureWorktree(repository, trees, TASK, null)
    await commit(made.path, 'work.txt')
    expect(await ensureWorktree(repository, trees, TASK, null)).toEqual(made)
    // From within, too: where the conversation ran last.
    expect(await ensureWorktree(made.cwd, trees, TASK, null)).toEqual(made)
    rmSync(made.path, { recursive: true })
    expect(await ensureWorktree(repository, trees, TASK, null)).toEqual(made)
    expect(existsSync(join(made.path, 'work.txt'))).toBe(true)
  })

  test('can be made for many tasks at once', async () => {
    const ids = Array.from({ length: 6 }, (_, n) => taskId(`t-0000001${n}`))
    const made = await Promise.all(ids.map((id) => ensureWorktree(repository, trees, id, null)))
    expect(made.map(({ branch }) => branch)).toEqual(ids.map((id) => `lode/${id}`))
  })

  test('is removed with its branch when nothing was changed in it', async () => {
    const made = await ensureWorktree(repository, trees, TASK, null)
    expect(await cleanWorktree(made, 'changed', true)).toContain('nothing was changed')
    expect(existsSync(made.path)).toBe(false)
    expect(await git(repository, 'branch', '--list', made.branch)).toBe('')
  })

  test('is removed and its branch kept when all was committed', async () => {
    const made = await ensureWorktree(repository, trees, TASK, null)
    const head = await commit(made.path, 'work.txt')
    expect(await cleanWorktree(made, 'changed', true)).toContain(made.branch)
    expect(existsSync(made.path)).toBe(false)
    expect(await git(repository, 'rev-parse', made.branch)).toBe(head)
  })

  test('is kept when it holds what is not committed, or a commit without a branch', async () => {
    const made = await ensureWorktree(repository, trees, TASK, null)
    writeFileSync(join(made.path, 'new.txt'), 'n')
    expect(await cleanWorktree(made, 'changed', true)).toContain('uncommitted')
    await git(made.path, 'checkout', '-q', '--detach')
    await commit(made.path, 'work.txt')
    expect(await cleanWorktree(made, 'changed', true)).toContain('no longer on its branch')
    expect(existsSync(made.path)).toBe(true)
  })

  test('is kept when the task did not complete, or when all are to be kept', async () => {
    const made = await ensureWorktree(repository, trees, TASK, null)
    expect(await cleanWorktree(made, 'changed', false)).toBeNull()
    expect(await cleanWorktree(made, 'always', true)).toBeNull()
    expect(existsSync(made.path)).toBe(true)
  })

  test('is refused with a hint where there is no repository, no such revision, no commit', async () => {
    const plain = join(root, 'plain')
    mkdirSync(plain, { recursive: true })
    expect(await refusal(ensureWorktree(plain, trees, TASK, null))).toContain('not in a Git repository')
    expect(await refusal(ensureWorktree(repository, trees, TASK, 'nowhere'))).toContain('no revision "nowhere"')
    expect(await refusal(ensureWorktree(repository, trees, TASK, '--upload-pack=evil'))).toContain('no revision')
    const empty = join(root, 'empty')
    await git(root, 'init', '-q', empty)
    expect(await refusal(ensureWorktree(empty, trees, TASK, null))).toContain('no commit yet')
  })
})

describe('the folder that a task runs in', () => {
  const task = (more: Partial<Task> = {}) =>
    ({ id: TASK, dir: null, repository: null, worktree: null, ...more }) as Task
  const ran = (cwd: string | null): ConversationSource => ({
    kind: 'own',
    sessionId: '' as never,
    cwd,
    hostName: null,
    startRung: null,
    whyNot: [],
  })
  const mirrorFolder = join(root, 'mirrors')
  const alone: WorkplaceParts = {
    hostName: 'h',
    workCopy: async () => null,
    bundleOf: () => Promise.reject(new Error('there is none')),
  }
  const none: ConversationSource = { kind: 'none', reason: 'first' }
  const find = (given: Task, conversation: ConversationSource, dirs: string[] = []) =>
    findWorkplace({ task: given, conversation }, { worktreeFolder: trees, mirrorFolder, dir: repository, dirs }, alone)

  test('is the one asked for, else where its conversation ran, else the worker’s', async () => {
    const other = join(repository, 'src')
    expect((await find(task({ dir: other }), ran(repository))).cwd).toBe(other)
    expect((await find(task(), ran(other))).cwd).toBe(other)
    expect((await find(task(), none)).cwd).toBe(repository)
    const gone = await find(task(), ran(join(root, 'gone')))
    expect([gone.cwd, gone.note]).toEqual([
      repository,
      `the folder ${root}/gone no longer exists: working in ${repository}`,
    ])
  })

  test('that nothing names is refused: never is it where the worker happens to stand', async () => {
    const settings = { worktreeFolder: trees, mirrorFolder, dir: null, dirs: [] }
    const nowhere = findWorkplace({ task: task(), conversation: none }, settings, alone)
    expect(await refusal(nowhere)).toContain('has no folder')
    const gone = findWorkplace({ task: task(), conversation: ran(join(root, 'gone')) }, settings, alone)
    expect(await refusal(gone)).toContain(`${root}/gone no longer exists`)
  })

  test('is named as the CLI will name it, with links resolved', async () => {
    const link = join(root, `link${turn}`)
    symlinkSync(repository, link)
    expect((await find(task({ dir: link }), none)).cwd).toBe(repository)
  })

  test('that was asked for and is not there is refused, with a hint', async () => {
    expect(await refusal(find(task({ dir: join(root, 'gone') }), none))).toContain('does not exist on this machine')
    expect(await refusal(find(task({ dir: join(repository, 'src/a.txt') }), none))).toContain('does not exist')
    expect(await refusal(find(task({ dir: 'relative' }), none))).toContain('does not exist')
    const nowhere = findWorkplace(
      { task: task(), conversation: none },
      { worktreeFolder: trees, mirrorFolder, dir: join(root, 'gone'), dirs: [] },
      alone,
    )
    expect(await refusal(nowhere)).toContain('worker.dir')
  })

  test('of a conversation whose worktree was removed is the repository that it was made from', async () => {
    const { worktree } = await find(task({ worktree: { base: null } }), none)
    if (worktree === null) throw new Error('no worktree')
    await cleanWorktree(worktree, 'changed', true)
    const child = await findWorkplace(
      { task: task({ id: taskId('t-child000') }), conversation: ran(worktree.cwd) },
      { worktreeFolder: trees, mirrorFolder, dir: root, dirs: [] },
      alone,
    )
    expect(child.cwd).toBe(repository)
    expect(child.note).toContain('was removed')
  })

  test('is refused outside of the folders that the worker runs tasks in, wherever links lead', async () => {
    const allowed = join(root, `allowed${turn}`)
    mkdirSync(join(allowed, 'in'), { recursive: true })
    symlinkSync(repository, join(allowed, 'out'))
    const link = join(root, `link${turn}`)
    symlinkSync(allowed, link)
    const at = (dir: string) => find(task({ dir }), none, [link])
    expect((await at(allowed)).cwd).toBe(allowed)
    expect((await at(join(link, 'in'))).cwd).toBe(join(allowed, 'in'))
    mkdirSync(`${allowed}-sibling`)
    for (const dir of [repository, root, join(allowed, 'out'), `${allowed}-sibling`, '/'])
      expect(await refusal(at(dir))).toContain('worker.dirs')
    // Where its conversation ran, and the worker's own folder, are no exceptions.
    expect(await refusal(find(task(), ran(repository), [allowed]))).toContain('worker.dirs')
    expect(await refusal(find(task(), none, [allowed]))).toContain('worker.dirs')
    expect(await refusal(find(task({ dir: allowed }), none, [join(root, 'gone')]))).toContain('worker.dirs')
  })

  test('of a worktree counts as the folder that it was made from', async () => {
    const { worktree } = await find(task({ worktree: { base: null } }), none)
    if (worktree === null) throw new Error('no worktree')
    expect((await find(task(), ran(worktree.cwd), [repository])).cwd).toBe(worktree.cwd)
    expect(await refusal(find(task(), ran(worktree.cwd), [trees]))).toContain('worker.dirs')
  })
})
