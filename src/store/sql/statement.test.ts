import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { onEachDatabase } from '../../../test/store-contract/databases'
import { type AgentId, agentId, agentKey, type TrackerKey, trackerKey } from '../../domain/ids'
import { PostgresPool } from '../postgres/postgres-pool'
import { postgresDriver } from '../record/drivers/postgres-driver'
import { sqliteDriver } from '../record/drivers/sqlite-driver'
import { openSqlite } from '../sqlite/sqlite-connection'
import { AGENT } from '../tasks/rows'
import { isAmongKeys, isAmongTexts } from './among'
import { perDialect, postgresTaskDialect, sqliteTaskDialect } from './dialect'
import type { Driver } from './program'
import { insertRow, selectRows, updateRow } from './row-statements'
import { statement } from './statement'

const SET = statement<{ digest: string; capabilities: string }>()((db, param) =>
  db
    .insertInto('capability_sets')
    .values({ digest: param('digest'), capabilities: param('capabilities') })
    .onConflict((conflict) => conflict.column('digest').doNothing()),
)
const BETWEEN = statement<{ word: string }>()((db, param) =>
  db
    .selectFrom('capability_sets')
    .select(['id', 'digest'])
    .where((eb) => eb.or([eb('digest', '=', param('word')), eb('capabilities', '=', param('word'))]))
    .where('capabilities', '!=', '[]')
    .orderBy('id'),
)
const AMONG = perDialect((words) =>
  statement<{ keys: string; texts: string }>()((db, param) =>
    db
      .selectFrom('capability_sets as s')
      .select('s.digest')
      .where((eb) =>
        eb.or([
          isAmongKeys(words, eb.ref('s.id'), param('keys')),
          isAmongTexts(words, eb.ref('s.digest'), param('texts')),
        ]),
      )
      .orderBy('s.digest'),
  ),
)
const TRACKER = statement<{ id: TrackerKey; path: string | null }>()((db, param) =>
  db
    .updateTable('trackers')
    .set({ path: param('path') })
    .where('id', '=', param('id')),
)
const PATHS = statement()((db) => db.selectFrom('trackers').select(['id', 'path']).where('path', 'is', null))
const BY_NAME = statement<{ name: string }>()((db, param) =>
  selectRows(db, AGENT, 'a').where('a.name', '=', param('name')),
)
const NEW_FIELDS = AGENT.names('key', 'createdAt')
const NEW_AGENT = insertRow(AGENT, NEW_FIELDS, ['created_at'], (insert) =>
  insert.onConflict((conflict) => conflict.doNothing()),
)

onEachDatabase((database) => {
  const words = database.kind === 'sqlite' ? sqliteTaskDialect : postgresTaskDialect
  let driver: Driver
  let close: () => unknown
  beforeAll(() => {
    const { path, url } = database.place
    if (path !== undefined) {
      const connection = openSqlite(path, { role: 'write' })
      driver = sqliteDriver(connection)
      close = () => connection.close()
    } else {
      const pool = new PostgresPool(url)
      driver = postgresDriver({
        execute: (text, params) => pool.execute(text, params),
        send: async (text, params) => void (await pool.execute(text, params)),
      })
      close = () => pool.close()
    }
  })
  afterAll(async () => await close())

  test('an insert gives the new id, or null where on conflict kept it out', async () => {
    const id = await driver.drive(SET.insert({ digest: 'one', capabilities: '["a"]' }))
    expect(id).toBeGreaterThan(0)
    expect(await driver.drive(SET.insert({ digest: 'one', capabilities: '["b"]' }))).toBeNull()
    expect(await driver.drive(SET.changed({ digest: 'two', capabilities: 'one' }))).toBe(1)
  })

  test('a parameter that stands twice is bound twice', async () => {
    const found = await driver.drive(BETWEEN.rows({ word: 'one' }))
    expect(found.map(({ digest }) => digest)).toEqual(['one', 'two'])
    expect((await driver.drive(BETWEEN.first({ word: 'two' })))?.digest).toBe('two')
    expect(await driver.drive(BETWEEN.first({ word: 'three' }))).toBeUndefined()
  })

  test('a list is one parameter, of keys and of texts', async () => {
    const one = await driver.drive(BETWEEN.first({ word: 'one' }))
    const given = { keys: words.keyList([one?.id ?? 0]), texts: words.textList(['two', 'three']) }
    expect(await driver.drive(AMONG(words).rows(given))).toEqual([{ digest: 'one' }, { digest: 'two' }])
    const none = { keys: words.keyList([]), texts: words.textList([]) }
    expect(await driver.drive(AMONG(words).rows(none))).toEqual([])
  })

  test('null is a value like others', async () => {
    expect(await driver.drive(TRACKER.changed({ id: trackerKey(0), path: '/some/where' }))).toBe(1)
    expect(await driver.drive(PATHS.rows())).toEqual([])
    expect(await driver.drive(TRACKER.changed({ id: trackerKey(0), path: null }))).toBe(1)
    expect(await driver.drive(PATHS.rows())).toEqual([{ id: trackerKey(0), path: null }])
    expect(await driver.drive(TRACKER.changed({ id: trackerKey(77), path: null }))).toBe(0)
  })

  test('a whole row is written, changed and read by its fields', async () => {
    const row = {
      ...{ id: agentId('a-1'), name: 'anna', kind: 'worker' as const, capabilities: ['x'], concurrency: 2 },
      ...{ cliLimits: {}, fallsOver: false },
    }
    const key = await driver.drive(NEW_AGENT.insert(row, { created_at: 7 }))
    expect(await driver.drive(NEW_AGENT.insert(row, { created_at: 8 }))).toBeNull()
    await driver.drive(updateRow(AGENT, { capabilities: ['y'], model: 'm' }, agentKey(key ?? 0)))
    const found = await driver.drive(BY_NAME.first({ name: 'anna' }))
    expect(found && AGENT.read(found)).toEqual({
      ...AGENT.unsaid,
      ...row,
      key: agentKey(key ?? 0),
      capabilities: ['y'],
      model: 'm',
      createdAt: 7,
    })
  })
})

