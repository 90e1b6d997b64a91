/** Trackers that bd keeps in a database: the file beside it is an export, and whoever edits that loses his edit. */
import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onEachDatabase } from '../store-contract/databases'
import { OPERATOR, refused, TrackerLab } from './tracker-lab'

const LINE =
  '{"_type":"issue","id":"demo-k3f9","title":"Cache","status":"open","priority":1,"issue_type":"task","created_at":"2026-06-02T08:15:00Z","updated_at":"2026-06-02T08:20:11Z"}\n'

/** What releases leave in `.beads`, by how they keep issues. */
const DATABASES: [string, (beads: string) => void][] = [
  ['1.x, embedded', (beads) => mkdirSync(join(beads, 'embeddeddolt'))],
  ['0.5x, a folder of a server', (beads) => mkdirSync(join(beads, 'dolt'))],
  ['1.x, a clone with its settings alone', (beads) => metadata(beads, { database: 'dolt', backend: 'dolt' })],
  [
    '1.x, a server elsewhere',
    (beads) => metadata(beads, { database: 'dolt', dolt_mode: 'server', dolt_server_port: 3307 }),
  ],
  ['later, another database', (beads) => metadata(beads, { backend: 'postgres' })],
]
const FILES: [string, (beads: string) => void][] = [
  ['no settings', () => {}],
  ['SQLite beside its file', (beads) => metadata(beads, { database: 'beads.db', jsonl_export: 'issues.jsonl' })],
  ['a broken file of settings', (beads) => writeFileSync(join(beads, 'metadata.json'), '{"backend"')],
]
const metadata = (beads: string, fields: object) => writeFileSync(join(beads, 'metadata.json'), JSON.stringify(fields))

onEachDatabase((database) => {
  const begin = (make: (beads: string) => void, text: string | null = LINE) => {
    const lab = new TrackerLab(database.store)
    mkdirSync(lab.path('.beads'))
    if (text !== null) lab.write(text, '.beads/issues.jsonl')
    make(lab.path('.beads'))
    return lab
  }

  for (const [name, make] of DATABASES)
    test(`issues of ${name}: are read, with a word on it, and no write changes file or record`, async () => {
      using lab = begin(make)
      const { notices, tracker } = await lab.service.resolveScope(OPERATOR, lab.scope)
      expect(notices.join('\n')).toMatch(/bd keeps the issues of .* in a \w+ database.*bd may have newer data/)
      expect((await lab.list()).map(({ id }) => String(id))).toEqual(['demo-k3f9'])
      const id = 'demo-k3f9'
      const writes: (() => Promise<unknown>)[] = [
        () => lab.create(),
        () => lab.service.update(OPERATOR, lab.scope, id, { priority: 0 }),
        () => lab.service.claim(OPERATOR, lab.scope, id, {}),
        () => lab.service.close(OPERATOR, lab.scope, id, {}),
        () => lab.service.comment(OPERATOR, lab.scope, id, { text: 'x' }),
        () => lab.service.delete(OPERATOR, lab.scope, id, { confirm: true }),
        () => lab.service.import(OPERATOR, lab.scope, { text: LINE.replace('k3f9', 'zzzz') }),
        () => lab.service.sync(OPERATOR, lab.scope, { restore: true }),
      ]
      for (const write of writes) {
        const error = (await refused(write())) as { code: string; message: string; hint?: string }
        expect(error).toMatchObject({ code: 'conflict', message: expect.stringContaining('bd keeps the issues') })
        expect(error.hint).toContain('bd update')
      }
      expect(lab.text('.beads/issues.jsonl')).toBe(LINE)
      expect(await lab.issue(id)).toMatchObject({ priority: 1, status: 'open', isDirty: false, comments: [] })
      expect((await lab.store.issues.list(tracker, { all: true }, { limit: 10 }, 'id')).rows).toHaveLength(1)
      expect(readdirSync(lab.dir)).not.toContain('.lodeline')
      // What bd exports anew is taken in.
      lab.write(LINE.replace('Cache', 'Cache it').replace('20:11', '30:00'), '.beads/issues.jsonl')
      await lab.service.sync(OPERATOR, lab.scope, {})
      expect((await lab.issue(id)).title).toBe('Cache it')
      expect((await lab.service.sync(OPERATOR, lab.scope, {})).written).toEqual([])
    })

  for (const [name, make] of FILES)
    test(`issues of a folder with ${name} are changed in place, as before`, async () => {
      using lab = begin(make)
      await lab.service.update(OPERATOR, lab.scope, 'demo-k3f9', { priority: 0 })
      expect(lab.lines('.beads/issues.jsonl').get('demo-k3f9')).toMatchObject({ priority: 0 })
    })

  test('a database without an export is the tracker all the same: no second one is made beside it', async () => {
    using lab = begin((beads) => mkdirSync(join(beads, 'embeddeddolt')), null)
    expect((await lab.service.resolveScope(OPERATOR, lab.scope)).notices.join()).toContain('The export does not exist')
    expect(await refused(lab.create())).toMatchObject({ code: 'conflict' })
    expect(readdirSync(lab.path('.beads'))).toEqual(['embeddeddolt'])
    expect(readdirSync(lab.dir)).not.toContain('.lodeline')
  })

  test('a redirect leads to the tracker that is meant', async () => {
    using lab = begin((beads) => mkdirSync(join(beads, 'embeddeddolt')))
    const tree = lab.path('tree')
    mkdirSync(join(tree, '.beads'), { recursive: true })
    writeFileSync(join(tree, '.beads', 'redirect'), '../.beads\n')
    const scope = { ...lab.scope, dir: tree }
    const { path, notices } = await lab.service.resolveScope(OPERATOR, scope)
    expect([path, notices.join()]).toEqual([lab.path('.beads/issues.jsonl'), expect.stringContaining('Dolt')])
    expect(await refused(lab.service.create(OPERATOR, scope, { title: 'x' }, null))).toMatchObject({ code: 'conflict' })
    writeFileSync(join(tree, '.beads', 'redirect'), '/etc\n')
    expect((await lab.service.resolveScope(OPERATOR, scope)).path).toBe(lab.path('.beads/issues.jsonl'))
  })
})
