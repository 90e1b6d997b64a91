/** What a unit writes on PostgreSQL goes out before anybody waits for it: its failures are the unit's all the same. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { PostgresPool } from '../../../src/store/postgres/postgres-pool'
import { PostgresTransaction } from '../../../src/store/postgres/postgres-transaction'
import { failureOf, make } from '../databases'

let url = ''
let remove: () => Promise<void>
let pool: PostgresPool

beforeAll(async () => {
  const made = await make('postgres')
  url = made.place.url ?? ''
  remove = made.remove
  pool = new PostgresPool(url)
  await pool.execute('create table pipeline_things (id integer primary key)', [])
})
afterAll(async () => {
  await pool.close()
  await remove()
})
beforeEach(async () => {
  await pool.execute('delete from pipeline_things', [])
})

const things = async () =>
  (await pool.execute('select id from pipeline_things order by id', [])).rows.map(({ id }) => id)
const INSERT = 'insert into pipeline_things (id) values ($1)'

async function within<T>(work: (transaction: PostgresTransaction) => Promise<T>): Promise<T> {
  const connection = await pool.reserve()
  const transaction = new PostgresTransaction(connection)
  try {
    void transaction.begin().catch(() => {})
    return await work(transaction)
  } catch (thrown) {
    await transaction.rollback()
    throw thrown
  } finally {
    connection.release()
  }
}

test('what was sent and not waited for is kept with the commit', async () => {
  await within(async (transaction) => {
    for (const id of [1, 2, 3]) void transaction.send(INSERT, [id])
    await transaction.commit()
  })
  expect(await things()).toEqual([1, 2, 3])
})

test('a statement that failed and that nobody waited for fails the commit, and nothing is kept', async () => {
  const failed = within(async (transaction) => {
    void transaction.send(INSERT, [1])
    void transaction.send(INSERT, [1])
    void transaction.send(INSERT, [2])
    await transaction.commit()
  })
  expect((await failureOf(failed)).code).toBe('conflict')
  expect(await things()).toEqual([])
})

test('who asks after a failure gets that failure, not the one that follows from it', async () => {
  const failed = within(async (transaction) => {
    void transaction.send(INSERT, [1])
    void transaction.send(INSERT, [1])
    await transaction.execute('select 1', [])
  })
  expect((await failureOf(failed)).code).toBe('conflict')
  expect(await things()).toEqual([])
})

test('what goes on after it was undone never reaches the next user of its connection', async () => {
  const connection = await pool.reserve()
  const givenUp = new PostgresTransaction(connection)
  void givenUp.begin()
  await givenUp.rollback()
  const next = new PostgresTransaction(connection)
  void next.begin()
  void next.send(INSERT, [7])
  expect((await failureOf(givenUp.commit())).code).toBe('internal')
  await next.rollback()
  connection.release()
  expect(await things()).toEqual([])
})

test('a connection that ends with statements under way keeps nothing, and the next unit has another', async () => {
  const failed = within(async (transaction) => {
    const { rows } = await transaction.execute('select pg_backend_pid() as pid', [])
    for (let id = 1; id <= 50; id++) void transaction.send(INSERT, [id])
    await pool.execute('select pg_terminate_backend($1)', [rows[0]?.pid])
    await transaction.commit()
  })
  expect((await failureOf(failed)).code).toBe('unavailable')
  expect(await things()).toEqual([])
  await within(async (transaction) => {
    void transaction.send(INSERT, [9])
    await transaction.commit()
  })
  expect(await things()).toEqual([9])
})

test('more statements than may be under way wait for their turn, in their order', async () => {
  await within(async (transaction) => {
    for (let id = 1; id <= 1_000; id++) {
      const late = transaction.send(INSERT, [id])
      if (late !== undefined) await late
    }
    await transaction.commit()
  })
  expect(await things()).toHaveLength(1_000)
})
