import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { sessionId, trackerKey } from '../../src/domain/ids'
import { MIGRATIONS } from '../../src/store/migrations'
import { SCHEMA_VERSION } from '../../src/store/migrations/known-migrations'
import { openStore, type StorePlace } from '../../src/store/open'
import { postgresMigrationTarget } from '../../src/store/postgres/postgres-migration'
import { PostgresPool } from '../../src/store/postgres/postgres-pool'
import { type MigrationTarget, migrateDown, migrateUp, migrationStatus } from '../../src/store/sql/migrator'
import { openSqlite } from '../../src/store/sqlite/sqlite-connection'
import { sqliteMigrationTarget } from '../../src/store/sqlite/sqlite-migration'
import { failureOf, make } from './databases'
import { anIssue, saved } from './issues-sample'
import { sampleSession } from './sample'
import { sampleTask } from './tasks-sample'

/** Every migration's number. */
const ALL = MIGRATIONS.map(({ number }) => number)

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(kind, () => {
    // Held for the whole file, so that the server of the others is not started anew for each.
    let held: Awaited<ReturnType<typeof make>>
    beforeAll(async () => {
      held = await make(kind, { isEmpty: true })
    })
    afterAll(() => held.remove())

    const cleanUp: (() => unknown)[] = []
    afterEach(async () => {
      for (const step of cleanUp.splice(0).reverse()) await step()
    })

    const place = async (): Promise<StorePlace> => {
      const made = await make(kind, { isEmpty: true })
      cleanUp.push(made.remove)
      return made.place
    }

    const targetOf = (at: StorePlace): MigrationTarget => {
      if (at.path !== undefined) {
        const connection = openSqlite(at.path, { role: 'write', create: true })
        cleanUp.push(() => connection.close())
        return sqliteMigrationTarget(connection)
      }
      const pool = new PostgresPool(at.url)
      cleanUp.push(() => pool.close())
      return postgresMigrationTarget(pool)
    }

    test('an empty database is brought up, and again is harmless', async () => {
      const target = targetOf(await place())
      expect((await migrationStatus(target)).version).toBe(0)
      expect(await migrateUp(target)).toEqual(ALL)
      expect(await migrateUp(target)).toEqual([])
      expect(await migrationStatus(target)).toEqual({
        version: SCHEMA_VERSION,
        wanted: SCHEMA_VERSION,
        pending: [],
        unknown: [],
        isCompatible: true,
      })
    })

    test('several at once all succeed, and one of them did it', async () => {
      const at = await place()
      const applied = await Promise.all([migrateUp(targetOf(at)), migrateUp(targetOf(at)), migrateUp(targetOf(at))])
      expect(applied.flat().toSorted((a, b) => a - b)).toEqual(ALL)
    })

    test('several processes at once all succeed, and one of them did it', async () => {
      const at = await place()
      const children = Array.from({ length: 3 }, () =>
        Bun.spawn([process.execPath, `${import.meta.dir}/migrate-child.ts`, JSON.stringify(at)], {
          stdout: 'pipe',
          stderr: 'inherit',
        }),
      )
      const answers = await Promise.all(children.map((child) => child.stdout.text()))
      expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0, 0])
      expect(answers.flatMap((answer) => JSON.parse(answer) as number[]).toSorted((a, b) => a - b)).toEqual(ALL)
    })

    test('a store that was not brought up is refused with the command to type', async () => {
      const at = await place()
      await migrateUp(targetOf(at))
      await migrateDown(targetOf(at), 0)
      const error = await failureOf(openStore({ ...at, mode: 'read-write' }))
      expect(error).toMatchObject({ code: 'schema_mismatch', hint: expect.stringContaining('lode db migrate up') })
    })

    test('a store of a former version is brought up at a start on SQLite alone: on PostgreSQL others may be at work', async () => {
      const at = await place()
      await migrateUp(targetOf(at))
      await migrateDown(targetOf(at))
      const start = () => openStore({ ...at, mode: 'read-write', migrate: true })
      if (kind === 'sqlite') return await (await start()).close()
      expect(await failureOf(start())).toMatchObject({ hint: expect.stringContaining('lode db migrate up') })
      expect((await migrationStatus(targetOf(at))).pending).toHaveLength(1)
    })

    test('a store that is newer than the binary is refused, by every command', async () => {
      const at = await place()
      await migrateUp(targetOf(at))
      await execute(
        at,
        `insert into schema_migrations (number, name, applied_at) values (${SCHEMA_VERSION + 1}, 'later', 1)`,
      )
      for (const attempt of [
        () => openStore({ ...at, mode: 'read-write' }),
        () => openStore({ ...at, mode: 'read-only' }),
        () => openStore({ ...at, mode: 'read-write', migrate: true }),
        () => migrateUp(targetOf(at)),
        () => migrateDown(targetOf(at), 0),
      ]) {
        expect(await failureOf(attempt())).toMatchObject({
          code: 'schema_mismatch',
          hint: expect.stringContaining('newer'),
        })
      }
    })

    test('down and up again keeps what no migration in between owns', async () => {
      const at = await place()
      const store = await openStore({ ...at, mode: 'read-write', migrate: true })
      await store.write((tx) => sampleSession(tx, { id: 'before' }))
      await store.close()
      // A table of nobody's, as a newer or an older version would have.
      await execute(at, 'create table beside (note text)')
      await execute(at, `insert into beside values ('kept')`)
      expect(await migrateDown(targetOf(at), SCHEMA_VERSION)).toEqual([])
      expect(await migrateDown(targetOf(at), 0)).toEqual(ALL.toReversed())
      expect((await migrationStatus(targetOf(at))).version).toBe(0)
      expect(await migrateDown(targetOf(at), 0)).toEqual([])
      expect(await migrateUp(targetOf(at))).toEqual(ALL)
      expect(await execute(at, 'select note from beside')).toEqual([{ note: 'kept' }])
      const again = await openStore({ ...at, mode: 'read-write' })
      expect(await again.sessions.find(sessionId('before'))).toBeUndefined()
      await again.write((tx) => sampleSession(tx, { id: 'after' }))
      expect(await again.sessions.find(sessionId('after'))).toBeDefined()
      await again.close()
    })

    test('down to the record and up again keeps it, and takes the tasks', async () => {
      const at = await place()
      const store = await openStore({ ...at, mode: 'read-write', migrate: true })
      const session = await store.write((tx) => sampleSession(tx, { id: 'before', lines: ['kept'] }))
      await store.write((tx) => tx.tasks.insertTask(sampleTask({ sessionId: sessionId(session.id) })))
      await store.close()
      expect(await migrateDown(targetOf(at), 1)).toEqual(ALL.toReversed().slice(0, -1))
      expect((await migrationStatus(targetOf(at))).version).toBe(1)
      expect(await failureOf(openStore({ ...at, mode: 'read-write' }))).toMatchObject({ code: 'schema_mismatch' })
      expect(await migrateUp(targetOf(at))).toEqual(ALL.slice(1))
      const again = await openStore({ ...at, mode: 'read-write' })
      expect(await again.sessions.find(sessionId('before'))).toBeDefined()
      const { rows } = await again.diagnostics.storage()
      expect(rows).toMatchObject({ sessions: 1, journal_chunks: 1, tasks: 0 })
      await again.write((tx) => tx.tasks.insertTask(sampleTask({ sessionId: sessionId(session.id) })))
      await again.close()
    })

    test('down to before the tracker and up again keeps issues as far as the minimal tracker has room for them', async () => {
      const at = await place()
      const store = await openStore({ ...at, mode: 'read-write', migrate: true })
      const epic = anIssue({ id: 'ld-epic', issueType: 'epic', description: 'why', priority: 1 })
      const child = anIssue({ id: 'ld-epic.1', status: 'closed', createdAt: '2026-02-03T04:05:06.789Z' })
      await store.write((tx) => tx.issues.save(trackerKey(0), [saved(epic), saved(child)]))
      await store.close()
      expect(await migrateDown(targetOf(at), 2)).toEqual(ALL.slice(2).toReversed())
      expect(await execute(at, 'select public_id, type, parent_id from issues order by id')).toMatchObject([
        { public_id: 'ld-epic', type: 'epic', parent_id: null },
        { public_id: 'ld-epic.1', type: 'task' },
      ])
      expect(await migrateUp(targetOf(at))).toEqual(ALL.slice(2))
      const again = await openStore({ ...at, mode: 'read-write' })
      expect(await again.issues.find(null, epic.id)).toMatchObject([
        { issueType: 'epic', description: 'why', priority: 1, createdAt: '2026-01-01T00:00:00.000Z' },
      ])
      expect(await again.issues.find(null, child.id)).toMatchObject([
        { status: 'closed', createdAt: '2026-02-03T04:05:06.789Z' },
      ])
      expect((await again.issues.children(trackerKey(0), epic.id)).map(({ id }) => id)).toEqual([child.id])
      await again.close()
    })

    test('a migration that fails leaves nothing, not even its number', async () => {
      const target = targetOf(await place())
      const broken: MigrationTarget = {
        ...target,
        words: { ...target.words, feed: ['create table feed (seq bigint)', 'no statement'] },
      }
      await failureOf(migrateUp(broken))
      expect(await target.applied()).toBeUndefined()
      expect(await migrateUp(target)).toEqual(ALL)
    })
  })
}

async function execute(at: StorePlace, text: string): Promise<unknown[]> {
  const sql = at.path !== undefined ? new SQL({ adapter: 'sqlite', filename: at.path }) : new SQL(at.url, { max: 1 })
  try {
    return Array.from((await sql.unsafe(text)) as unknown[])
  } finally {
    await sql.close()
  }
}
