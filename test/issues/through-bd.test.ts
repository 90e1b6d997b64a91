/** Trackers that bd keeps in a database, for which a person lets bd be run. What the stand-in takes for granted is said in its file. */
import { expect, test } from 'bun:test'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import type { BdLimits } from '../../src/app/bd/bd-keeper'
import type { IssueId } from '../../src/domain/ids'
import type { Store } from '../../src/domain/store'
import { isAlive } from '../lab/processes'
import { until } from '../lab/until'
import { onEachDatabase } from '../store-contract/databases'
import { initBeads, type Mischief, StandInBd } from './stand-in-bd'
import { OPERATOR, refused, TrackerLab } from './tracker-lab'

const ISSUE = {
  id: 'demo-k3f9',
  title: 'Cache <the> index',
  description: 'Speed up',
  status: 'open',
  priority: 1,
  issue_type: 'task',
  owner: 'dev@example.org',
  created_at: '2026-06-02T08:15:00Z',
  created_by: 'dev',
  updated_at: '2026-06-02T08:20:11Z',
  labels: ['perf', 'slow'],
  mol_type: 'work',
}
const OTHER = { ...ISSUE, id: 'demo-b2', title: 'Other', labels: [], priority: 2 }
const ID = ISSUE.id as IssueId

/** A project that bd keeps, and a bd on the search path. */
class BdLab extends TrackerLab {
  readonly bd: StandInBd

  private constructor(store: Store, dir: string, bd: StandInBd, more: ConstructorParameters<typeof TrackerLab>[2]) {
    super(store, dir, more)
    this.bd = bd
  }

  static begin(store: Store, { limits, isChosen = true, path }: BdLabOptions = {}): BdLab {
    const dir = mkdtempSync('/tmp/ld-bd-')
    initBeads(dir, [ISSUE, OTHER])
    const bd = new StandInBd(mkdtempSync('/tmp/ld-bd-bin-'))
    const env = { PATH: path?.(dir, bd.folder) ?? bdPath(bd.folder), HOME: dir, BEADS_DB: '/elsewhere', SECRET: 'x' }
    // As a person would have to wait for: long enough for a busy machine.
    const bdLimits = { readMs: 60_000, writeMs: 60_000, downMs: 0, freshMs: 0, watchedMs: 0, ...limits }
    return new BdLab(store, dir, bd, { bd: isChosen ? [dir] : [], env, bdLimits })
  }

  get kept() {
    return this.path('.beads/issues.jsonl')
  }

  override [Symbol.dispose](): void {
    super[Symbol.dispose]()
    rmSync(this.bd.folder, { recursive: true, force: true })
  }
}

interface BdLabOptions {
  limits?: Partial<BdLimits>
  isChosen?: boolean
  path?: (project: string, folder: string) => string
}

/** The stand-in needs `sh` and `sleep`. */
const bdPath = (folder: string): string => `${folder}:/usr/bin:/bin`

