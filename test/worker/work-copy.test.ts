import { afterAll, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { attemptId, taskId } from '../../src/domain/ids'
import type { Task } from '../../src/domain/task/task'
import type { WorkCopy } from '../../src/domain/task/work-copy'
import type { ConversationSource } from '../../src/domain/task/worker-protocol'
import { git } from '../../src/worker/workplace/git'
import { openMirror } from '../../src/worker/workplace/mirror'
import { pruneMirrors } from '../../src/worker/workplace/prune-mirrors'
import { WorkCopyTaker } from '../../src/worker/workplace/take-work-copy'
import {
  commitRest,
  dropTaskBranch,
  findTaskBranch,
  mergeTaskBranch,
  patchOf,
} from '../../src/worker/workplace/task-branch'
import { findWorkplace, type Workplace } from '../../src/worker/workplace/workplace'
import { shownAttemptWith, shownTaskWith } from '../samples/tasks'

const root = realpathSync(mkdtempSync('/tmp/ld-copy-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const TASK = 't-aaaaaaaa'
const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b']

async function newOrigin(name: string): Promise<{ remote: string; bare: string; clone: string }> {
  const bare = join(root, `${name}.git`)
  const clone = join(root, `${name}-clone`)
  await git(root, 'init', '--quiet', '--bare', '-b', 'main', bare)
  await git(root, 'init', '--quiet', '-b', 'main', clone)
  writeFileSync(join(clone, 'kept.txt'), 'kept\n')
  writeFileSync(join(clone, 'changed.txt'), 'old\n')
  writeFileSync(join(clone, 'deleted.txt'), 'gone soon\n')
  writeFileSync(join(clone, '.gitignore'), 'ignored/\n')
  await commitAll(clone, 'first')
  await push(clone, bare)
  return { remote: `file://${bare}`, bare, clone }
}

async function commitAll(folder: string, words: string): Promise<string> {
  await git(folder, 'add', '--all')
  await git(folder, ...identity, 'commit', '--quiet', '-m', words)
  return await git(folder, 'rev-parse', 'HEAD')
}

/** Pushed by objects: our `git` speaks to no remote. */
async function push(clone: string, bare: string): Promise<void> {
  const { exitCode, stderr } = Bun.spawnSync(['git', 'push', '--quiet', bare, 'HEAD:main'], { cwd: clone })
  if (exitCode !== 0) throw new Error(stderr.toString())
}

/** A machine with folders of its own; what it takes, others can get. */
class Host {
  readonly home: string
  readonly name: string
  asked = 0
  static copy: { about: WorkCopy; file: string } | null = null

  constructor(name: string) {
    this.name = name
    this.home = join(root, `host-${name}`)
    mkdirSync(this.home)
  }

  find(given: Partial<Task>, conversation: ConversationSource): Promise<Workplace> {
    const task = {
      ...shownTaskWith({ id: taskId(TASK) }),
      dir: null,
      worktree: { base: null },
      repository: null,
      ...given,
    }
    const settings = {
      worktreeFolder: join(this.home, 'worktrees'),
      mirrorFolder: join(this.home, 'mirrors'),
      dir: null,
      dirs: [],
    }
    return findWorkplace({ task, conversation }, settings, {
      hostName: this.name,
      workCopy: async () => {
        this.asked++
        return Host.copy?.about ?? null
      },
      bundleOf: async (copy) => {
        const file = join(this.home, copy.commit)
        copyFileSync(Host.copy?.file ?? '', file)
        return file
      },
    })
  }

  async take({ worktree }: Workplace): Promise<WorkCopy | null> {
    if (worktree === null) throw new Error('no worktree')
    const taker = new WorkCopyTaker(worktree, join(this.home, 'run'))
    const taken = await taker.take()
    if (taken === null) return null
    const { file, state: _, ...copy } = taken
    const about = {
      ...copy,
      taskId: taskId(TASK),
      attemptId: attemptId(`${TASK}.1`),
      remote: worktree.remote ?? '',
      hostName: this.name,
      takenAt: '2026-01-01T00:00:00.000Z',
    }
    Host.copy = { about, file }
    return about
  }
}

const ran = (host: Host, { cwd }: Workplace): ConversationSource => ({
  kind: 'own',
  sessionId: 's' as never,
  cwd,
  hostName: host.name,
  startRung: null,
  whyNot: [],
})
const first: ConversationSource = { kind: 'none', reason: 'first' }

/** Every file with its mode and content. */
function filesOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    names
      .filter((entry) => !entry.isDirectory() && entry.name !== '.git')
      .map((entry) => {
        const path = join(entry.parentPath, entry.name)
        if (entry.isSymbolicLink()) return [path.slice(folder.length + 1), 'link']
        return [
          path.slice(folder.length + 1),
          `${statSync(path).mode & 0o111} ${readFileSync(path).toString('base64')}`,
        ]
      })
      .sort(),
  )
}

describe('a task with a repository', () => {
  test('works in a worktree of its own, without any folder of a person', async () => {
    const { remote, clone, bare } = await newOrigin('own')
    const host = new Host('own')
    const place = await host.find({ repository: remote }, first)
    expect(readFileSync(join(place.cwd, 'kept.txt'), 'utf8')).toBe('kept\n')
    expect(place.worktree?.branch).toBe(`lode/${TASK}`)
    expect(await host.take(place)).toBeNull()
    // What is pushed later is there for the next task, and what runs is left alone.
    writeFileSync(join(clone, 'later.txt'), 'later')
    await commitAll(clone, 'later')
    await push(clone, bare)
    const again = await host.find({ repository: remote }, ran(host, place))
    expect([again.cwd, existsSync(join(again.cwd, 'later.txt'))]).toEqual([place.cwd, false])
    const { remote: away } = await newOrigin('away')
    const begun = await host.find({ id: taskId('t-dddddddd'), repository: away }, first)
    rmSync(away.slice('file://'.length), { recursive: true })
    // A remote that is away holds up nobody who goes on where it was.
    expect((await host.find({ id: taskId('t-dddddddd'), repository: away }, ran(host, begun))).note).toBeNull()
    const other = await host.find({ id: taskId('t-bbbbbbbb'), repository: remote }, first)
    expect(existsSync(join(other.cwd, 'later.txt'))).toBe(true)
    expect(host.asked).toBe(0)
    const based = { id: taskId('t-cccccccc'), repository: remote, worktree: { base: 'nowhere' } }
    expect(host.find(based, first)).rejects.toThrow('no revision "nowhere"')
    const commit = await git(clone, 'rev-parse', 'HEAD~1')
    const early = await host.find({ ...based, worktree: { base: commit } }, first)
    expect(existsSync(join(early.cwd, 'later.txt'))).toBe(false)
  })

  test('is refused where the remote is not there, with what to try', async () => {
    const gone = new Host('gone').find({ repository: `file://${root}/none.git` }, first)
    expect(gone).rejects.toThrow(`can't be fetched`)
  })
})

describe('a task that goes on on another machine', () => {
  test('finds its commits and its uncommitted files, but no secrets and nothing ignored', async () => {
    const { remote } = await newOrigin('moved')
    const [a, b] = [new Host('a'), new Host('b')]
    const place = await a.find({ repository: remote }, first)
    const at = (name: string) => join(place.cwd, name)
    writeFileSync(at('committed.txt'), 'in a commit')
    const head = await commitAll(place.cwd, 'work')
    writeFileSync(at('changed.txt'), 'new\n')
    rmSync(at('deleted.txt'))
    mkdirSync(at('ordner mit ü'))
    writeFileSync(at('ordner mit ü/bild.bin'), Buffer.from([0, 255, 10, 13, 0]))
    writeFileSync(at('run.sh'), '#!/bin/sh\n')
    chmodSync(at('run.sh'), 0o755)
    symlinkSync('kept.txt', at('link'))
    mkdirSync(join(root, 'outside'))
    symlinkSync(join(root, 'outside'), at('out'))
    const expected = filesOf(place.cwd)
    writeFileSync(at('.env'), 'PASSWORD=x')
    writeFileSync(at('notes.txt'), `key ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}\n`)
    mkdirSync(at('ignored'))
    writeFileSync(at('ignored/big'), 'x')
    const before = await git(place.cwd, 'for-each-ref')
    const copy = await a.take(place)
    expect([copy?.head, copy?.leftOut.toSorted()]).toEqual([head, ['.env', 'notes.txt']])
    expect(await git(place.cwd, 'for-each-ref')).toBe(before)

    const there = await b.find({ repository: remote }, ran(a, place))
    expect(there.cwd.startsWith(b.home)).toBe(true)
    expect(filesOf(there.cwd)).toEqual(expected)
    expect(await git(there.cwd, 'rev-parse', 'HEAD')).toBe(head)
    expect(await git(there.cwd, 'symbolic-ref', '--short', 'HEAD')).toBe(`lode/${TASK}`)
    expect(await git(there.cwd, 'diff', '--cached', '--name-only')).toBe('')
    expect(there.worktree?.base).toBe(place.worktree?.base ?? '')
    expect(there.note).toContain('the files are as they were after the last turn')

    // In the folder in which it worked, which is in no commit; by no link or dots out of its worktree.
    const below = await b.find({ repository: remote }, ran(a, { ...place, cwd: at('ordner mit ü') }))
    expect([below.cwd, below.worktree?.cwd]).toEqual([join(there.cwd, 'ordner mit ü'), below.cwd])
    for (const out of ['out', '../..', 'gone']) {
      const found = await b.find({ repository: remote }, ran(a, { ...place, cwd: `${place.cwd}/${out}` }))
      expect(found.cwd).toBe(there.cwd)
    }

    // And back, where the files are older and one was changed by hand: nothing of either is lost.
    writeFileSync(join(there.cwd, 'changed.txt'), 'newer\n')
    await b.take(there)
    writeFileSync(at('kept.txt'), 'by hand')
    const back = await a.find({ repository: remote }, ran(b, there))
    expect(back.cwd).toBe(place.cwd)
    expect(readFileSync(at('changed.txt'), 'utf8')).toBe('newer\n')
    expect(readFileSync(at('.env'), 'utf8')).toBe('PASSWORD=x')
    const kept = /kept as (\S+)/.exec(back.note ?? '')?.[1] ?? ''
    expect(await git(place.cwd, 'show', `${kept}:kept.txt`)).toBe('by hand')
  })

  test('finds them too if its folder was one of the other machine, by the remote of that folder', async () => {
    const { remote, clone } = await newOrigin('folder')
    const [a, b] = [new Host('c'), new Host('d')]
    await git(clone, 'config', 'remote.origin.url', remote)
    const place = await a.find({ dir: clone }, first)
    writeFileSync(join(place.cwd, 'changed.txt'), 'new\n')
    await a.take(place)
    rmSync(clone, { recursive: true })
    const there = await b.find({ dir: clone }, ran(a, place))
    expect(readFileSync(join(there.cwd, 'changed.txt'), 'utf8')).toBe('new\n')
  })

  test('says so when no copy was kept', async () => {
    const { remote } = await newOrigin('lost')
    Host.copy = null
    const place = await new Host('f').find({ repository: remote }, ran(new Host('e'), { cwd: '/gone' } as Workplace))
    expect(place.note).toContain('no copy of the files on the other machine is kept')
  })
})

describe("a person's clone", () => {
  test('gets the work of another machine as a branch, merges it with what was in no commit, and drops it', async () => {
    const { remote, clone } = await newOrigin('person')
    const host = new Host('p')
    const place = await host.find({ repository: remote }, first)
    writeFileSync(join(place.cwd, 'committed.txt'), 'in a commit')
    await commitAll(place.cwd, 'work')
    writeFileSync(join(place.cwd, 'changed.txt'), 'new\n')
    const copy = await host.take(place)
    const task = { ...shownTaskWith({ id: taskId(TASK) }), repository: remote, worktree: { base: null } }
    const attempt = shownAttemptWith({ hostName: 'p', branch: `lode/${TASK}`, base: copy?.base ?? '', cwd: place.cwd })
    const find = (here: string, repository = clone) =>
      findTaskBranch(task, [attempt], here, undefined, {
        repository,
        copy: async () => copy,
        bundleOf: async ({ commit }) => {
          const file = join(root, commit)
          copyFileSync(Host.copy?.file ?? '', file)
          return file
        },
      })
    const found = await find('elsewhere')
    expect([found.ahead, found.behind, found.uncommitted, found.path]).toEqual([1, 0, ['changed.txt'], null])
    const patch = await patchOf(found, false)
    expect(patch).toContain('+in a commit')
    expect(patch).toContain('+new')
    expect(mergeTaskBranch(found)).rejects.toThrow('changed.txt')
    await git(clone, 'config', 'user.name', 'a')
    await git(clone, 'config', 'user.email', 'a@b')
    await commitRest(found, 'the rest')
    const ready = await find('elsewhere')
    expect([ready.ahead, ready.uncommitted]).toEqual([2, []])
    await mergeTaskBranch(ready)
    expect(readFileSync(join(clone, 'changed.txt'), 'utf8')).toBe('new\n')
    expect(await git(clone, 'log', '-1', '--format=%s')).toBe('the rest')
    // On the machine of the worker, its worktree goes too.
    await dropTaskBranch(await find('p'))
    expect([existsSync(place.cwd), await git(clone, 'branch', '--list', 'lode/*')]).toEqual([false, ''])
    const stranger = join(root, 'stranger')
    await git(root, 'init', '--quiet', '-b', 'main', stranger)
    writeFileSync(join(stranger, 'x'), 'x')
    await commitAll(stranger, 'x')
    await expect(find('elsewhere', stranger)).rejects.toThrow(/can't be taken in/)
    expect(await git(stranger, 'branch', '--list', 'lode/*')).toBe('')
  })
})

test('a hostile repository runs nothing when its worktree is copied', async () => {
  const { remote } = await newOrigin('hostile')
  const host = new Host('hostile')
  const place = await host.find({ repository: remote }, first)
  const ranHere = join(root, 'ran')
  for (const [key, value] of [
    ['core.fsmonitor', `touch ${ranHere}`],
    ['filter.evil.clean', `touch ${ranHere}; cat`],
    ['core.hooksPath', join(place.cwd, 'hooks')],
  ] as const)
    await git(place.cwd, 'config', key, value)
  writeFileSync(join(place.cwd, '.gitattributes'), '*.txt filter=evil\n')
  writeFileSync(join(place.cwd, 'kept.txt'), 'changed')
  expect((await host.take(place))?.size).toBeGreaterThan(0)
  expect(existsSync(ranHere)).toBe(false)
})

test('nothing is taken again while nothing changes', async () => {
  const { remote } = await newOrigin('twice')
  const host = new Host('twice')
  const { worktree, cwd } = await host.find({ repository: remote }, first)
  if (worktree === null) throw new Error('no worktree')
  const taker = new WorkCopyTaker(worktree, join(host.home, 'run'))
  writeFileSync(join(cwd, 'changed.txt'), 'a')
  const taken = await taker.take()
  if (taken === null) throw new Error('nothing was taken')
  // The server did not get it: it is taken once more.
  expect((await taker.take())?.commit).toBeString()
  taker.kept(taken)
  expect(await taker.take()).toBeNull()
  // Also a return to what it was at the beginning is a change.
  await git(cwd, 'checkout', '--quiet', '.')
  expect(await taker.take()).not.toBeNull()
})

test('mirrors that nobody uses are removed by age and size, and never one with a worktree or a commit of its own', async () => {
  const host = new Host('prune')
  const folder = join(host.home, 'mirrors')
  const made: Record<string, string> = {}
  for (const name of ['old', 'worktree', 'commit', 'fresh']) {
    const { remote } = await newOrigin(`prune-${name}`)
    const { repository } = await openMirror(remote, folder)
    made[name] = repository
    if (name === 'worktree') await host.find({ id: taskId('t-eeeeeeee'), repository: remote }, first)
    if (name === 'commit')
      await git(
        repository,
        'update-ref',
        'refs/heads/lode/t-1',
        await git(repository, ...identity, 'commit-tree', '-m', 'x', 'origin/HEAD^{tree}'),
      )
    const at = name === 'fresh' ? Date.now() : Date.now() - 40 * 86_400_000
    utimesSync(join(repository, '.git', 'lodeline-fetched'), at / 1_000, at / 1_000)
  }
  const there = () => Object.entries(made).flatMap(([name, repository]) => (existsSync(repository) ? [name] : []))
  await pruneMirrors(folder, Date.now())
  expect(there()).toEqual(['worktree', 'commit', 'fresh'])
  // Too large, but about to be used; then not any more.
  const limits = { ageMs: 30 * 86_400_000, bytes: 0, freshMs: 3_600_000 }
  await pruneMirrors(folder, Date.now(), limits)
  expect(there()).toEqual(['worktree', 'commit', 'fresh'])
  await pruneMirrors(folder, Date.now() + 3_700_000, limits)
  expect(there()).toEqual(['worktree', 'commit'])
})
