import { afterEach, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { openAdmin } from '../../src/store/admin'
import { MIGRATIONS, SCHEMA_VERSION } from '../../src/store/migrations'
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
    const { bytesBefore, bytesAfter } = await admin.vacuum()
    expect([bytesBefore > 0, bytesAfter > 0]).toEqual([true, true])
    expect(await admin.migrateDown(0)).toEqual(all.toReversed())
    expect(await admin.migrationStatus()).toMatchObject({ version: 0 })
    expect(admin.location).not.toContain('postgres:')
  }, 60_000)
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
