import { afterEach, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { SQL } from 'bun'
import { openAdmin } from '../../src/store/admin'
import { MIGRATIONS } from '../../src/store/migrations'
import { SCHEMA_VERSION } from '../../src/store/migrations/known-migrations'
import { openStore } from '../../src/store/open'
import { until } from '../lab/until'
import { startPostgres } from '../postgres'
import { make } from './databases'

const removals: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const remove of removals.splice(0)) await remove()
})

describe.each(['sqlite', 'postgres'] as const)('%s as a whole', (kind) => {
  test('is brought up, checked, shrunk and taken down again, and tells where it stands in between', async () => {
    const { place, remove } = await make(kind, { isEmpty: true })
    removals.push(remove)
    await using admin = await openAdmin(place)
    expect(await admin.migrationStatus()).toMatchObject({ version: 0, wanted: SCHEMA_VERSION, unknown: [] })
    const all = MIGRATIONS.map(({ number }) => number)
    expect(await admin.migrateUp()).toEqual(all)
    expect(await admin.migrateUp()).toEqual([])
    expect(await admin.migrationStatus()).toMatchObject({ version: SCHEMA_VERSION, pending: [] })
    expect(await admin.check()).toEqual([])
    const report = await admin.report()
    expect(report).toMatchObject({ kind, slow: null })
    expect(report.bytes).toBeGreaterThan(100_000)
    const migrations = report.tables.find(({ name }) => name === 'schema_migrations')
    expect(migrations?.bytes).toBeGreaterThan(4_000)
    expect(report.tables.map(({ bytes }) => bytes ?? 0)).toEqual(
      report.tables.map(({ bytes }) => bytes ?? 0).toSorted((a, b) => b - a),
    )
    const named = report.indexes.find(({ name }) => name === 'tasks_status')
    expect(named).toMatchObject({ table: 'tasks', scans: kind === 'sqlite' ? null : expect.any(Number) })
    expect(named?.bytes).toBeGreaterThan(0)
    const { bytesBefore, bytesAfter } = await admin.vacuum()
    expect([bytesBefore > 0, bytesAfter > 0]).toEqual([true, true])
    expect(await admin.migrateDown(0)).toEqual(all.toReversed())
    expect(await admin.migrationStatus()).toMatchObject({ version: 0 })
    expect(admin.location).not.toContain('postgres:')
  })
})

test('a damaged SQLite file is told as damaged, and stays as it is', async () => {
  const { place, remove } = await make('sqlite', { isEmpty: true })
  removals.push(remove)
  const path = place.path ?? ''
  {
    await using admin = await openAdmin(place)
    await admin.migrateUp()
  }
  const bytes = readFileSync(path)
  bytes.fill(0xa5, 8_192, 40_000)
  writeFileSync(path, bytes)
  {
    await using admin = await openAdmin(place)
    expect((await admin.check()).length).toBeGreaterThan(0)
  }
  expect(readFileSync(path).equals(bytes)).toBe(true)
})

test.each(['sqlite', 'postgres'] as const)(
  '%s tells how large a table is with its indexes, and how old its first row is',
  async (kind) => {
    const { place, remove } = await make(kind)
    removals.push(remove)
    const store = await openStore({ ...place, mode: 'read-write', migrate: true })
    const before = new Date().toISOString()
    for (let n = 0; n < 3; n++)
      await store.write(async (tx) => {
        for (let each = 0; each < 100; each++) await tx.appendFeed('session.updated', null, { text: 'x'.repeat(200) })
      })
    await until('the feed to be numbered', async () => (await store.feed.head()) === 300)
    await store.close()
    await using admin = await openAdmin(place)
    await admin.vacuum()
    const { tables } = await admin.report()
    const feed = tables.find(({ name }) => name === 'feed')
    expect(feed?.rows).toBe(300)
    expect(feed?.bytes).toBeGreaterThan(60_000)
    expect(tables.find(({ name }) => name === 'tasks')?.indexBytes).toBeGreaterThan(8_000)
    expect((feed?.oldest ?? '') >= before.slice(0, 16)).toBe(true)
    const events = tables.find(({ name }) => name === 'conversation_events')
    expect([events?.rows, events?.oldest]).toEqual([0, null])
    // What the full-text index numbers by itself is no count of rows.
    expect(Math.max(...tables.map(({ rows }) => rows ?? 0))).toBe(300)
  },
)

test('PostgreSQL tells its slow statements where it records them, without their values', async () => {
  const server = await startPostgres({ fsync: false, preload: 'pg_stat_statements' })
  try {
    const sql = new SQL(server.url, { max: 1 })
    await sql.unsafe('create extension pg_stat_statements')
    await sql.unsafe("select pg_sleep(0.2), 'a secret word' as word")
    await sql.close()
    await using admin = await openAdmin({ url: server.url })
    const { slow } = await admin.report()
    const found = slow?.find(({ statement }) => statement.includes('pg_sleep'))
    expect(found).toMatchObject({ calls: 1 })
    expect(found?.totalMs).toBeGreaterThan(150)
    expect(JSON.stringify(slow)).not.toContain('a secret word')
  } finally {
    await server.stop()
  }
})
