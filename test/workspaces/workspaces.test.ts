/** Two teams on one PostgreSQL server: each works in its workspace, and neither gets across. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { differences } from '../../src/cli/kit/json-shapes'
import { scramVerifier } from '../../src/store/workspaces/scram-verifier'
import { Lab } from '../lab/lab'
import type { Lode } from '../lab/lode'
import { until } from '../lab/until'
import { failureOf } from '../store-contract/databases'
import { type SharedServer, startShared } from './shared-server'

interface Team {
  url: string
  token: string
  openDatabases: string[]
  lode: Lode
  /** As a server of the team speaks with the database. */
  sql: SQL
}

const lab = new Lab()
let shared: SharedServer
let blue: Team
let red: Team

beforeAll(async () => {
  shared = await startShared()
  blue = await team('blue')
  red = await team('red')
})
afterAll(async () => {
  await Promise.all([blue?.sql.close(), red?.sql.close()])
  await lab.stop()
  await shared[Symbol.asyncDispose]()
})

async function team(name: string): Promise<Team> {
  const made = await shared.lode(['workspace', 'create', name, '--json'])
  expect([made.code, made.err.includes('shown again')]).toEqual([0, true])
  const answer = JSON.parse(made.out)
  expect(differences(answer, 'lode workspace create', name)).toEqual([])
  const lode = lab.addLode(name, { databaseUrl: answer.url })
  writeFileSync(join(lode.home, 'token'), answer.token, { mode: 0o600 })
  await lode.up(['serve'])
  return { ...answer, lode, sql: new SQL(answer.url, { max: 1 }) }
}

test('each team works at its own server, with the token that was printed, and finds nothing of the other', async () => {
  for (const [name, { lode, token }] of [
    ['Ada', blue],
    ['Bo', red],
  ] as const) {
    expect(lode.token).toBe(token)
    const { client } = lode
    await client.users.add({ name, role: 'admin' })
    const { task } = await client.tasks.create({ task: `paint in ${name}`, dir: lode.home })
    await client.messages.send({ to: task.id, kind: 'message', text: 'quickly' })
    expect((await client.tasks.list({})).tasks.map(({ id }) => id)).toEqual([task.id])
    expect((await client.users.list()).users.map((user) => user.name)).toEqual([name])
  }
  const [task] = (await blue.lode.client.tasks.list({})).tasks
  expect((await failureOf(red.lode.client.tasks.get(task?.id ?? ''))).code).toBe('not_found')
  const { code } = await blue.lode.client.workers.enroll({ name: 'w' })
  const entering = red.lode.client.workers.enter({ code, hostname: 'box', hostName: 'm', hostKey: 'k' })
  expect((await failureOf(entering)).code).toBe('unauthorized')
  const status = (lode: Lode) => fetch(`${lode.url}/api/status`, { headers: { authorization: `Bearer ${blue.token}` } })
  expect([(await status(blue.lode)).status, (await status(red.lode)).status]).toEqual([200, 401])
})

/** What a team's role may not do, and what PostgreSQL says to it. */
const ACROSS: [statement: string, says: RegExp][] = [
  ['select * from lodeline_red.public.tasks', /cross-database references/],
  ['set role lodeline_red', /permission denied/],
  ['set session authorization lodeline_red', /permission denied/],
  ['grant lodeline_red to lodeline_blue', /permission denied|must have admin option/],
  ["alter role lodeline_red password 'x'", /permission denied/],
  ['alter role lodeline_blue superuser', /permission denied|must be superuser/],
  ['create role mole login', /permission denied/],
  ['create database mole', /permission denied/],
  ['drop database lodeline_red', /must be owner/],
  ['alter database lodeline_red connection limit 0', /must be owner/],
  ['grant connect on database lodeline_red to lodeline_blue', /permission denied/],
  ['drop database lodeline_blue', /must be owner/],
  ['create schema mole', /permission denied/],
  ['create temporary table mole (a int)', /permission denied/],
  ['create extension postgres_fdw', /permission denied|is not available/],
  ['create extension dblink', /permission denied|is not available/],
  ["create server s foreign data wrapper postgres_fdw options (dbname 'lodeline_red')", /does not exist/],
  ["copy tasks to '/tmp/mole'", /permission denied|must be superuser/],
  ["copy tasks to program 'cat'", /permission denied|must be superuser/],
  ["select pg_read_file('postgresql.conf')", /permission denied/],
  ["select pg_ls_dir('base')", /permission denied/],
  ["select lo_import('/etc/passwd')", /permission denied/],
  ['select * from pg_authid', /permission denied/],
  ["select pg_database_size('lodeline_red')", /permission denied/],
  [
    "select pg_create_logical_replication_slot('mole', 'pgoutput')",
    /permission denied|must be superuser or replication/,
  ],
  ['alter system set work_mem = 1', /permission denied|must be superuser/],
]