describe('a statement', () => {
  test('is compiled at its first use, once', () => {
    let count = 0
    const counted = statement<{ name: string }>()((db, param) => {
      count++
      return db.selectFrom('agents').select('id').where('name', '=', param('name'))
    })
    expect(count).toBe(0)
    expect([counted.first({ name: 'a' }).next(), counted.rows({ name: 'b' }).next()]).toMatchObject([
      { value: { params: ['a'] } },
      { value: { params: ['b'] } },
    ])
    expect(count).toBe(1)
  })

  test('has its constants in its text, so that partial indexes are found', () => {
    const { value } = statement()((db) =>
      db
        .selectFrom('agents')
        .select('id')
        .where('kind', 'in', ['worker', 'lead'])
        .where('name', '=', "o'hara")
        .limit(3),
    )
      .rows()
      .next()
    expect(value).toEqual({
      sql: `select "id" from "agents" where "kind" in ('worker', 'lead') and "name" = 'o''hara' limit 3`,
      params: [],
      want: 'rows',
    })
  })

  test('refuses a question mark in its text, which would be taken for a parameter', () => {
    const asking = statement()((db) => db.selectFrom('agents').select('id').where('name', '=', 'who?'))
    expect(() => asking.rows().next()).toThrow('question mark')
    const told = statement()(() => sql<{ one: number }>`select ${sql.lit('?')} as one`)
    expect(() => told.rows().next()).toThrow('question mark')
  })

  test('is checked by the compiler: columns, parameters and what it answers', () => {
    const found = statement<{ id: AgentId }>()((db, param) =>
      db.selectFrom('agents').select(['public_id as id', 'model']).where('public_id', '=', param('id')),
    ).first
    type Found = ReturnType<typeof found> extends Generator<infer _, infer Answer> ? Answer : never
    const row: Found = { id: agentId('a-1'), model: null }
    expect(row.id).toBe(agentId('a-1'))
    // @ts-expect-error no such column
    statement()((db) => db.selectFrom('agents').select('modell'))
    statement<{ id: number }>()((db, param) => {
      // @ts-expect-error a key in the place of an id
      return db.selectFrom('agents').select('id').where('public_id', '=', param('id'))
    })
    statement<{ id: AgentId }>()((db, param) => {
      // @ts-expect-error a parameter that is not declared
      return db.selectFrom('agents').select('id').where('public_id', '=', param('ID'))
    })
    // @ts-expect-error its parameters are not given
    BETWEEN.rows()
    // @ts-expect-error messages have another key than `id`
    statement()((db) => db.insertInto('message_waits').defaultValues()).insert()
  })
})
