import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { hostIdentity } from '../../../src/app/files/home'
import { startServer } from '../../../src/app/server/server'
import { openDatabase } from '../../../src/app/threads/database'
import { RecordPool } from '../../../src/app/threads/record-pool'
import { loadConfig } from '../../../src/config/load'
import { AppError } from '../../../src/domain/errors'
import { UnitTimes } from '../../../src/domain/unit-times'
import { createWriteGate } from '../../../src/store/sql/write-gate'
import { silentLogger } from '../../../src/util/log'
import { until } from '../../lab/until'
import { onEachDatabase } from '../../store-contract/databases'
import { addTask } from '../../store-contract/tasks-sample'

const NAME = 'db_client_operation_duration_seconds'

test('a record thread notes its units in the memory that it was given', async () => {
  const home = realpathSync(mkdtempSync('/tmp/ld-'))
  const unitTimes = new UnitTimes('sqlite')
  try {
    await (await openDatabase({ home, databaseUrl: null }, { mode: 'read-write', migrate: true })).close()
    const gate = createWriteGate()
    const pool = new RecordPool({ home, host: hostIdentity(home), gate, unitTimes: unitTimes.memory })
    await pool.sealPacks()
    await pool.close()
    expect(
      unitTimes
        .series()
        .flatMap(({ counts }) => counts)
        .some((count) => count > 0),
    ).toBe(true)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
})

onEachDatabase((database) => {
  const system = database.kind === 'postgres' ? 'postgresql' : 'sqlite'

  test('a unit that is kept and one that is refused are noted once, and reads are not', async () => {
    const unitTimes = new UnitTimes(system)
    const store = await database.open({ unitTimes })
    const task = await addTask(store)
    await store.tasks.find(task.id)
    const refused = store.write(() => {
      throw new AppError('conflict', 'No.')
    })
    expect(await refused.catch((error) => error.code)).toBe('conflict')
    await store.write(() => 1, { weight: 'bulk' })
    await store.close()
    await store.write(() => 1).catch(() => {})
    const sums = unitTimes.series().map(({ weight, error, counts }) => [weight, error, counts.reduce((a, b) => a + b)])
    expect(sums).toEqual([
      ['interactive', null, 1],
      ['interactive', 'conflict', 1],
      ['interactive', 'unavailable', 1],
      ['bulk', null, 1],
    ])
    expect(unitTimes.series().every(({ error, sum }) => error !== null || sum > 0)).toBe(true)
  })

  test('a server tells of its units', async () => {
    const root = realpathSync(mkdtempSync('/tmp/ld-'))
    const claude = join(root, '.claude')
    mkdirSync(join(claude, 'projects', '-a'), { recursive: true })
    const url = database.place.url
    const settings = { 'listen.port': 0, 'agents.claude-code.homes': [claude], 'worker.enabled': false }
    const config = loadConfig({
      env: { HOME: root, LODELINE_HOME: join(root, 'lode'), ...(url && { LODELINE_DATABASE_URL: url }) },
      cwd: root,
      flags: { settings },
    })
    const server = await startServer({ config, log: silentLogger, isCollecting: true })
    try {
      const headers = { authorization: `Bearer ${readFileSync(join(root, 'lode', 'token'), 'utf8').trim()}` }
      const count = async (labels: string): Promise<number> => {
        const text = await (await fetch(`${server.url}/api/metrics`, { headers })).text()
        const line = text.split('\n').find((one) => one.startsWith(`${NAME}_count{`) && one.includes(labels))
        expect([text.includes(`# TYPE ${NAME} histogram`), text.includes(`# UNIT ${NAME} seconds`)]).toEqual([
          true,
          true,
        ])
        return Number(line?.split(' ').at(-1))
      }
      const kept = (weight: string) =>
        count(`{db_system_name="${system}",db_operation_name="unit",lodeline_unit_weight="${weight}"}`)
      const before = await kept('interactive')
      for (const text of ['one', 'two', 'three']) {
        const body = JSON.stringify({ task: text, status: 'backlog', dir: root })
        const made = await fetch(`${server.url}/api/tasks`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body,
        })
        expect(made.status).toBe(200)
      }
      expect(await kept('interactive')).toBeGreaterThanOrEqual(before + 3)
      const line = { type: 'user', uuid: crypto.randomUUID(), message: { role: 'user', content: 'hello' } }
      const session = crypto.randomUUID()
      await Bun.write(
        join(claude, 'projects', '-a', `${session}.jsonl`),
        `${JSON.stringify({ ...line, sessionId: session })}\n`,
      )
      await until('a unit of the record', async () => (await kept('bulk')) > 0)
    } finally {
      await server.stop()
      rmSync(root, { recursive: true, force: true })
    }
  })
})
