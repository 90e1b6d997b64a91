/** Two machines, each with a server of its own, on one PostgreSQL: neither sees a process of the other one. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { processTree } from '../lab/processes'
import { until } from '../lab/until'
import { type TestDatabase, testDatabase } from '../postgres'
import { cleanUp } from './clean-up'
import { Lodeline } from './lodeline'
import { Machine } from './machine'
import { Lab } from './real-cli'

let folder: string
let database: TestDatabase
let machines: Machine[] = []
let lab: Lab
let a: Lodeline
let b: Lodeline

beforeAll(async () => {
  folder = mkdtempSync('/tmp/ld-')
  database = await testDatabase()
  machines = await Promise.all([Machine.start(), Machine.start()])
  const [machineA, machineB] = machines
  if (machineA === undefined || machineB === undefined) throw new Error('no machines')
  lab = await Lab.start({ version: '2.1.328', script: 'steering', machine: machineA })
  const databaseUrl = database.url
  a = new Lodeline({ home: join(folder, 'a'), claudeRoots: [lab.claudeRoot], databaseUrl, machine: machineA })
  b = new Lodeline({ home: join(folder, 'b'), databaseUrl, machine: machineB })
}, 60_000)

afterAll(
  () =>
    cleanUp(
      () => Promise.all(machines.map((machine) => machine.stop())),
      () => lab?.stop(),
      () => database?.drop(),
      () => rmSync(folder, { recursive: true, force: true }),
    ),
  60_000,
)

/** A server has looked at what it takes for its own processes when it says that it listens. */
const looked = (lodeline: Lodeline, times: number) =>
  until('the server to have looked', () => {
    const path = join(lodeline.home, 'log/lode.log')
    const log = existsSync(path) ? readFileSync(path, 'utf8') : ''
    return log.split('listening on').length - 1 === times
  })

test('a session stays alive while a server starts, restarts and sweeps on another machine; its own one sees it killed', async () => {
  await a.up()
  const session = crypto.randomUUID()
  const cli = lab.steer({ sessionId: session })
  cli.send({ type: 'user', message: { role: 'user', content: 'hello' } })
  const evidence = async (at: Lodeline) => {
    const found = await at.client.sessions.get(session as never).catch(() => undefined)
    return found === undefined ? '' : `${found.session.status}: ${found.session.statusEvidence}`
  }
  await until('the process to be seen', async () => (await evidence(a)).endsWith('alive'))
  for (let start = 1; start <= 2; start++) {
    await b.up()
    await looked(b, start)
    for (const each of [a, b]) expect(await evidence(each)).toEndWith('alive')
    if (start === 1) await b.crash()
  }
  const held = processTree(cli.pid).filter((pid) => pid !== cli.pid)
  process.kill(held[0] ?? 0, 'SIGKILL')
  await cli.exited
  for (const each of [a, b]) await until('the end to be known', async () => / gone /.test(await evidence(each)))
}, 120_000)
