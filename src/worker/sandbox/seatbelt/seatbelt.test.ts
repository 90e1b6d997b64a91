/** Seatbelt's choice, words and rules, as far as they can be seen where there is no macOS. */
import { afterAll, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { may, readProfile } from '../../../../test/lab/seatbelt-reader'
import { type BoxOptions, Sandboxes } from '../sandbox'
import { SECRET_PLACES } from '../secret-places'

const root = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(root, { recursive: true, force: true }))
const at = (path: string) => join(root, path)
for (const folder of ['h/.claude', 'h/.lodeline/runs/t-1.1', 'bin', 'tmp', 'cache'])
  mkdirSync(at(folder), { recursive: true })
const project = at('h/a "p" (1)\\')
mkdirSync(project)
Bun.spawnSync(['git', 'init', '-q', project])

const run = (name: string) => at(`h/.lodeline/runs/t-1.1/${name}`)
const options = (more: Partial<BoxOptions> = {}): BoxOptions => ({
  place: { root: at('h/.claude'), cwd: project },
  state: {
    kept: ['projects/-p'],
    shared: ['login.json'],
    private: ['history.jsonl', 'env'],
    needed: ['env/s-1'],
    copied: [],
    readable: [],
    elsewhere: [],
    hidden: [],
  },
  userHome: at('h'),
  home: at('h/.lodeline'),
  scratch: mkdtempSync(run('scratch-')),
  runFolder: run('run'),
  hooksFolder: run('hooks'),
  temporary: [at('tmp')],
  programs: [],
  writable: [at('cache')],
  network: {
    words: () => ['localhost:5432'],
    own: [{ host: '127.0.0.1', port: 4_655 }],
    env: {},
    lode: [],
    socket: run('network'),
    onRefused: () => {},
  },
  ...more,
})

/** In the place of macOS's program: it runs the command as it is. */
function sandboxExec(script = 'shift 2; case "$1" in /usr/bin/true) exit 0;; esac; exec "$@"'): string {
  const path = at('bin/sandbox-exec')
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}
const mac = (path = sandboxExec()) =>
  new Sandboxes({ PATH: process.env.PATH }, { platform: 'darwin', sandboxExec: path })

async function profileOf(more: Partial<BoxOptions> = {}): Promise<string> {
  const box = await mac().boxFor('require', () => options(more))
  box.close()
  return box.words[2] ?? ''
}

test('a run on macOS is told of folders of its own, and is itself the process that is started', async () => {
  const box = await mac().boxFor('require', () => options())
  expect(box.words.slice(0, 2)).toEqual([at('bin/sandbox-exec'), '-p'])
  expect(box.words).toHaveLength(3)
  expect(box.isAround).toBe(false)
  expect(box.note).toContain('have not tried on a Mac')
  for (const name of ['TMPDIR', 'XDG_CACHE_HOME', 'GOCACHE']) expect(box.env[name]).toStartWith(run('scratch-'))
  // What its hooks report reaches the folder from which the worker takes it.
  mkdirSync(join(box.home ?? '', 'hooks'), { recursive: true })
  writeFileSync(join(box.home ?? '', 'hooks/1.jsonl'), 'x')
  expect(readFileSync(run('hooks/1.jsonl'), 'utf8')).toBe('x')
  box.close()
})

test('it sees no secret place, also where that is made later, nothing of Lodeline, and no other conversation', async () => {
  const profile = await profileOf()
  const hidden = [
    ...SECRET_PLACES.map((name) => at(`h/${name}`)),
    ...['h/.lodeline', 'h/.lodeline/token', 'h/.lodeline/runs/t-2.1/run/mcp.json', 'tmp/x'].map(at),
    ...['h/.claude/projects/-other/talk.jsonl', 'h/.claude/history.jsonl', 'h/.claude/env/s-2/x'].map(at),
    run('attempt.json'),
  ]
  const open = hidden.filter((path) => may(profile, 'file-read-data', path) || may(profile, 'file-write-data', path))
  expect(open).toEqual([])
  for (const path of ['/usr/bin/git', at('h/.zshrc'), at('h/.claude/settings.json'), run('run/mcp.json')])
    expect([path, may(profile, 'file-read-data', path), may(profile, 'file-write-data', path)]).toEqual([
      path,
      true,
      false,
    ])
})

