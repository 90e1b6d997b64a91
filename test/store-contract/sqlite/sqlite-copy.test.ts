import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openTarget } from '../../../src/store/copy/open-copy'
import { openStore } from '../../../src/store/open'
import { sqliteSource } from '../../../src/store/sqlite/sqlite-copy'
import { temporaryFolder } from '../databases'

const ROUNDS = 40
const folder = temporaryFolder()
const path = join(folder, 'lodeline.db')

/** Another process: writes the same value into two tables in one transaction, and lets the log begin anew all the time. */
const WRITER = `
  import { Database } from 'bun:sqlite'
  const db = new Database(${JSON.stringify(path)}, { readwrite: true, create: false })
  db.run('pragma busy_timeout = 10000'); db.run('pragma synchronous = off'); db.run('pragma wal_autocheckpoint = 50')
  const both = db.transaction((id, value) => {
    for (const table of ['left_half', 'right_half']) db.run('insert or replace into ' + table + ' values (?, ?)', [id, value])
  })
  const checkpoint = (kind) => { try { db.run('pragma wal_checkpoint(' + kind + ')') } catch {} }
  process.stdout.write('ready')
  for (let n = 1; ; n++) {
    both.immediate(n % 300, crypto.getRandomValues(new Uint8Array(5000)))
    if (n % 37 === 0) checkpoint('truncate')
    else if (n % 11 === 0) checkpoint('restart')
    if (n % 50 === 0) await Bun.sleep(1)
  }`

beforeAll(async () => {
  await (await openStore({ path, mode: 'read-write', migrate: true })).close()
  const db = new Database(path)
  for (const table of ['left_half', 'right_half']) db.run(`create table ${table} (id integer primary key, value blob)`)
  db.close()
})
afterAll(() => rmSync(folder, { recursive: true }))

test('the files of a database that another process writes to are one moment, however the log begins anew', async () => {
  const program = join(folder, 'writer.ts')
  writeFileSync(program, WRITER)
  const writer = Bun.spawn([process.execPath, '--no-env-file', '--config=/dev/null', program], { stderr: 'inherit' })
  try {
    await writer.stdout.getReader().read()
    for (let round = 0; round < ROUNDS; round++) {
      const to = join(folder, `copy-${round}.db`)
      {
        await using source = await sqliteSource(path)
        await using target = await openTarget({ path: to })
        await target.begin(source.schema)
        for await (const piece of source.pieces()) await target.add({ ...piece, bytes: slowly(piece.bytes, round % 3) })
        await target.commit()
      }
      const copy = new Database(to)
      const broken = copy.query(
        'select count(*) as count from left_half full join right_half using (id) where left_half.value is not right_half.value',
      )
      expect([round, broken.get(), copy.query('pragma integrity_check').get()]).toEqual([
        round,
        { count: 0 },
        { integrity_check: 'ok' },
      ])
      copy.close()
    }
    expect(writer.exitCode).toBe(null)
  } finally {
    writer.kill()
    await writer.exited
  }
})

test('what the log holds is in the copy', async () => {
  const db = new Database(path)
  db.run("insert or replace into left_half values (9999, x'abcd')")
  await using source = await sqliteSource(path)
  const names: string[] = []
  for await (const { name, bytes } of source.pieces()) {
    names.push(name)
    for await (const _ of bytes);
  }
  expect(names).toEqual(['lodeline.db/00000000', 'lodeline.db-wal/00000000'])
  expect(readFileSync(`${path}-wal`).length).toBeGreaterThan(32)
  db.close()
})

async function* slowly(bytes: AsyncIterable<Uint8Array>, ms: number) {
  for await (const part of bytes) {
    if (ms > 0) await Bun.sleep(ms)
    yield part
  }
}
