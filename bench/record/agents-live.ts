import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OpencodeRows, rowsOf } from '../../test/harness/opencode/database'
import type { Bench, Figure } from '../common/figure'
import { prepareHome, Server } from '../common/lode'
import { spread } from '../common/measure'
import { Random } from '../common/random'
import { FeedClient } from './processes/feed-client'

const FIXTURES = join(import.meta.dir, '../../test/fixtures')
/** Sessions of each agent CLI that grow, by turns. */
const COPIES = 2
/** Lines that tell nothing new add nothing to the feed. */
const QUIET_MS = 400

/** Folders of recorded sessions, and where the CLI keeps them below HOME. */
const FILES = {
  codex: { fixture: 'codex/0.169.0/plan', home: '.codex' },
  copilot: { fixture: 'copilot/1.0.102/plan', home: '.copilot' },
  pi: { fixture: 'pi/0.87.1/tools', home: '.pi/agent' },
  gemini: { fixture: 'gemini/0.61.0/subagent', home: '.gemini' },
  qwen: { fixture: 'qwen/0.24.4/plan', home: '.qwen' },
} as const
const OPENCODE_HOME = '.local/share/opencode'

/** Writes the next piece of a session; gives `performance.now()` after it, `null` = it is whole. */
type Grow = () => number | null

/** What the CLIs write, a line or row at a time, under a server that follows them all. */
export const agentsLiveFigure: Figure = {
  name: 'agents-live',
  target: "growth of each agent CLI's files and rows to the feed: p50 < 50 ms",
  async measure(bench) {
    const values: Record<string, ReturnType<typeof spread> & { quiet: number }> = {}
    for (const [name, { fixture, home }] of Object.entries(FILES))
      values[name] = await timesOf(bench, name, (root) => growFiles(join(FIXTURES, fixture), join(root, home)))
    values.opencode = await timesOf(bench, 'opencode', growRows)
    for (const [name, { p50Ms }] of Object.entries(values)) bench.note(`${name}: p50 ${p50Ms} ms`)
    return { ok: Object.values(values).every(({ p50Ms }) => p50Ms < 50), values, limit: {} }
  },
}

async function timesOf(bench: Bench, name: string, prepare: (root: string) => Grow) {
  const root = join(bench.folder, name)
  const grow = prepare(prepareHome(root))
  const server = await Server.start(bench.lode, root, 'up')
  const times: number[] = []
  let quiet = 0
  try {
    let hear: (at: number) => void = () => {}
    const client = await FeedClient.open(server, (_, at) => hear(at))
    // The first look at the folders is no growth.
    await Bun.sleep(1_000)
    for (;;) {
      const heard = new Promise<number>((resolve) => {
        hear = resolve
      })
      const writtenAt = grow()
      if (writtenAt === null) break
      const at = await Promise.race([heard, Bun.sleep(QUIET_MS)])
      if (at === undefined) quiet++
      else times.push(at - writtenAt)
      // What one line brings comes in a few entries.
      await Bun.sleep(50)
    }
    client.close()
  } finally {
    await server.stop()
  }
  return { ...spread(times), quiet }
}

/** Copies of recorded files under ids of their own: all grow, a line of each in turn. */
function growFiles(fixture: string, home: string): Grow {
  const random = new Random(7)
  const paths = readdirSync(fixture, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.jsonl'))
  const files = Array.from({ length: COPIES }, () => {
    const ids = new Map<string, string>()
    const own = (text: string): string =>
      text.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => given(id, ids))
    const given = (id: string, known: Map<string, string>): string => {
      const now = known.get(id) ?? random.uuid()
      known.set(id, now)
      return now
    }
    return paths.map((path) => {
      const lines = own(readFileSync(join(fixture, path), 'utf8'))
        .trimEnd()
        .split('\n')
      // A name may hold the beginning of an id alone.
      const place = join(home, own(path)).replace(/-([0-9a-f]{8})\.jsonl$/, (whole, start: string) => {
        const id = [...ids].find(([before]) => before.startsWith(start))?.[1]
        return id === undefined ? whole : `-${id.slice(0, 8)}.jsonl`
      })
      mkdirSync(dirname(place), { recursive: true })
      writeFileSync(place, `${lines.slice(0, 2).join('\n')}\n`)
      return { place, lines: lines.slice(2) }
    })
  }).flat()
  let turn = 0
  return () => {
    for (let tries = 0; tries < files.length; tries++) {
      const file = files[turn++ % files.length]
      const line = file?.lines.shift()
      if (file === undefined || line === undefined) continue
      appendFileSync(file.place, `${line}\n`)
      return performance.now()
    }
    return null
  }
}

/** Rows of a recorded database, added one at a time as the CLI does. */
function growRows(root: string): Grow {
  const database = new OpencodeRows(join(root, OPENCODE_HOME))
  const rows = rowsOf('plan', 'sub', 'compact', 'hello')
  return () => {
    const row = rows.shift()
    if (row === undefined) return null
    database.add([row])
    return performance.now()
  }
}