test('it writes its folder, its conversation, what is its own and what the person lists', async () => {
  const given = options()
  const profile = await profileOf(given)
  const open = [
    join(project, 'src/a.ts'),
    join(project, '.git/objects/ab/x'),
    join(project, '.git/refs/heads/main'),
    at('h/.claude/projects/-p/talk.jsonl'),
    at('h/.claude/login.json'),
    at('h/.claude/env/s-1/x'),
    at('cache/x'),
    join(given.scratch, 'tmp/x'),
    run('hooks/1.jsonl'),
    run('run/told/x'),
    '/dev/null',
  ]
  const both = (path: string) => may(profile, 'file-read-data', path) && may(profile, 'file-write-data', path)
  expect(open.filter((path) => !both(path))).toEqual([])
  for (const name of [
    '.git/hooks/post-commit',
    '.git/config',
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.mcp.json',
  ])
    expect([name, may(profile, 'file-write-create', join(project, name))]).toEqual([name, false])
  for (const name of ['', '.git', '.git/hooks'])
    expect(may(profile, 'file-write-unlink', name === '' ? project : join(project, name))).toBe(false)
})

test('a folder by way of a link is the one to which it leads', async () => {
  symlinkSync(at('cache'), at('link'))
  mkdirSync(at('dots'))
  symlinkSync(at('dots'), at('h/.ssh'))
  const profile = await profileOf({ writable: [at('link')] })
  expect(may(profile, 'file-write-data', join(realpathSync(at('cache')), 'x'))).toBe(true)
  expect(may(profile, 'file-read-data', at('dots/id'))).toBe(false)
  rmSync(at('h/.ssh'))
})

test('a worktree in the folder of Lodeline is written, and the folders on the way to it are found', async () => {
  const tree = at('h/.lodeline/worktrees/t-1')
  mkdirSync(tree, { recursive: true })
  const profile = await profileOf({ place: { root: at('h/.claude'), cwd: tree } })
  expect(may(profile, 'file-write-data', join(tree, 'x'))).toBe(true)
  expect(may(profile, 'file-read-metadata', at('h/.lodeline/worktrees'))).toBe(true)
  expect(may(profile, 'file-read-data', at('h/.lodeline/worktrees'))).toBe(false)
})

test('its network is the proxy on the loopback, and ports of this machine that are listed', async () => {
  const box = await mac().boxFor('require', () => options())
  const proxy = box.env.HTTPS_PROXY ?? ''
  const ports = [...(box.words[2] ?? '').matchAll(/remote ip "localhost:(\d+)"/g)].map(([, port]) => port)
  expect(ports).toEqual([new URL(proxy).port, '4655', '5432'])
  const refused = await fetch('http://elsewhere.test/', { proxy })
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('worker.network')])
  box.close()
  expect(
    await fetch('http://elsewhere.test/', { proxy }).then(
      () => 'open',
      () => 'closed',
    ),
  ).toBe('closed')
  const network = { ...options().network, words: () => ['open'] }
  const open = await mac().boxFor('require', () => options({ network }))
  expect(open.env.HTTPS_PROXY).toBeUndefined()
  expect(open.words[2]).toContain('(allow network*)')
  expect(open.note).toEndWith('reaches the whole network')
})

test('where sandbox-exec is missing or does not take the profile there is no sandbox, and one that is required is refused', async () => {
  const missing = mac(at('bin/none'))
  expect(await missing.whyNone('require')).toBe(`${at('bin/none')} is missing`)
  expect((await missing.boxFor('auto', options)).note).toStartWith('without a sandbox: ')
  expect(await missing.boxFor('require', options).catch((error: Error) => error.message)).toContain(
    'requires a sandbox',
  )
  const refusing = mac(sandboxExec('echo "unbound variable: sysctl-name-prefix" >&2; exit 65'))
  expect(await refusing.whyNone('require')).toBe(
    'sandbox-exec does not work here: unbound variable: sysctl-name-prefix',
  )
  expect((await refusing.boxFor('off', options)).note).toBeNull()
})

test('it is for those who require one: nobody has tried it', async () => {
  expect([await mac().whyNone('require'), await mac().whyNone('auto')]).toEqual([
    null,
    expect.stringContaining('used only where worker.sandbox is "require"'),
  ])
  const box = await mac().boxFor('auto', () => options())
  expect([box.words, box.note]).toEqual([[], expect.stringContaining('without a sandbox: that of macOS')])
})

test('what is tried at the start is a whole profile, and other systems have none', async () => {
  await mac(sandboxExec(`printf %s "$2" >> ${at('tried')}`)).whyNone('require')
  expect(existsSync(at('tried'))).toBe(true)
  expect(() => readProfile(readFileSync(at('tried'), 'utf8'))).not.toThrow()
  const other = new Sandboxes({}, { platform: 'freebsd', sandboxExec: sandboxExec() })
  expect(await other.whyNone('require')).toBe('there is none for freebsd')
})
