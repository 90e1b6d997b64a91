/** A schema of a later version is brought to a database while servers of this version are at work on it. */
import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { MIGRATIONS } from '../../src/store/migrations'
import { SCHEMA_VERSION } from '../../src/store/migrations/known-migrations'
import type { Migration } from '../../src/store/migrations/migration'
import { openStore } from '../../src/store/open'
import { postgresMigrationTarget } from '../../src/store/postgres/postgres-migration'
import { PostgresPool } from '../../src/store/postgres/postgres-pool'
import { migrateDown, migrateUp } from '../../src/store/sql/migrator'
import { Lab } from '../lab/lab'
import { until } from '../lab/until'
import { failureOf } from '../store-contract/databases'

const NEXT = SCHEMA_VERSION + 1
/** A later release renames a column: it adds the new one, fills it, indexes it, and one day takes the old one away. */
const LATER: Migration[] = [
  {
    number: NEXT,
    name: 'add',
    minCompatible: SCHEMA_VERSION,
    up: () => ['alter table tasks add column title_later text'],
    down: () => ['alter table tasks drop column title_later'],
  },
  {
    number: NEXT + 1,
    name: 'fill',
    minCompatible: SCHEMA_VERSION,
    backfill: () =>
      `update tasks set title_later = coalesce(title, '') where id in (select id from tasks where title_later is null order by id limit 20)`,
  },
  {
    number: NEXT + 2,
    name: 'index',
    minCompatible: SCHEMA_VERSION,
    indexes: () => [{ name: 'tasks_title_later', on: 'tasks (title_later)' }],
  },
  {
    number: NEXT + 3,
    name: 'take away',
    up: () => ['alter table tasks drop column title'],
    down: () => ['alter table tasks add column title text'],
  },
]
/** Longer than a statement of a server waits for a lock, in milliseconds. */
const IN_THE_WAY_MS = 6_000

test('servers of the former version work on while a later schema comes, and a step that they could not survive waits for their end', async () => {
  await using lab = new Lab()
  const databaseUrl = (await lab.addDatabase('postgres')) ?? ''
  const options = { databaseUrl, isKilled: true }
  const [a, b] = [lab.addLode('a', options), lab.addLode('b', options)]
  for (const server of [a, b]) await server.up(['serve'])
  const sql = new SQL(databaseUrl, { max: 2 })
  lab.ending('the statements', () => sql.close())
  const pool = new PostgresPool(databaseUrl)
  lab.ending('the pool', () => pool.close())
  const target = postgresMigrationTarget(pool)
  const all = [...MIGRATIONS, ...LATER]

  const acknowledged: string[] = []
  /** The server that is not killed. */
  const failures: unknown[] = []
  let isOver = false
  const load = async (server: typeof a) => {
    while (!isOver) {
      const asked = server.client.tasks.create({ task: 'x', dir: lab.root, requiredCapabilities: ['none'] })
      await asked
        .then(({ task }) => acknowledged.push(task.id))
        .catch((error: unknown) => server === a && failures.push(error))
      await Bun.sleep(20)
    }
  }
  const loads = [a, b].map(load)
  await until('some to be made', () => acknowledged.length > 40)

  // Somebody reads the table for a long time: a step that waits for it in one go would hold up all who come behind.
  const reader = await sql.reserve()
  await reader.unsafe('begin')
  await reader.unsafe('select count(*) from tasks')
  const migrating = migrateUp(target, { to: NEXT + 2, migrations: all })
  await Bun.sleep(IN_THE_WAY_MS)
  expect((await target.applied())?.some(({ number }) => number === NEXT)).toBe(false)
  await reader.unsafe('commit')
  reader.release()
  expect(await migrating).toEqual([NEXT, NEXT + 1, NEXT + 2])
  expect(
    await sql.unsafe(`select indisvalid as ok from pg_index where indexrelid = 'tasks_title_later'::regclass`),
  ).toEqual([{ ok: true }])

  // One of the former version starts beside the later schema as well; a step that it would not survive is refused.
  await b.crash()
  await b.up(['serve'])
  const before = acknowledged.length
  await until('more to be made', () => acknowledged.length > before + 20)
  expect(await failureOf(migrateUp(target, { migrations: all }))).toMatchObject({ code: 'conflict' })
  isOver = true
  await Promise.all(loads)
  expect(failures).toEqual([])
  const rows: { id: string }[] = await sql.unsafe('select public_id as id from tasks')
  const made = new Set(rows.map(({ id }) => id))
  expect(acknowledged.filter((id) => !made.has(id))).toEqual([])

  // Back goes what nobody needs; what a server at work needs stays.
  expect(await migrateDown(target, NEXT, all)).toEqual([NEXT + 2, NEXT + 1])
  expect(await failureOf(migrateDown(target, SCHEMA_VERSION - 1, all))).toMatchObject({ code: 'conflict' })
  for (const server of [a, b]) await server.stop()
  // The one that was killed did not say so.
  await sql.unsafe('update servers set seen_at = 0')
  expect(await migrateUp(target, { migrations: all })).toEqual([NEXT + 1, NEXT + 2, NEXT + 3])
  const late = await failureOf(openStore({ url: databaseUrl, mode: 'read-write', migrate: true }))
  expect(late).toMatchObject({ code: 'schema_mismatch', hint: expect.stringContaining('Update Lodeline') })
})
