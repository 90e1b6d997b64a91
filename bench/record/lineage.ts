import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { databasePath, openDatabase } from '../../src/app/threads/database'
import { type SessionId, sessionId } from '../../src/domain/ids'
import type { Figure } from '../common/figure'
import { prepareHome } from '../common/lode'
import { spread, timeEach } from '../common/measure'
import { Random } from '../common/random'
import { prose } from './data/words'

const SUBAGENTS = 5_000
/** In other sessions. */
const OTHERS = 50_000
const ROUNDS = 40
/** Milliseconds that the median of each may take, in process. */
const LIMITS_MS = { tree: 30, recover: 20 } as const

/** What the tree and the recovery of a session with 5,000 sub-agents cost, alone in the database and beside ten times as many. */
export const lineageFigure: Figure = {
  name: 'lineage',
  target:
    'a session of 5,000 sub-agents, a tenth of them below others, half of them unread: its tree < 30 ms, recover < 20 ms, both with 50,000 others in the database, in process',
  async measure({ folder, note }) {
    const alone = await measureOne(join(folder, 'a'), 0)
    note('alone')
    const beside = await measureOne(join(folder, 'b'), OTHERS / SUBAGENTS)
    const ok = [alone, beside].every((one) => one.tree.p50Ms < LIMITS_MS.tree && one.recover.p50Ms < LIMITS_MS.recover)
    return { ok, values: { limitsMs: LIMITS_MS, alone, beside }, limit: { rows: beside.rows } }
  },
}

async function measureOne(folder: string, others: number) {
  const home = prepareHome(folder)
  await (await openDatabase({ home, databaseUrl: null }, { mode: 'read-write', migrate: true })).close()
  const [session] = fill(databasePath(home), 1 + others)
  const store = await openDatabase({ home, databaseUrl: null }, { mode: 'read-only' })
  const database = new Database(databasePath(home), { readonly: true })
  try {
    if (session === undefined) throw new Error('no session')
    const plain = database.query('select * from subagents where session_id = 1')
    return {
      tree: spread(await timeEach(ROUNDS, () => store.subagents.tree(session))),
      recover: spread(await timeEach(ROUNDS, () => store.runs.recover(session, 100))),
      // The least that any tree reads, with nothing made of it.
      rows: spread(await timeEach(ROUNDS, () => plain.values())),
    }
  } finally {
    database.close()
    await store.close()
  }
}

const STARTED_AT = 1_700_000_000_000

function fill(path: string, sessions: number): SessionId[] {
  const db = new Database(path)
  const random = new Random(7)
  const texts = Array.from({ length: 64 }, () => prose(random, 300))
  const run = (statement: string, ...values: (string | number | null)[]) => void db.query(statement).run(...values)
  try {
    db.run('pragma synchronous = off')
    db.run('pragma foreign_keys = off')
    db.run('begin')
    run(`insert into hosts (id, name, hostname, created_at, last_seen_at) values (1, 'bench', 'bench', 1, 1)`)
    const ids = Array.from({ length: sessions }, (_, n) => {
      const [key, id] = [n + 1, sessionId(random.uuid())]
      run(
        `insert into sessions (id, agent, native_id, host_id, started_at, last_event_at, event_count, subagent_count, created_at)
         values (?, 'claude-code', ?, 1, ?, ?, 0, ?, 1)`,
        key,
        id,
        STARTED_AT,
        STARTED_AT + SUBAGENTS,
        SUBAGENTS,
      )
      for (let i = 0; i < SUBAGENTS; i++) {
        const [node, call, at] = [n * SUBAGENTS + i + 1, `toolu_${n}_${i}`, STARTED_AT + i]
        // Each tenth was launched by the one before it.
        const launcher = i % 10 === 9 ? node - 1 : null
        const text = texts[i % texts.length] ?? ''
        run(
          `insert into tool_uses (session_id, tool_use_id, name, subagent_id, called_at, ended_at, is_error) values (?, ?, 'Agent', ?, ?, ?, 0)`,
          key,
          call,
          launcher,
          at,
          at + 1,
        )
        run(
          `insert into subagents (id, session_id, native_id, tool_use_id, link_rank, evidence, type, description, prompt, is_background,
             first_started_at, last_started_at, end_status, end_at, end_evidence, result, first_event_at, last_event_at, event_count)
           values (?, ?, ?, ?, 0, ?, 'general-purpose', 'Search the code', ?, ?, ?, ?, 'completed', ?, 'transcript:notification', ?, ?, ?, 18)`,
          node,
          key,
          random.hex(17),
          call,
          JSON.stringify([['meta', call]]),
          text,
          i % 2,
          at,
          at,
          at + 500,
          text,
          at,
          at + 500,
        )
        run(
          `insert into subagent_runs (subagent_id, number, session_id, trigger_kind, tool_use_id, started_at, ended_at, status, evidence,
             result, read_at, read_evidence, manifest_state)
           values (?, 1, ?, 'launch', ?, ?, ?, 'completed', 'transcript:notification', ?, ?, ?, 'old')`,
          node,
          key,
          call,
          at,
          at + 500,
          text,
          i % 4 < 2 ? at + 600 : null,
          i % 4 < 2 ? 'notice' : null,
        )
        run(
          `insert into usage_totals values (?, ?, 'claude-sonnet-4-5-20250929', 9, 100, 200, 3000, 400, 0, 0, 0)`,
          key,
          node,
        )
      }
      return id
    })
    db.run('commit')
    db.run('pragma wal_checkpoint(truncate)')
    return ids
  } finally {
    db.close()
  }
}
