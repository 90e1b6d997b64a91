import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { type InProcessApp, openInProcess } from '../../src/app/in-process'
import { databasePath, openDatabase } from '../../src/app/threads/database'
import { loadConfig } from '../../src/config/load'
import type { SessionId } from '../../src/domain/ids'
import { silentLogger } from '../../src/util/log'
import type { Figure } from '../common/figure'
import { prepareHome } from '../common/lode'
import { type Spread, spread, timeEach } from '../common/measure'
import { Random } from '../common/random'
import { fillReading } from './data/fill-reading'

const LINES = 100_000
const SUBAGENTS = 5_000
const ROWS = 500
const ROUNDS = 60
const LIMIT_MS = 20

/** What any rows of a long session cost: the whole way through the server but the network, with the answer as text. */
export const rowsFigure: Figure = {
  name: 'rows',
  target: `any ${ROWS} rows of a session of ${LINES} lines, beside ${SUBAGENTS} sub-agents with ${LINES} more, < ${LIMIT_MS} ms, in process`,
  async measure({ folder, note }) {
    const home = prepareHome(join(folder, 'h'))
    await (await openDatabase({ home, databaseUrl: null }, { mode: 'read-write', migrate: true })).close()
    const path = databasePath(home)
    // Half of the second session's lines are its main thread's; the first has one thread with all of them.
    const { alone, crowd } = fillReading(path, { events: 2 * LINES, subagents: SUBAGENTS, mainShare: 50 })
    note(`${4 * LINES} events`)
    const config = loadConfig({ cwd: home, env: { HOME: home, LODELINE_HOME: home }, flags: {} })
    const app = await openInProcess({ config, log: silentLogger })
    try {
      const crowded = await measureSession(app, crowd, idsOf(path, crowd))
      const ok = Object.values(crowded).every(({ p50Ms }) => p50Ms < LIMIT_MS)
      const twiceAsLong = await measureSession(app, alone, idsOf(path, alone))
      return { ok, values: { limitMs: LIMIT_MS, crowded, twiceAsLong }, limit: await walkIndex(path) }
    } finally {
      await app.close()
    }
  },
}

async function measureSession(app: InProcessApp, session: SessionId, ids: string[]): Promise<Record<string, Spread>> {
  const random = new Random(3)
  const any = () => random.below(ids.length - ROWS)
  const places = {
    first: () => 'from=0',
    middle: () => `from=${ids.length / 2}`,
    last: () => '',
    anywhere: () => `from=${any()}`,
    around: () => `around=${ids[any()]}`,
  }
  const measured: Record<string, Spread> = {}
  for (const [name, query] of Object.entries(places)) {
    const ask = async () => {
      const target = `http://localhost/api/sessions/${session}/rows?limit=${ROWS}&${query()}`
      const response = await app.fetch(new Request(target))
      const { rows } = (await response.json()) as { rows: unknown[] }
      if (rows.length !== ROWS) throw new Error(`${target}: ${rows.length} rows`)
    }
    await ask()
    measured[name] = spread(await timeEach(ROUNDS, ask))
  }
  return measured
}

/** Ids of the main thread's lines. */
function idsOf(path: string, session: SessionId): string[] {
  using db = new Database(path, { readonly: true })
  return db
    .prepare<{ id: string }, [string]>(
      `select lower(hex(e.uuid)) as id from sessions s join conversation_events e on e.session_id = s.id
        where s.native_id = ? and e.subagent_id is null order by e.at, e.id`,
    )
    .all(session)
    .map(({ id }) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))
}

/** Nothing but the walk to the middle along the index, the count, and the rows themselves. */
async function walkIndex(path: string): Promise<Record<string, Spread>> {
  using db = new Database(path, { readonly: true })
  const mine = 'session_id = 2 and subagent_id is null and parent_tool_use_id is null and length >= 0'
  const count = db.prepare(`select count(*) from conversation_events where ${mine}`)
  const walk = db.prepare(
    `select e.* from (select id from conversation_events where ${mine} order by at, id limit ${ROWS} offset ${LINES / 2}) w
       join conversation_events e on e.id = w.id`,
  )
  return {
    countLines: spread(await timeEach(ROUNDS, () => count.all())),
    rowsOfTheMiddle: spread(await timeEach(ROUNDS, () => walk.all())),
  }
}