test('the database refuses a team everything of another one, whatever its role tries', async () => {
  const to = (url: string, database: string) => new SQL(url.replace(/[^/]*$/, database), { max: 1 })
  for (const [from, database] of [
    [blue, 'lodeline_red'],
    [red, 'lodeline_blue'],
  ] as const) {
    const sql = to(from.url, database)
    expect((await failureOf(sql`select 1`)).message).toMatch(/permission denied for database/)
    await sql.close()
  }
  const guessed = new SQL(red.url.replace(/:[^:@]+@/, ':guessed@'), { max: 1 })
  expect((await failureOf(guessed`select 1`)).message).toMatch(/password authentication failed/)
  await guessed.close()
  for (const [statement, says] of ACROSS) {
    const message = await blue.sql
      .unsafe(statement)
      .simple()
      .then(
        () => 'done',
        ({ message }) => message,
      )
    expect([statement, message]).toEqual([statement, expect.stringMatching(says)])
  }
  // Only a warning, and nothing is granted.
  await blue.sql.unsafe('grant connect on database lodeline_blue to lodeline_red').simple()
  const mayEnter = await shared.root`select has_database_privilege('lodeline_red', 'lodeline_blue', 'connect') as may`
  expect([...mayEnter]).toEqual([{ may: false }])
  // It is the same one while red works.
  const [{ pid }] = await red.sql`select pg_backend_pid() as pid`
  for (const end of ['pg_terminate_backend', 'pg_cancel_backend'])
    expect((await failureOf(blue.sql.unsafe(`select ${end}(${pid})`))).message).toMatch(
      /permission denied|must be a member/,
    )
  expect(await red.sql`select pg_backend_pid() as pid`).toEqual([{ pid }])
})

test('what a database shares among its sessions is not shared by teams: notifications, locks, large objects', async () => {
  const heard = { blue: 0, red: 0 }
  const ears = [blue, red].map(({ url }) => new SQL(url, { max: 1 }))
  try {
    const [blueEar, redEar] = ears as [SQL, SQL]
    await blueEar.listen('lodeline_feed', () => {
      heard.blue++
    })
    await redEar.listen('lodeline_feed', () => {
      heard.red++
    })
    await red.lode.client.tasks.create({ task: 'only red hears', dir: red.lode.home })
    await until('red to hear', () => heard.red > 0)
    // What was said before is heard before this.
    await blue.sql`select pg_notify('lodeline_feed', '')`
    await until('blue to hear', () => heard.blue > 0)
    expect(heard.blue).toBe(1)
  } finally {
    await Promise.all(ears.map((sql) => sql.close()))
  }
  await red.sql`select pg_advisory_lock(7106105)`
  expect(await blue.sql`select pg_try_advisory_lock(7106105) as got`).toEqual([{ got: true }])
  const [{ oid }] = await red.sql`select lo_from_bytea(0, 'secret') as oid`
  expect((await failureOf(blue.sql`select lo_get(${oid})`)).message).toMatch(/does not exist/)
})

test('of the others a team sees their names and that they are at work, and not at what', async () => {
  await red.sql`select 'a secret of red'`
  const seen = await blue.sql`
    select usename, query, client_addr, backend_start from pg_stat_activity where datname = 'lodeline_red'`
  expect(seen.length).toBeGreaterThan(0)
  for (const row of seen)
    expect(row).toEqual({
      usename: 'lodeline_red',
      query: '<insufficient privilege>',
      client_addr: null,
      backend_start: null,
    })
  const names = await blue.sql`select datname from pg_database where datname like 'lodeline_%' order by 1`
  expect(names.map(({ datname }: { datname: string }) => datname)).toEqual(['lodeline_blue', 'lodeline_red'])
  const tables = await blue.sql`select distinct table_catalog as name from information_schema.tables`
  expect([...tables]).toEqual([{ name: 'lodeline_blue' }])
  const settings = await blue.sql`select passwd from pg_user where usename = 'lodeline_red'`
  expect([...settings]).toEqual([{ passwd: '********' }])
  // Others let everybody in, which was said when the workspace was made.
  expect(blue.openDatabases).toEqual(['postgres', 'template1'])
})

test('the password is kept as PostgreSQL itself would keep it', async () => {
  await shared.root`create role pen password 'pencil'`
  const [{ kept }] = await shared.root`select rolpassword as kept from pg_authid where rolname = 'pen'`
  const salt = /:([^$]+)\$/.exec(kept)?.[1] ?? ''
  expect(scramVerifier('pencil', Buffer.from(salt, 'base64'))).toBe(kept)
})

