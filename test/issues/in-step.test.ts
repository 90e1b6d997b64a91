import { expect, test } from 'bun:test'
import { linkSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { issueId } from '../../src/domain/ids'
import { onEachDatabase } from '../store-contract/databases'
import { OPERATOR, refused, TrackerLab } from './tracker-lab'

const line = (id: string, more: Record<string, unknown> = {}): string =>
  JSON.stringify({
    id,
    title: `Title ${id}`,
    status: 'open',
    priority: 1,
    issue_type: 'task',
    created_at: '2025-10-18T12:00:00.123456789+03:00',
    updated_at: '2025-10-18T12:00:00.123456789+03:00',
    ...more,
  })

onEachDatabase((database) => {
  test('a new issue is in the file when the command is over, and nothing else is left beside it', async () => {
    using lab = new TrackerLab(database.store)
    const id = await lab.create({ title: 'Cache <it> & go', labels: ['perf'], priority: 0 })
    expect(id).toMatch(/^ld-[0-9a-z]{4}$/)
    expect(lab.lines().get(id)).toMatchObject({ title: 'Cache <it> & go', priority: 0, labels: ['perf'] })
    expect(lab.text()).toContain('\\u003cit\\u003e')
    expect(readdirSync(join(lab.dir, '.lodeline'))).toEqual(['issues.jsonl'])
    expect(await lab.issue(id)).toMatchObject({ isDirty: false, isAbsent: false, createdBy: 'me' })
  })

  test('lines that nobody changed keep every byte', async () => {
    using lab = new TrackerLab(database.store)
    const odd = '{"id":"p-2","priority":3,  "title":"spaced \\u003c","strange":{"b":1,"a":[1.50,null]},"status":"open"}'
    const kept = '{"_type":"memory","key":"k","value":"v"}'
    const broken = '{"id":"p-9","title":"cut'
    const before = [line('p-1'), odd, kept, broken, line('p-3', { comments: [{ id: 7, text: 'x', author: 'a' }] })]
    lab.write(`${before.join('\n')}\n`, '.beads/issues.jsonl')
    const { notices } = await lab.service.resolveScope(OPERATOR, lab.scope)
    expect(notices.join('\n')).toContain('4')
    await lab.service.update(OPERATOR, lab.scope, 'p-3', { priority: 4 })
    const after = lab.text('.beads/issues.jsonl').split('\n')
    expect(after.slice(0, 4)).toEqual(before.slice(0, 4))
    expect(JSON.parse(after[4] ?? '')).toMatchObject({ id: 'p-3', priority: 4, comments: [{ id: 7, text: 'x' }] })
    expect(await lab.create()).toMatch(/^p-/)
  })

  test('after a pull the next command sees new, changed and vanished issues', async () => {
    using lab = new TrackerLab(database.store)
    lab.write(`${line('p-1')}\n${line('p-2')}\n${line('p-3')}\n`)
    expect((await lab.list()).map(({ id }) => id)).toEqual(['p-1', 'p-2', 'p-3'].map(issueId))
    lab.write(`${line('p-1', { title: 'changed there' })}\n${line('p-3')}\n${line('p-4')}\n`)
    expect((await lab.list()).map(({ title }) => title)).toEqual(['changed there', 'Title p-3', 'Title p-4'])
    // Kept, and out of sight; whoever changes it brings it back.
    expect((await lab.issue('p-2')).isAbsent).toBe(true)
    await lab.create({ title: 'new' })
    expect([...lab.lines().keys()]).not.toContain('p-2')
    await lab.service.update(OPERATOR, lab.scope, 'p-2', { priority: 0 })
    expect([...lab.lines().keys()]).toContain('p-2')
    expect((await lab.list()).map(({ id }) => id)).toContain(issueId('p-2'))
  })

  test('what the file lost comes back when it is wanted back', async () => {
    using lab = new TrackerLab(database.store)
    lab.write(`${line('p-1')}\n${line('p-2')}\n`)
    await lab.list()
    lab.write(`${line('p-1')}\n`)
    expect((await lab.service.resolveScope(OPERATOR, lab.scope)).notices.join()).toContain('--restore')
    expect(await lab.service.sync(OPERATOR, lab.scope, {})).toMatchObject({ absent: [issueId('p-2')] })
    expect(await lab.service.sync(OPERATOR, lab.scope, { restore: true })).toMatchObject({
      absent: [],
      written: ['p-2'],
    })
    expect(lab.text()).toBe(`${line('p-1')}\n${line('p-2')}\n`)
  })

  test('a file that is gone or empty is made anew by the next write, byte for byte', async () => {
    using lab = new TrackerLab(database.store)
    const text = `${line('p-1')}\n${line('p-2', { extra_key: { deep: 1 } })}\n`
    lab.write(text)
    await lab.list()
    rmSync(lab.path())
    expect((await lab.list()).length).toBe(2)
    const id = await lab.create({ id: 'p-3' })
    expect(lab.text().startsWith(text.slice(0, text.indexOf('\n')))).toBe(true)
    expect([...lab.lines().keys()]).toEqual(['p-1', 'p-2', id])
    lab.write('')
    await lab.service.update(OPERATOR, lab.scope, id, { priority: 0 })
    expect([...lab.lines().keys()].sort()).toEqual(['p-1', 'p-2', 'p-3'])
  })

  test('what another program wrote keeps its spelling in a file that is made anew', async () => {
    using lab = new TrackerLab(database.store)
    const header = '{"_schema":"beads-jsonl/1"}'
    const spelled =
      '{"id":"p-1","title":"a \\u003cb\\u003e","status":"open","created_at":"2026-01-01T00:00:00Z","n":1.50}'
    const memory = '{"_type":"memory","key":"k","value":"v"}'
    const grave = '{"id":"p-9","title":"t","status":"tombstone","deleted_at":"2026-02-01T00:00:00Z"}'
    lab.write(`${[header, spelled, line('p-2'), memory, grave].join('\n')}\n`)
    await lab.list()
    lab.write('')
    await lab.list()
    await lab.service.update(OPERATOR, lab.scope, 'p-2', { priority: 0 })
    const lines = lab.text().trimEnd().split('\n')
    expect(lines[0]).toBe(header)
    expect(lines.filter((raw) => !raw.includes('p-2')).toSorted()).toEqual([header, spelled, memory, grave].toSorted())
    // It is as it was for who brings the old file back.
    lab.write(`${[header, spelled, line('p-2', { priority: 0 }), memory, grave].join('\n')}\n`)
    expect((await lab.list()).length).toBe(2)
  })

  test('a write whose file never reached its place is done anew, not taken back', async () => {
    using lab = new TrackerLab(database.store)
    lab.write(`${line('p-1')}\n`)
    await lab.list()
    const id = await lab.create({ id: 'p-2' })
    await lab.service.close(OPERATOR, lab.scope, id, {})
    // The former file, with its inode and time, is what a crash before the renaming leaves.
    const former = lab.path('.lodeline/former')
    linkSync(lab.path(), former)
    await lab.service.update(OPERATOR, lab.scope, id, { title: 'last write' })
    renameSync(former, lab.path())
    expect(lab.lines().get(id)).toMatchObject({ title: 'something' })
    expect((await lab.issue(id)).title).toBe('last write')
    await lab.service.update(OPERATOR, lab.scope, 'p-1', { priority: 3 })
    expect(lab.lines().get(id)).toMatchObject({ title: 'last write', status: 'closed' })
  })

  test('changes of both sides are merged by field when the file was not written at once', async () => {
    using lab = new TrackerLab(database.store)
    lab.write(`${line('p-1', { labels: ['a'] })}\n`)
    await lab.list()
    lab.writes = 'sync'
    await lab.service.update(OPERATOR, lab.scope, 'p-1', { priority: 4, addLabels: ['ours'] })
    expect(lab.lines().get('p-1')).toMatchObject({ priority: 1 })
    const theirs = { title: 'their title', labels: ['a', 'theirs'], updated_at: '2025-11-01T00:00:00Z' }
    lab.write(`${line('p-1', theirs)}\n`)
    await lab.service.sync(OPERATOR, lab.scope, {})
    expect(lab.lines().get('p-1')).toMatchObject({ title: 'their title', priority: 4 })
    expect(lab.lines().get('p-1')?.labels).toEqual(expect.arrayContaining(['a', 'ours', 'theirs']))
  })

  test('an import upserts and never deletes; what is newer here stays', async () => {
    using lab = new TrackerLab(database.store)
    const first = `${line('p-3')}\n${line('p-1')}\n{"_type":"memory","key":"k","value":"v"}\n`
    expect(await lab.service.import(OPERATOR, lab.scope, { text: first })).toMatchObject({ created: ['p-3', 'p-1'] })
    expect(lab.text()).toBe(first)
    await lab.service.update(OPERATOR, lab.scope, 'p-1', { title: 'newer here' })
    const second = `${line('p-1', { title: 'older' })}\n${line('p-4')}\n`
    const outcome = await lab.service.import(OPERATOR, lab.scope, { text: second })
    expect(outcome).toMatchObject({ created: ['p-4'], skipped: ['p-1'], updated: [] })
    expect([...lab.lines().keys()].sort()).toEqual(['p-1', 'p-3', 'p-4', 'undefined'])
    expect(lab.lines().get('p-1')).toMatchObject({ title: 'newer here' })
    const { text } = await lab.service.export(OPERATOR, lab.scope)
    expect(text).toBe(lab.text())
  })

  test('a deleted issue leaves a tombstone, and a tombstone of others buries', async () => {
    using lab = new TrackerLab(database.store)
    const [a, b] = [
      await lab.create({ id: 'p-1' }),
      await lab.create({ id: 'p-2', dependencies: [{ dependsOnId: 'p-1' }] }),
    ]
    expect(await lab.service.delete(OPERATOR, lab.scope, a, {})).toMatchObject({
      ids: [a],
      dependents: [b],
      isDone: false,
    })
    expect(lab.lines().get(a)).toMatchObject({ status: 'open' })
    await lab.service.delete(OPERATOR, lab.scope, a, { confirm: true, reason: 'no use' })
    expect(lab.lines().get(a)).toMatchObject({ status: 'tombstone', deleted_by: 'me', delete_reason: 'no use' })
    expect(lab.lines().get(b)?.dependencies).toBeUndefined()
    expect((await lab.list()).map(({ id }) => id)).toEqual([b])
    expect((await refused(lab.create({ id: 'p-1' }))).code).toBe('conflict')
    const tomb = JSON.stringify({ ...lab.lines().get(b), status: 'tombstone', deleted_at: '2027-01-01T00:00:00Z' })
    lab.write(`${tomb}\n`)
    expect(await lab.list()).toEqual([])
  })

  test('a conflict left by git is read around, and its lines are left alone', async () => {
    using lab = new TrackerLab(database.store)
    const text = `${line('p-1')}\n<<<<<<< HEAD\n${line('p-2')}\n=======\n${line('p-2', { title: 'x' })}\n>>>>>>> other\n`
    lab.write(text)
    const { notices } = await lab.service.resolveScope(OPERATOR, lab.scope)
    expect(notices.length).toBeGreaterThan(0)
    expect((await lab.list()).map(({ id }) => id)).toEqual(['p-1', 'p-2'].map(issueId))
    await lab.service.update(OPERATOR, lab.scope, 'p-1', { priority: 0 })
    for (const marker of ['<<<<<<< HEAD', '=======', '>>>>>>> other']) expect(lab.text()).toContain(marker)
  })

  test('writers at once lose nothing', async () => {
    using lab = new TrackerLab(database.store)
    const other = new TrackerLab(database.store, lab.dir)
    const ids = await Promise.all(
      Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? lab : other).create({ title: `t${n}` })),
    )
    expect(new Set(ids).size).toBe(12)
    expect([...lab.lines().keys()].sort()).toEqual([...ids].sort())
    expect((await lab.list()).every(({ id }) => ids.includes(id))).toBe(true)
  })

  test('a link in the file’s place leads nowhere else', async () => {
    using lab = new TrackerLab(database.store)
    writeFileSync(join(lab.dir, 'secret.txt'), 'mine')
    mkdirSync(join(lab.dir, '.lodeline'))
    symlinkSync(join(lab.dir, 'secret.txt'), lab.path())
    expect((await refused(lab.create())).code).toBe('invalid')
    expect(await Bun.file(join(lab.dir, 'secret.txt')).text()).toBe('mine')
  })
})
