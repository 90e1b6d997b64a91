import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench, Figure } from '../common/figure'
import { prepareHome, Server } from '../common/lode'
import { round } from '../common/measure'
import { Random } from '../common/random'
import { makeDatabase } from './data/make-database'

const BYTES = 2e9
/** Conversations only; the rest is the CLI's own list of what happened, which is looked at and not recorded. */
const TALK = { files: 40, bytes: 40e6 }
const WATCHED_MS = 20_000
/** How long a server may take over what is there. */
const PATIENCE_MS = 300_000
const MOST_PERCENT = 1

/** A database of opencode that nobody writes to, under a server that follows it. */
export const agentsIdleFigure: Figure = {
  name: 'agents-idle',
  target: `watching a database of opencode of 2 GB that rests costs < ${MOST_PERCENT} % of a core more than watching none`,
  async measure(bench) {
    const nothing = prepareHome(join(bench.folder, 'none'))
    const home = prepareHome(join(bench.folder, 'full'))
    const none = await watch(bench, nothing, 0)
    const bytes = fill(home)
    const full = await watch(bench, home, TALK.files)
    bench.note(`${round(bytes / 1e9)} GB: ${full.percent} % of a core; without a database ${none.percent} %`)
    return {
      ok: full.percent - none.percent < MOST_PERCENT,
      values: { gigabytes: round(bytes / 1e9), ...full },
      limit: { withoutDatabase: none },
    }
  },
}

function fill(home: string): number {
  const root = join(home, '.local/share/opencode')
  makeDatabase(root, new Random(5), TALK)
  const path = join(root, 'opencode.db')
  using db = new Database(path)
  db.run('pragma synchronous = off')
  const events = db.prepare(`
    insert into event with recursive n(x) as (select ? union all select x + 1 from n limit 10000)
      select 'evt_' || x, 'ses_other', x, 'message.part.updated', hex(randomblob(2000)) from n`)
  for (let seq = 1; statSync(path).size < BYTES; seq += 10_000) {
    events.run(seq)
    db.run('pragma wal_checkpoint(truncate)')
  }
  return statSync(path).size
}

/** @returns what the server costs once that many sessions are taken over */
async function watch(bench: Bench, home: string, wanted: number) {
  const server = await Server.start(bench.lode, home, 'up')
  try {
    const began = performance.now()
    for (let before = server.state().cpuSeconds; ; ) {
      await Bun.sleep(2_000)
      const { cpuSeconds } = server.state()
      const { sessions } = await server.get<{ sessions: { total: number } }>('/api/status')
      if (sessions.total === wanted && cpuSeconds - before < 0.2) break
      before = cpuSeconds
      if (performance.now() - began > PATIENCE_MS) throw new Error('the server does not come to rest')
    }
    const before = server.state().cpuSeconds
    await Bun.sleep(WATCHED_MS)
    const { cpuSeconds, ownMb } = server.state()
    return { percent: round(((cpuSeconds - before) / WATCHED_MS) * 100_000), ownMb }
  } finally {
    await server.stop()
  }
}