onEachDatabase((database) => {
  const begin = (options?: BdLabOptions) => BdLab.begin(database.store, options)

  test('what bd says is read, whole, without the export, and again when bd wrote it', async () => {
    using lab = begin({ limits: { watchedMs: 600_000 } })
    const { notices, path } = await lab.service.resolveScope(OPERATOR, lab.scope)
    expect([notices, path]).toEqual([[], lab.kept])
    expect(await lab.issue(ID)).toMatchObject({
      title: 'Cache <the> index',
      labels: ['perf', 'slow'],
      extra: { mol_type: 'work' },
      isDirty: false,
    })
    expect(existsSync(lab.kept)).toBe(false)
    expect(lab.bd.commands()).toEqual(['version', 'export'])
    // Another process changes it by bd itself.
    initBeads(lab.dir, [{ ...ISSUE, title: 'Cache it', updated_at: '2026-06-03T08:20:11Z' }])
    expect((await lab.issue(ID)).title).toBe('Cache it')
    expect((await lab.list()).map(({ id }) => String(id))).toEqual([ID])
  })

  test('bd gets a clean environment, the project as its folder, and may not push', async () => {
    using lab = begin({ limits: { watchedMs: 600_000 } })
    await lab.service.update(OPERATOR, lab.scope, ID, { priority: 0 })
    const [version, ...runs] = lab.bd.runs()
    expect([version?.argv, version?.cwd]).toEqual([['version', '--json'], '/'])
    for (const { argv, env, cwd } of runs) {
      expect([cwd, env.BEADS_DIR, argv.includes('--sandbox')]).toEqual([lab.dir, lab.path('.beads'), true])
      expect([env.BEADS_DB, env.SECRET, env.HOME]).toEqual([undefined, undefined, lab.dir])
    }
    expect(runs.map(({ argv }) => argv[0])).toEqual(['export', 'update', 'export'])
  })

  test('a new issue is the one that bd made, with every field that it takes', async () => {
    using lab = begin()
    const id = await lab.create({
      title: '--force',
      description: '-rf / and\n`more`',
      design: '--design',
      acceptanceCriteria: 'works',
      notes: '- note',
      specId: 'S-1',
      priority: 0,
      issueType: 'bug',
      assignee: 'ann',
      externalRef: 'gh-9',
      estimatedMinutes: 30,
      dueAt: '2026-09-01T10:00:00Z',
      deferUntil: '2030-01-01T00:00:00.000Z',
      labels: ['a', 'b,c', 'say "x"', '--json'],
      dependencies: [{ dependsOnId: ID, type: 'discovered-from' }],
      blocks: [OTHER.id],
      extra: { metadata: { area: 'ui', deep: { n: 1 } } },
    })
    expect(String(id)).toBe('demo-n3')
    const issue = await lab.issue(id)
    expect(issue).toMatchObject({
      title: '--force',
      description: '-rf / and\n`more`',
      design: '--design',
      acceptanceCriteria: 'works',
      notes: '- note',
      specId: 'S-1',
      status: 'open',
      priority: 0,
      issueType: 'bug',
      assignee: 'ann',
      externalRef: 'gh-9',
      estimatedMinutes: 30,
      deferUntil: '2030-01-01T00:00:00Z',
      createdBy: 'me',
      owner: 'dev@example.org',
      dependencies: [{ dependsOnId: ID, type: 'discovered-from' }],
      isDirty: false,
    })
    expect([...issue.labels].sort()).toEqual(['--json', 'a', 'b,c', 'say "x"'])
    expect(issue.extra.metadata).toEqual({ area: 'ui', deep: { n: 1 } })
    expect((await lab.issue(OTHER.id)).dependencies).toMatchObject([{ dependsOnId: id, type: 'blocks' }])
    expect((await lab.store.issues.history(issue.trackerKey, id, 10)).map(({ event }) => event)).toEqual(['created'])
    expect(existsSync(lab.path('.lodeline'))).toBe(false)
  })

  test('a child gets the id that bd counts and the labels of its parent', async () => {
    using lab = begin()
    const first = await lab.create({ title: 'one', parentId: ID })
    const named = await lab.create({ title: 'two', id: 'demo-k3f9.7' })
    expect([String(first), String(named)]).toEqual(['demo-k3f9.1', 'demo-k3f9.7'])
    expect((await lab.issue(first)).dependencies).toMatchObject([{ dependsOnId: ID, type: 'parent-child' }])
    expect((await lab.issue(first)).labels).toEqual(['perf', 'slow'])
  })

  test('fields are changed and cleared, others keep what bd has', async () => {
    using lab = begin()
    const update = (input: Parameters<typeof lab.service.update>[3]) =>
      lab.service.update(OPERATOR, lab.scope, ID, input)
    await update({ title: '-x', priority: 0, assignee: 'ann', notes: 'a', addLabels: ['new'], removeLabels: ['slow'] })
    await update({ appendNotes: 'b', description: '', status: 'blocked', metadata: { a: 1, b: 2 } })
    await update({ metadata: { a: null, c: [3] }, dueAt: '2026-09-01T10:00:00Z', assignee: null })
    const issue = await lab.issue(ID)
    expect(issue).toMatchObject({ title: '-x', priority: 0, assignee: null, notes: 'a\nb', description: '' })
    expect(issue).toMatchObject({ status: 'blocked', labels: ['perf', 'new'], extra: { mol_type: 'work' } })
    expect(issue.extra.metadata).toEqual({ b: 2, c: [3] })
    await update({ parentId: OTHER.id })
    expect((await lab.issue(ID)).dependencies).toMatchObject([{ dependsOnId: OTHER.id, type: 'parent-child' }])
    await update({ parentId: null })
    expect((await lab.issue(ID)).dependencies).toEqual([])
  })

  test('issues are claimed, released, closed and opened again by bd', async () => {
    using lab = begin()
    await lab.service.claim(OPERATOR, lab.scope, ID, {})
    expect(await lab.issue(ID)).toMatchObject({ status: 'in_progress', assignee: 'me' })
    expect(lab.bd.runs().some(({ argv }) => argv.includes('--claim') && argv.includes('--actor=me'))).toBe(true)
    await lab.service.release(OPERATOR, lab.scope, ID, {})
    expect(await lab.issue(ID)).toMatchObject({ status: 'open', assignee: null })
    await lab.service.close(OPERATOR, lab.scope, ID, { reason: '--done' })
    const closed = await lab.issue(ID)
    expect(closed).toMatchObject({ status: 'closed', closeReason: '--done' })
    expect(closed.closedAt).not.toBeNull()
    await lab.service.reopen(OPERATOR, lab.scope, ID, { reason: 'no' })
    expect(await lab.issue(ID)).toMatchObject({ status: 'open', closeReason: null, closedAt: null })
    await lab.service.addDependency(OPERATOR, lab.scope, ID, { dependsOnId: OTHER.id })
    expect(await refused(lab.service.close(OPERATOR, lab.scope, ID, {}))).toMatchObject({ code: 'conflict' })
    await lab.service.close(OPERATOR, lab.scope, ID, { force: true })
    expect((await lab.issue(ID)).status).toBe('closed')
  })

  test('dependencies, comments and deletions go through bd', async () => {
    using lab = begin()
    await lab.service.addDependency(OPERATOR, lab.scope, ID, { dependsOnId: OTHER.id, type: 'related' })
    await lab.service.addDependency(OPERATOR, lab.scope, ID, { dependsOnId: 'external:beads:x' })
    await lab.service.removeDependency(OPERATOR, lab.scope, ID, OTHER.id)
    expect((await lab.issue(ID)).dependencies).toMatchObject([{ dependsOnId: 'external:beads:x', type: 'blocks' }])
    const text = `--stdin\n${'long '.repeat(60_000)}`
    const { commentId } = await lab.service.comment(OPERATOR, lab.scope, ID, { text, author: '-a' })
    expect((await lab.issue(ID)).comments).toMatchObject([{ id: commentId, author: '-a', text }])
    const input = { confirm: true }
    await lab.service.delete(OPERATOR, lab.scope, ID, input)
    expect((await lab.list()).map(({ id }) => String(id))).toEqual([OTHER.id])
    expect(existsSync(lab.kept)).toBe(false)
  })

  test('what bd has no command for is refused before anything is run', async () => {
    using lab = begin()
    await lab.service.resolveScope(OPERATOR, lab.scope)
    const before = await lab.issue(ID)
    const { service, scope } = lab
    const writes: [string, () => Promise<unknown>][] = [
      ['owner', () => service.update(OPERATOR, scope, ID, { owner: 'x' })],
      ['pinned', () => service.update(OPERATOR, scope, ID, { extra: { pinned: true } })],
      ['prefix', () => lab.create({ prefix: 'zz' })],
      ['design', () => lab.create({ design: 'x'.repeat(200_000) })],
      [
        'metadata of a dependency',
        () => service.addDependency(OPERATOR, scope, ID, { dependsOnId: OTHER.id, metadata: '{"a":1}' }),
      ],
      ['reason', () => service.delete(OPERATOR, scope, ID, { confirm: true, reason: 'dup' })],
      ['type message', () => lab.create({ issueType: 'message' })],
    ]
    for (const [what, write] of writes) {
      const error = (await refused(write())) as { code: string; message: string; hint?: string }
      expect([what, error.code, error.message]).toEqual([what, 'invalid', expect.stringContaining(what)])
      expect(error.hint).toBeString()
    }
    const others = [
      () => service.import(OPERATOR, scope, { text: '{"id":"demo-1","title":"x"}' }),
      () => service.sync(OPERATOR, scope, { restore: true }),
      () => service.setStatuses(OPERATOR, scope, { add: [{ name: 'review', category: 'wip' }] } as never),
    ]
    for (const write of others)
      expect(await refused(write())).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('only bd can do this'),
      })
    expect(new Set(lab.bd.commands())).toEqual(new Set(['version', 'export']))
    expect(await lab.issue(ID)).toEqual(before)
  })

  test('a change that bd reports and does not show is an error, and nothing here says that it happened', async () => {
    using lab = begin()
    await lab.service.resolveScope(OPERATOR, lab.scope)
    const before = await lab.issue(ID)
    const { service, scope } = lab
    const writes: [Mischief, () => Promise<unknown>, string][] = [
      [{ pretends: 'update' }, () => service.update(OPERATOR, scope, ID, { priority: 0 }), 'priority of demo-k3f9'],
      [{ pretends: 'create' }, () => lab.create(), 'demo-n3 is missing'],
      [{ pretends: 'comments add' }, () => service.comment(OPERATOR, scope, ID, { text: 'x' }), 'comments of'],
      [
        { pretends: 'dep add' },
        () => service.addDependency(OPERATOR, scope, ID, { dependsOnId: OTHER.id }),
        'dependencies',
      ],
      [{ pretends: 'close' }, () => service.close(OPERATOR, scope, ID, {}), 'status of'],
      [{ pretends: 'delete' }, () => service.delete(OPERATOR, scope, ID, { confirm: true }), 'still there'],
      [{ babbles: 'create' }, () => lab.create(), 'did not return the ID'],
      [{ babbles: 'update' }, () => service.claim(OPERATOR, scope, ID, {}), 'does not show it'],
    ]
    for (const [mischief, write, said] of writes) {
      lab.bd.misbehave(mischief)
      expect((await refused(write())).message).toContain(said)
    }
    lab.bd.misbehave({})
    expect(await lab.issue(ID)).toEqual(before)
    expect(await lab.list()).toHaveLength(2)
    expect(await lab.store.issues.history(before.trackerKey, ID, 10)).toEqual([])
    expect(await lab.store.issues.claims()).toEqual([])
  })

  test('what bd answers to a change that it refuses is said, and what it did of it is shown', async () => {
    using lab = begin()
    lab.bd.misbehave({ fails: 'dep add' })
    const write = lab.create({ title: 'half', dependencies: [{ dependsOnId: ID }] })
    expect(await refused(write)).toMatchObject({
      code: 'conflict',
      message: 'bd dep add failed: dolt auto-commit failed: disk <full>; done before that: create demo-n3',
    })
    expect(await lab.issue('demo-n3')).toMatchObject({ title: 'half', isDirty: false })
    lab.bd.misbehave({})
    // Somebody else claimed it by bd meanwhile, after what was read.
    const held = { ...ISSUE, assignee: 'ann', status: 'in_progress' }
    initBeads(lab.dir, [held, OTHER])
    expect((await refused(lab.service.claim(OPERATOR, lab.scope, ID, {}))).message).toContain('assigned to ann')
    expect(await refused(lab.service.update(OPERATOR, lab.scope, ID, { status: 'odd' }))).toMatchObject({
      code: 'invalid',
    })
  })

  test('a bd that hangs is ended with what it began, and floods are cut off', async () => {
    using lab = begin({ limits: { writeMs: 2_000, exportBytes: 100_000 } })
    await lab.service.resolveScope(OPERATOR, lab.scope)
    lab.bd.misbehave({ hangs: 'close' })
    const error = await refused(lab.service.close(OPERATOR, lab.scope, ID, {}))
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('did not end within 2 s') })
    const pids = JSON.parse(readFileSync(join(lab.bd.folder, 'pids.json'), 'utf8')) as number[]
    await until('what hung to be gone', () => !pids.some(isAlive))
    expect((await lab.issue(ID)).status).toBe('open')
    lab.bd.misbehave({ floods: 'export' })
    const { notices } = await lab.service.resolveScope(OPERATOR, lab.scope)
    expect(notices.join()).toContain('more than 100000 bytes')
    expect((await lab.list()).map(({ id }) => String(id)).sort()).toEqual([OTHER.id, ID])
  })

  const FAILURES: [string, Mischief | 'missing', string][] = [
    ['missing', 'missing', 'bd was not found'],
    ['too old', { release: '0.62.0' }, 'is release 0.62.0; lode requires 1.0.0 or later'],
    ['not bd', { babbles: 'version' }, 'did not report its release'],
    ['broken', { fails: 'export' }, 'bd export failed: dolt auto-commit failed'],
    ['babbling', { babbles: 'export' }, 'returned a line that is not an issue'],
  ]
  for (const [name, mischief, said] of FAILURES)
    test(`where bd is ${name}, issues are read from its export, and every write says why it is refused`, async () => {
      using lab = begin({ ...(mischief === 'missing' && { path: () => '/usr/bin:/bin' }) })
      if (mischief !== 'missing') lab.bd.misbehave(mischief)
      const line = `${JSON.stringify({ _type: 'issue', ...ISSUE, title: 'Exported' })}\n`
      writeFileSync(lab.kept, line)
      const { notices } = await lab.service.resolveScope(OPERATOR, lab.scope)
      expect(notices.join('\n')).toMatch(/bd keeps the issues of .* in a Dolt database.*bd may have newer data/)
      expect(notices.join('\n')).toContain(said)
      expect((await lab.list()).map(({ title }) => title)).toEqual(['Exported'])
      const error = await refused(lab.service.update(OPERATOR, lab.scope, ID, { priority: 0 }))
      expect([error.code, error.message]).toEqual(['unavailable', expect.stringContaining('bd keeps the issues')])
      expect(error.message).toContain(said)
      expect(lab.text('.beads/issues.jsonl')).toBe(line)
      expect((await lab.issue(ID)).priority).toBe(1)
    })

  test('a bd that fails later leaves what it said, not the older export', async () => {
    using lab = begin()
    writeFileSync(lab.kept, `${JSON.stringify({ ...ISSUE, title: 'Exported long ago' })}\n`)
    await lab.service.resolveScope(OPERATOR, lab.scope)
    lab.bd.misbehave({ fails: 'export' })
    const { notices } = await lab.service.resolveScope(OPERATOR, lab.scope)
    expect(notices.join()).toContain('shows the data of bd at')
    expect((await lab.issue(ID)).title).toBe('Cache <the> index')
    lab.bd.misbehave({})
    initBeads(lab.dir, [])
    expect((await lab.service.resolveScope(OPERATOR, lab.scope)).notices.join()).toContain(
      'no issues, but there were 2 before',
    )
    expect(await lab.list()).toHaveLength(2)
    expect((await lab.service.sync(OPERATOR, lab.scope, {})).absent).toHaveLength(2)
  })

  test('no bd is run for a project that nobody chose, nor one that a chosen project is redirected to', async () => {
    using lab = begin({ isChosen: false })
    const { notices } = await lab.service.resolveScope(OPERATOR, lab.scope)
    expect(notices.join()).toContain('bd keeps the issues')
    const error = (await refused(lab.service.create(OPERATOR, lab.scope, { title: 'x' }, null))) as { hint?: string }
    expect(error.hint).toContain('issues.bd')
    using chosen = begin()
    rmSync(chosen.path('.beads'), { recursive: true })
    mkdirSync(chosen.path('.beads'))
    writeFileSync(chosen.path('.beads/redirect'), `${relative(chosen.dir, lab.path('.beads'))}\n`)
    expect(await refused(chosen.service.resolveScope(OPERATOR, chosen.scope))).toMatchObject({ code: 'forbidden' })
    expect(await refused(chosen.create())).toMatchObject({ code: 'forbidden' })
    expect([lab.bd.runs(), chosen.bd.runs()]).toEqual([[], []])
  })

  test('a bd of the project itself, of a relative folder or of a folder that all may write is never run', async () => {
    using lab = begin({
      path: (project, folder) => {
        for (const name of ['bin', 'open', 'linked']) mkdirSync(join(project, name))
        for (const name of ['bin', 'open']) {
          writeFileSync(join(project, name, 'bd'), '#!/bin/sh\ntouch "$0.ran"\n')
          chmodSync(join(project, name, 'bd'), 0o755)
        }
        // Outside of the project, but what it leads to is in it.
        const away = join(folder, 'away')
        mkdirSync(away)
        symlinkSync(join(project, 'bin', 'bd'), join(away, 'bd'))
        const open = join(folder, 'open')
        cpSync(join(project, 'open'), open, { recursive: true })
        chmodSync(open, 0o777)
        return ['.', 'bin', '', join(project, 'bin'), away, open, bdPath(folder)].join(':')
      },
    })
    await lab.service.update(OPERATOR, lab.scope, ID, { priority: 0 })
    expect((await lab.issue(ID)).priority).toBe(0)
    expect(lab.bd.commands()).toContain('update')
    for (const path of [lab.path('bin/bd.ran'), join(lab.bd.folder, 'open/bd.ran'), join(lab.bd.folder, 'away/bd.ran')])
      expect(existsSync(path)).toBe(false)
    const [run] = lab.bd.runs()
    expect(run?.env.PATH?.split(':')).not.toContain(lab.path('bin'))
  })

  test('changes that nobody asked for are left where bd fails, and hold up no others', async () => {
    using lab = begin()
    await lab.service.claim(OPERATOR, lab.scope, ID, {})
    lab.bd.misbehave({ fails: 'export' })
    await lab.service.sweep()
    expect((await lab.store.issues.claims()).map(({ issueId }) => issueId)).toEqual([ID])
  })

  test('a command that is repeated with its key makes one issue', async () => {
    using lab = begin()
    const make = () => lab.service.create(OPERATOR, lab.scope, { title: 'once' }, 'key-1')
    const [first, second] = [await make(), await make()]
    expect(second.ids).toEqual(first.ids)
    expect(await lab.list()).toHaveLength(3)
  })
})
