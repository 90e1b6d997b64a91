import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { SQL } from 'bun'
import { isAlive } from './lab/processes'
import { until } from './lab/until'
import { SERVER_VARIABLE, startPostgres, testDatabase } from './postgres'

async function answer(url: string, query: string): Promise<unknown> {
  const sql = new SQL(url, { max: 1 })
  try {
    const rows = (await sql.unsafe(query)) as Record<string, unknown>[]
    return Object.values(rows[0] ?? {})[0]
  } finally {
    await sql.close()
  }
}

test('a test database is empty where asked, and its own', async () => {
  const [one, two] = await Promise.all([testDatabase({ isEmpty: true }), testDatabase({ isEmpty: true })])
  await answer(one.url, 'CREATE TABLE mine (n int)')
  const tables = "SELECT count(*)::int FROM pg_tables WHERE schemaname = 'public'"
  expect([await answer(one.url, tables), await answer(two.url, tables)]).toEqual([1, 0])
  await one.drop()
  await expect(answer(one.url, 'SELECT 1')).rejects.toThrow()
  await one.drop()
  await two.drop()
})

test('a server is durable unless told otherwise, and leaves nothing behind', async () => {
  const server = await startPostgres()
  expect(await answer(server.url, 'SHOW fsync')).toBe('on')
  const folder = String(await answer(server.url, 'SHOW data_directory'))
  expect(existsSync(folder)).toBe(true)
  await server.stop()
  expect(existsSync(folder)).toBe(false)
  await server.stop()
})

test("npm's binaries serve where none are installed", async () => {
  const server = await startPostgres({ from: ['npm'], fsync: false })
  try {
    expect(await answer(server.url, 'SHOW server_version')).toBe('18.4')
    expect(await answer(server.url, "SELECT to_tsvector('english', 'the trees')::text")).toBe("'tree':2")
  } finally {
    await server.stop()
  }
})

test('a server ends when the process that started it is killed', async () => {
  const script = `
    const { startPostgres } = await import(${JSON.stringify(`${import.meta.dir}/postgres.ts`)})
    const { SQL } = await import('bun')
    const server = await startPostgres({ fsync: false })
    const sql = new SQL(server.url)
    const [row] = await sql.unsafe("SELECT current_setting('data_directory') AS folder, pg_backend_pid() AS pid")
    console.log(JSON.stringify(row))
    await new Promise(() => setInterval(() => {}, 1000))`
  const owner = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  const reader = owner.stdout.getReader()
  const { folder } = JSON.parse(new TextDecoder().decode((await reader.read()).value)) as { folder: string }
  const postmaster = Number((await Bun.file(`${folder}/postmaster.pid`).text()).split('\n')[0])
  owner.kill('SIGKILL')
  await owner.exited
  await until('the server and its folder to be gone', () => !isAlive(postmaster) && !existsSync(folder))
  expect(isAlive(postmaster)).toBe(false)
})

test('says how to get PostgreSQL when there is none', async () => {
  await expect(startPostgres({ from: [] })).rejects.toThrow('apt-get install postgresql')
})

test('single test files share one server that ends with its last database', async () => {
  const given = process.env[SERVER_VARIABLE]
  delete process.env[SERVER_VARIABLE]
  try {
    const [one, two] = await Promise.all([testDatabase({ isEmpty: true }), testDatabase({ isEmpty: true })])
    expect(new URL(one.url).port).toBe(new URL(two.url).port)
    await one.drop()
    expect(await answer(two.url, 'SELECT 1')).toBe(1)
    await two.drop()
    await expect(answer(two.url, 'SELECT 1')).rejects.toThrow()
  } finally {
    if (given !== undefined) process.env[SERVER_VARIABLE] = given
  }
})
