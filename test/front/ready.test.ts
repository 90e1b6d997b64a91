import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { startProxy } from '../e2e/hosts/proxy'
import { Lab } from '../lab/lab'
import { until } from '../lab/until'
import { openFrontFleet } from './fleet'

const ask = async (url: string) => {
  const answer = await fetch(`${url}/api/ready`)
  return { status: answer.status, body: (await answer.json()) as Record<string, never> & { error?: Failure } }
}
interface Failure {
  code: string
  details: Record<string, unknown>
}

test('a server says that it is ready with figures, and why it is not: no database, another schema, a feed that stands still', async () => {
  await using lab = new Lab()
  const given = new URL((await lab.addDatabase('postgres')) ?? '')
  const way = await startProxy({ backends: [{ host: given.hostname, port: Number(given.port) }] })
  lab.ending('the way to the database', () => way.close())
  const through = new URL(given)
  through.host = `127.0.0.1:${way.port}`
  const lode = lab.addLode('l', { databaseUrl: through.href })
  await lode.up(['serve'])
  const { status, body } = await ask(lode.url)
  expect([status, body]).toMatchObject([200, { status: 'ready', feedLagMs: 0 }])

  way.swallow(true)
  const silent = await ask(lode.url)
  expect([silent.status, silent.body.error]).toMatchObject([
    503,
    { code: 'unavailable', details: { reason: 'database' } },
  ])
  // It lives all the same.
  expect((await fetch(`${lode.url}/api/health`)).status).toBe(200)
  way.swallow(false)
  await until('the server to be ready again', async () => (await ask(lode.url)).status === 200)

  const sql = new SQL(given.href, { max: 1 })
  try {
    await sql`insert into schema_migrations (number, name, applied_at) values (9999, 'newer', 0)`
    expect(await ask(lode.url)).toMatchObject({
      status: 503,
      body: { error: { details: { reason: 'schema', schemaVersion: 9999 } } },
    })
    await sql`delete from schema_migrations where number = 9999`
    // Whoever numbers the feed has to wait for this lock.
    await sql.begin(async (holding) => {
      await holding`select seq from feed_position for update`
      const other = new SQL(given.href, { max: 1 })
      await other`insert into feed (at, kind, data) values (${Date.now() - 60_000}, 'task.created', '{}')`
      await other.close()
      expect(await ask(lode.url)).toMatchObject({ status: 503, body: { error: { details: { reason: 'feed' } } } })
    })
  } finally {
    await sql.close()
  }
  // The next entry wakes who numbers them.
  await lode.client.tasks.create({ task: 'any', dir: lab.root })
  await until('the feed to catch up', async () => (await ask(lode.url)).status === 200)
})

test('a server that ends is passed over, finishes what is under way, and ends streams in order: no request is lost', async () => {
  await using fleet = await openFrontFleet({ 'server.drainSeconds': 2 })
  const { a, b, front } = fleet
  front.look()
  const headers = { authorization: `Bearer ${b.token}`, 'content-type': 'application/json' }
  const statuses = new Map<number, number>()
  let isOver = false
  let made = 0
  const load = async () => {
    while (!isOver) {
      const body = JSON.stringify({ task: `task ${made++}`, dir: fleet.root })
      const answer = await fleet.ask('/api/tasks', { method: 'POST', headers, body })
      await answer.text()
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    }
  }
  const loads = Array.from({ length: 6 }, load)
  const stream = await fetch(`${a.url}/api/feed`, { headers: { authorization: headers.authorization } })
  const followed = stream.text()
  await until('both to be asked', () => front.served.includes('a') && front.served.includes('b'))
  a.server.signal('SIGTERM')
  await until('a to send balancers elsewhere', async () => (await ask(a.url)).body.error?.details.reason === 'draining')
  // It serves until then.
  expect((await fetch(`${a.url}/api/status`, { headers })).status).toBe(200)
  expect(await a.server.ended).toBe(0)
  expect(await followed).toContain('task.created')
  const alone = front.served.length
  await until('more to be served', () => front.served.length > alone + 10)
  isOver = true
  await Promise.all(loads)
  expect([...statuses.keys()]).toEqual([200])
  // Each was made, and none twice.
  const sql = new SQL(b.databaseUrl ?? '', { max: 1 })
  const [row] = await sql`select count(*)::int as made from tasks`
  await sql.close()
  expect(row.made).toBe(statuses.get(200))
  expect(new Set(front.served.slice(alone))).toEqual(new Set(['b']))
})
