import { afterAll, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { needBubblewrap } from '../../../test/lab/bubblewrap'
import { lodeCommand, lodeFiles } from '../../util/lode-command'
import { type BoxOptions, Sandboxes } from './sandbox'

const root = realpathSync(mkdtempSync('/tmp/ld-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
for (const folder of ['h/.claude', 'h/.lodeline', 'h/p', 'bin']) mkdirSync(join(root, folder), { recursive: true })

const at = (path: string) => join(root, path)
const options = (more: Partial<BoxOptions> = {}): BoxOptions => ({
  place: { root: at('h/.claude'), cwd: at('h/p') },
  state: { kept: [], shared: [], private: [], needed: [], copied: [], readable: [], elsewhere: [], hidden: [] },
  userHome: at('h'),
  home: at('h/.lodeline'),
  scratch: at('scratch'),
  runFolder: at('h/.lodeline/runs/r'),
  hooksFolder: at('h/.lodeline/runs/hooks'),
  temporary: [],
  programs: [],
  writable: [],
  network: {
    words: () => ['open'],
    own: [],
    env: {},
    lode: lodeCommand(),
    socket: at('network'),
    onRefused: () => {},
  },
  ...more,
})
const here = () => new Sandboxes({ PATH: process.env.PATH })
const nowhere = () => new Sandboxes({ PATH: at('bin') })

async function refusal(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'was not refused',
    (error: Error) => error.message,
  )
}

test('where there is no bubblewrap a run goes on without, and says so; a worker that requires one refuses it', async () => {
  expect(await nowhere().whyNone('auto')).toBe('bubblewrap (bwrap) is not installed')
  const given = () => options()
  expect(await nowhere().boxFor('auto', given)).toMatchObject({
    words: [],
    note: 'without a sandbox: bubblewrap (bwrap) is not installed',
  })
  expect(await nowhere().boxFor('off', given)).toMatchObject({ words: [], note: null })
  expect(await refusal(nowhere().boxFor('require', given))).toContain('requires a sandbox')
})

test('where bubblewrap does not work it counts as missing, with its words', async () => {
  writeFileSync(at('bin/bwrap'), '#!/bin/sh\necho no right to make one >&2; exit 1\n')
  chmodSync(at('bin/bwrap'), 0o755)
  expect(await nowhere().whyNone('auto')).toBe('bwrap does not work here: no right to make one')
  rmSync(at('bin/bwrap'))
})

test('a folder that holds what must stay out is no sandbox, and neither is an agent CLI that does not tell its files', async () => {
  await needBubblewrap()
  for (const cwd of [root, at('h'), '/']) {
    const given = () => options({ place: { root: at('h/.claude'), cwd } })
    expect((await here().boxFor('auto', given)).note).toContain('holds your home folder')
    expect(await refusal(here().boxFor('require', given))).toContain('holds your home folder')
  }
  expect(
    await refusal(here().boxFor('require', () => options({ state: { why: 'its agent CLI tells nothing' } }))),
  ).toContain('its agent CLI')
})

test('a run may write what the person lists, also where it would see nothing', async () => {
  await needBubblewrap()
  mkdirSync(at('h/.docker'))
  mkdirSync(at('h/.cache/tool'), { recursive: true })
  const box = await here().boxFor('require', () => options({ writable: [at('h/.cache/tool')] }))
  const script = `echo x > ${at('h/.cache/tool/a')}; echo x > ${at('h/.cache/b')}; echo x > ${at('h/c')}; ls -a ${at('h')}`
  const run = Bun.spawnSync([...box.words, 'sh', '-c', script], { cwd: at('h/p') })
  expect(run.stderr.toString()).toBe('')
  expect(run.stdout.toString()).not.toContain('.docker')
  // What it wrote beside is its own.
  const there = (path: string) => Bun.file(at(path)).exists()
  expect([await there('h/.cache/tool/a'), await there('h/.cache/b'), await there('h/c')]).toEqual([true, false, false])
})

test('a task in a home folder that is itself kept in git sees no more of it than another', async () => {
  await needBubblewrap()
  mkdirSync(at('h/.ssh'))
  writeFileSync(at('h/.ssh/id'), 'PRIVATE')
  expect(Bun.spawnSync(['git', 'init', '-q', at('h')]).exitCode).toBe(0)
  const box = await here().boxFor('require', () => options())
  const run = Bun.spawnSync([...box.words, 'sh', '-c', `cat ${at('h/.ssh/id')}; git rev-parse --git-dir`], {
    cwd: at('h/p'),
  })
  expect(run.stdout.toString()).not.toContain('PRIVATE')
})

test('a task in a worktree commits to its branch, and can lead neither worktree to another repository', async () => {
  await needBubblewrap()
  const repository = at('repository')
  const identity = ['-c', 'user.name=T', '-c', 'user.email=t@t.invalid']
  const git = (...args: string[]) => Bun.spawnSync(['git', ...identity, ...args], { cwd: repository }).exitCode
  mkdirSync(repository)
  const tree = at('h/.lodeline/worktrees/t-1')
  const made = [git('init', '-q'), git('commit', '-q', '--allow-empty', '-m', 'first')]
  const added = [git('worktree', 'add', '-q', tree), git('worktree', 'add', '-q', at('other'))]
  expect([...made, ...added]).toEqual([0, 0, 0, 0])
  const box = await here().boxFor('require', () => options({ place: { root: at('h/.claude'), cwd: tree } }))
  const tries = [
    `echo x > a && git add a && git ${identity.join(' ')} commit -qm second && echo COMMITTED`,
    `echo 'gitdir: /evil' > .git || echo REFUSED`,
    `echo /evil > ${repository}/.git/worktrees/t-1/commondir || echo REFUSED`,
    `echo /evil > ${repository}/.git/worktrees/other/commondir || echo REFUSED`,
    `mv ${repository}/.git/worktrees/other ${repository}/.git/worktrees/gone || echo REFUSED`,
    `echo x > ${repository}/.git/hooks/post-commit || echo REFUSED`,
    `git config core.hooksPath /evil || echo REFUSED`,
  ]
  const run = Bun.spawnSync([...box.words, 'sh', '-c', tries.join('\n')], { cwd: tree })
  expect(run.stdout.toString().trim().split('\n')).toEqual(['COMMITTED', ...Array(6).fill('REFUSED')])
  expect(git('cat-file', '-e', 't-1:a')).toBe(0)
})

test('a run whose way out can not be opened does not begin, and one with the open network has no proxy', async () => {
  await needBubblewrap()
  const network = { ...options().network, words: () => [], lode: ['/bin/false'] }
  const box = await here().boxFor('require', () => options({ network }))
  const run = Bun.spawnSync([...box.words, 'echo', 'begun'], { cwd: at('h/p') })
  box.close()
  expect([run.exitCode, run.stdout.toString()]).toEqual([125, ''])
  expect(run.stderr.toString()).toContain('could not be opened')
  const open = await here().boxFor('require', () => options())
  expect(open.words).not.toContain('--unshare-net')
  expect(open.env).toEqual({})
  expect(open.note).toContain('reaches the whole network')
})

test('the way out opens also where the folder of Lodeline is hidden from a run, as all below /tmp is', async () => {
  await needBubblewrap()
  const network = { ...options().network, words: () => [] }
  const temporary = [resolve(import.meta.dir, '../../..')]
  const programs = lodeCommand().filter((word) => isAbsolute(word))
  const begin = async (programs: string[]) => {
    const box = await here().boxFor('require', () => options({ network, temporary, programs }))
    const run = Bun.spawnSync([...box.words, 'echo', 'begun'], { cwd: at('h/p'), env: { ...process.env, ...box.env } })
    box.close()
    return [run.exitCode, run.stdout.toString()]
  }
  expect(await begin(programs)).toEqual([125, ''])
  expect(await begin([...programs, ...lodeFiles()])).toEqual([0, 'begun\n'])
})

test('where a sandbox can have no network of its own it has the whole one and says so, unless it is required', async () => {
  await needBubblewrap()
  const real = Bun.which('bwrap') ?? ''
  // As containers do that forbid it.
  const refusing = `#!/bin/sh\nfor word; do [ "$word" = --unshare-net ] && { echo no loopback >&2; exit 1; }; done\nexec ${real} "$@"\n`
  writeFileSync(at('bin/bwrap'), refusing)
  chmodSync(at('bin/bwrap'), 0o755)
  const there = new Sandboxes({ PATH: `${at('bin')}:${process.env.PATH}` })
  const given = () => options({ network: { ...options().network, words: () => ['common'] } })
  expect([await there.whyNone('auto'), await there.whyOpen('auto')]).toEqual([null, 'no loopback'])
  const box = await there.boxFor('auto', given)
  expect(box.words).not.toContain('--unshare-net')
  expect(box.note).toContain("reaches the whole network, since it can't have one of its own here: no loopback")
  expect(await refusal(there.boxFor('require', given))).toContain('no loopback')
  expect((await there.boxFor('require', () => options())).note).toEndWith('reaches the whole network')
  rmSync(at('bin/bwrap'))
})