test('backups, reports and checks of one workspace are about it alone, and a backup goes into an empty one', async () => {
  const env = { LODELINE_DATABASE_URL: blue.url }
  const report = JSON.parse((await shared.lode(['db', 'report', '--json'], { env })).out)
  expect(report.tables.length).toBeGreaterThan(40)
  expect((await shared.lode(['db', 'check'], { env })).code).toBe(0)
  const status = JSON.parse((await shared.lode(['db', 'migrate', 'status', '--json'], { env })).out)
  expect([status.pending, status.servers.length]).toEqual([[], 1])
  const backup = await shared.lode(['backup', 'blue.tar.gz', '--home', join(shared.folder, 'b')], { env })
  expect(backup.code).toBe(0)
  await shared.shut()
  const made = await shared.lode(['workspace', 'create', 'green', '--empty', '--json'])
  const { url, token, openDatabases } = JSON.parse(made.out)
  expect([token, openDatabases]).toEqual([null, []])
  const restored = await shared.lode(['restore', 'blue.tar.gz', '--home', join(shared.folder, 'r')], {
    env: { LODELINE_DATABASE_URL: url },
  })
  expect([restored.code, restored.err]).toEqual([0, ''])
  const green = new SQL(url, { max: 1 })
  const tasks = (sql: SQL) => sql`select public_id from tasks order by 1`
  expect([...(await tasks(green))]).toEqual([...(await tasks(blue.sql))])
  await green.close()
})

test('a workspace is listed, and removed only by its name, only when nothing uses it, and only if it is one', async () => {
  const listed = JSON.parse((await shared.lode(['workspace', 'list', '--json'])).out)
  expect(differences(listed, 'lode workspace list', 'list')).toEqual([])
  expect(listed.workspaces.map(({ name }: { name: string }) => name)).toEqual(['blue', 'green', 'red'])
  expect((await shared.lode(['workspace', 'list'])).out).toMatch(/^blue +lodeline_blue +\d.* of 40$/m)
  const remove = (name: string, more: string[] = [], answers?: string[]) =>
    shared.lode(['workspace', 'remove', name, ...more], answers && { answers })
  const refusals: [Awaited<ReturnType<typeof remove>>, number, string][] = [
    [await remove('red'), 2, 'no terminal'],
    [await remove('red', ['--yes', 'blue']), 2, 'another workspace'],
    [await remove('red', [], ['yes']), 20, 'nothing was removed'],
    [await remove('red', ['--yes', 'red']), 4, 'Stop its servers'],
    [await remove('none', ['--yes', 'none']), 3, 'no workspace none'],
    [await remove("x'; drop", ['--yes', "x'; drop"]), 2, "can't be the name"],
  ]
  await shared.root.unsafe('create database lodeline_other')
  refusals.push([await remove('other', ['--yes', 'other']), 4, 'was not made by'])
  for (const [{ code, err }, exitCode, says] of refusals)
    expect([code, err]).toEqual([exitCode, expect.stringContaining(says)])
  // It was refused without harm.
  expect((await red.lode.client.tasks.list({})).tasks.length).toBe(2)
  await red.lode.stop()
  await red.sql.close()
  const removed = await remove('red', ['--json'], ['red'])
  expect(JSON.parse(removed.out)).toEqual({ removed: 'red', database: 'lodeline_red' })
  expect([...(await shared.root`select 1 from pg_roles where rolname = 'lodeline_red'`)]).toEqual([])
  expect((await blue.lode.client.tasks.list({})).tasks.length).toBe(1)
})

test('what can not be made leaves nothing behind, and what is there stays as it is', async () => {
  const create = (name: string, env?: Record<string, string>) =>
    shared.lode(['workspace', 'create', name], env && { env })
  expect(await create('blue')).toMatchObject({ code: 4, out: '' })
  expect((await create('walled')).code).toBe(8)
  expect(await create('new', { LODELINE_ADMIN_DATABASE_URL: blue.url })).toMatchObject({ code: 6 })
  expect((await create('new', { LODELINE_ADMIN_DATABASE_URL: '' })).err).toContain('LODELINE_ADMIN_DATABASE_URL')
  const left = await shared.root`
    select rolname as name from pg_roles where rolname ~ 'walled|new'
    union all select datname from pg_database where datname ~ 'walled|new'`
  expect([...left]).toEqual([])
  expect((await blue.lode.client.tasks.list({})).tasks.length).toBe(1)
})
