/** A database that is there and says nothing, that is gone, that has moved to another host. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { PostgresPool } from '../../../src/store/postgres/postgres-pool'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store'
import type { KeptStore } from '../../../src/store/sql/kept-store'
import { startProxy, type TestProxy } from '../../e2e/hosts/proxy'
import { until } from '../../lab/until'
import { failureOf, make } from '../databases'

/** A database that is slow because the machine is busy is not silent. */
const LIMITS = { statementMs: 60_000, doubtMs: 1_000, answerMs: 4_000 }

let given: URL
let remove: () => Promise<void>
let way: TestProxy
let store: KeptStore
beforeAll(async () => {
  const made = await make('postgres')
  given = new URL(made.place.url ?? '')
  remove = made.remove
  way = await startProxy({ backends: [{ host: given.hostname, port: Number(given.port) }] })
  store = await openPostgresStore({ url: through(way).href, mode: 'read-write', migrate: true, limits: LIMITS })
})
afterAll(async () => {
  await store?.close()
  await way?.close()
  await remove()
})

function through({ port }: TestProxy): URL {
  const url = new URL(given)
  url.host = `127.0.0.1:${port}`
  return url
}

const say = (what: string) => store.write((tx) => tx.appendFeed('session.updated', null, { what }))
const said = async () => (await store.feed.after(0 as never, 1_000)).map(({ data }) => data.what)

test('a silent database hangs nobody: what waits gets an error, what comes gets it at once, and all goes on when it answers', async () => {
  await say('before')
  way.swallow(true)
  const under = [failureOf(store.sessions.count()), failureOf(say('lost')), failureOf(store.feed.head())]
  for (const failure of await Promise.all(under))
    expect(failure).toMatchObject({ code: 'unavailable', message: 'The database does not answer.' })
  // Nothing is sent any more: a hundred callers wait for nothing together.
  const many = await Promise.all(Array.from({ length: 100 }, () => failureOf(store.sessions.count())))
  expect(new Set(many.map(({ hint }) => hint))).toEqual(
    new Set(['Check its server and the network on the way, then try again.']),
  )
  way.swallow(false)
  await until('the database to be used again', () =>
    say('after').then(
      () => true,
      () => false,
    ),
  )
  await until('the feed to be numbered', async () => (await said()).includes('after'))
  expect(await said()).toContain('before')
})

test('one connection that is silent is given up, though the database answers others', async () => {
  const pool = new PostgresPool(through(way).href, { limits: { ...LIMITS, statementMs: 1_000, doubtMs: 60_000 } })
  try {
    expect(await failureOf(pool.execute('select pg_sleep(60)', []))).toMatchObject({ code: 'unavailable' })
    expect((await pool.execute('select 1 as one', [])).rows).toEqual([{ one: 1 }])
    // A migration takes as long as it takes.
    const slow = 'select pg_sleep(3)'
    expect(await pool.begin(async (tx) => (await tx.execute(slow, [])).count, [], { isPatient: true })).toBe(1)
  } finally {
    await pool.close()
  }
})

test('a statement that is slow is no silence: it gets its answer', async () => {
  const pool = new PostgresPool(through(way).href, { limits: { ...LIMITS, doubtMs: 200 } })
  try {
    const [slow, quick] = await Promise.all([
      pool.execute('select pg_sleep(2), 1 as slow', []),
      pool.execute('select 2 as quick', []),
    ])
    expect([slow.rows[0]?.slow, quick.rows[0]?.quick]).toEqual([1, 2])
  } finally {
    await pool.close()
  }
})

test('of several hosts the one that can be written is used, and when it goes silent or can be read only, another one', async () => {
  // Two ways to one server: of a standby only that it can't be written matters here.
  const other = await startProxy({ backends: [{ host: given.hostname, port: Number(given.port) }] })
  const hosts = (...ports: (number | string)[]) =>
    given.href.replace(given.host, ports.map((port) => `127.0.0.1:${port}`).join(','))
  const pool = new PostgresPool(`${hosts(1, way.port, other.port)}?target_session_attrs=read-write`, { limits: LIMITS })
  const works = () =>
    pool.execute('select 1', []).then(
      () => true,
      () => false,
    )
  try {
    // The first host refuses.
    expect(await works()).toBe(true)
    way.swallow(true)
    expect((await failureOf(pool.execute('select 2', []))).code).toBe('unavailable')
    await until('the other way to be taken', works)
    way.swallow(false)
    expect(other.cutAll()).toBeGreaterThan(0)
    await other.refuse(true)
    await until('the first way to be taken again', works)
    // Demoted: it refuses writes from now on.
    const sql = new SQL(given.href, { max: 1 })
    const name = given.pathname.slice(1)
    await sql.unsafe(`alter database ${name} set default_transaction_read_only = on`)
    expect(way.cutAll()).toBeGreaterThan(0)
    await until('a standby to be refused', async () => {
      const failure = await pool.execute('select 1', []).then(
        () => null,
        (thrown: Error) => thrown,
      )
      return failure?.message.includes('standby') === true
    })
    await sql.unsafe(`alter database ${name} reset default_transaction_read_only`)
    await sql.close()
    await until('the promoted server to be used', works)
  } finally {
    await pool.close()
    await other.close()
  }
})

test('a URL that asks for a server which can only be read is refused', async () => {
  for (const target of ['standby', 'read-only', 'prefer-standby'])
    expect(() => new PostgresPool(`postgres://u@one,two/d?target_session_attrs=${target}`)).toThrow('has to write')
})
