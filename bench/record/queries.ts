import { join } from 'node:path'
import { createApp } from '../../src/api/server/app'
import { hostIdentity } from '../../src/app/files/home'
import { createIssueFiles } from '../../src/app/issue-files/issue-files'
import { trackerSettings } from '../../src/app/issue-files/tracker-services'
import { createServices } from '../../src/app/services'
import { databasePath, openDatabase } from '../../src/app/threads/database'
import { createRecordEngine } from '../../src/app/threads/record-engine'
import { createWriteServices } from '../../src/app/write-services'
import { loadConfig } from '../../src/config/load'
import { silentLogger } from '../../src/util/log'
import type { Figure } from '../common/figure'
import { prepareHome, Server } from '../common/lode'
import { round, type Spread, spread, timeEach } from '../common/measure'
import { type Filled, fillRecord } from './data/fill'

const EVENTS = 1_000_000
const ROUNDS = 200

/** Milliseconds that the median of each may take, asked in the server. */
const LIMITS_MS = {
  children: 1,
  firstEvents: 3,
  tree: 10,
  searchCommon: 20,
  searchRare: 20,
  searchSeveral: 20,
} as const

type Question = keyof typeof LIMITS_MS
/** The path of the nth request. */
type Paths = Record<Question, (turn: number) => string>

/** What a person and an agent ask of a big record: through HTTP on loopback, and of the handlers without it. */
export const queriesFigure: Figure = {
  name: 'queries',
  target:
    'at 1 million events: children of a parent_tool_use_id p50 < 1 ms, first 200 events of a session < 3 ms, tree of 1,000 sub-agents < 10 ms, search < 20 ms; a foreign write lock of 2 s delays no read and no other request',
  async measure({ lode, folder, note }) {
    const home = prepareHome(join(folder, 'h'))
    const filled = await fillRecord(home, { sessions: 1_000, events: EVENTS, treeSize: 1_000 })
    note(`${EVENTS} events`)
    const paths = pathsOf(filled)
    const server = await Server.start(lode, home)
    try {
      const overHttp = await askAll(paths, async (path) => {
        const response = await fetch(`${server.url}${path}`, { headers: server.headers })
        if (!response.ok) throw new Error(`${path}: ${response.status}`)
        await response.arrayBuffer()
      })
      const inHandler = await askHandlers(home, paths)
      const locked = await askWhileLocked(server, home, paths)
      const questions = Object.keys(LIMITS_MS) as Question[]
      const isFast = questions.every((question) => overHttp[question].p50Ms < LIMITS_MS[question])
      // What a lock held for 2 s would show as; anything near it was waiting.
      const isFree = Math.max(locked.reads.maxMs, locked.others.maxMs) < 500
      return {
        ok: isFast && isFree,
        values: {
          limitsMs: LIMITS_MS,
          overHttp,
          inHandler,
          whileLocked: locked,
          serverMemoryMb: server.state().peakMb,
        },
        limit: { emptyRequest: spread(await timeEach(ROUNDS, () => server.get('/api/health'))) },
      }
    } finally {
      await server.stop()
    }
  },
}

function pathsOf({ launches, sessionIds, treeSession, rareWord, commonWords }: Filled): Paths {
  const nth = <T>(from: readonly T[], turn: number): T => from[(turn * 7_919) % from.length] as T
  return {
    children: (turn) => {
      const { sessionId, toolUseId } = nth(launches, turn)
      return `/api/sessions/${sessionId}/events?parentToolUseId=${toolUseId}`
    },
    firstEvents: (turn) => `/api/sessions/${nth(sessionIds, turn)}/events?limit=200`,
    tree: () => `/api/sessions/${treeSession}/tree`,
    searchCommon: (turn) => `/api/search?q=${nth(commonWords, turn)}`,
    searchRare: () => `/api/search?q=${rareWord}`,
    searchSeveral: (turn) => `/api/search?q=${nth(commonWords, turn)}+${nth(commonWords, turn + 1)}+${rareWord}`,
  }
}

async function askAll(paths: Paths, ask: (path: string) => Promise<void>): Promise<Record<Question, Spread>> {
  const spreads: Partial<Record<Question, Spread>> = {}
  for (const question of Object.keys(paths) as Question[]) {
    for (let turn = 0; turn < 20; turn++) await ask(paths[question](turn))
    spreads[question] = spread(await timeEach(ROUNDS, (turn) => ask(paths[question](turn))))
  }
  return spreads as Record<Question, Spread>
}

/** The same requests given to the handlers in this process. */
async function askHandlers(home: string, paths: Paths): Promise<Record<Question, Spread>> {
  const config = loadConfig({ cwd: home, env: { HOME: home, LODELINE_HOME: home }, flags: {} })
  const store = await openDatabase(config, { mode: 'read-only' })
  try {
    const host = hostIdentity(home)
    const engine = createRecordEngine(store, host)
    const issueFiles = createIssueFiles({ hostName: host.name, home, bd: [] })
    const writes = createWriteServices({
      store,
      issueFiles,
      followedRoots: { hostName: host.name, roots: [] },
      trackers: trackerSettings(config),
      hasFolder: true,
      spawnLimits: config.tasks,
      lease: { ms: config.tasks.leaseMs, serverInstance: null },
    })
    const services = createServices({
      config,
      store,
      engine: async () => engine,
      writes: async (noun) => writes[noun],
      issueFiles,
      collector: null,
      host,
      followedRoots: [],
    })
    const app = createApp({
      store,
      services,
      access: { kind: 'in_process' },
      version: '0',
      runtime: 'bench',
      log: silentLogger,
    })
    return await askAll(paths, async (path) => {
      const response = await app.fetch(new Request(`http://localhost${path}`))
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      await response.arrayBuffer()
    })
  } finally {
    await store.close()
  }
}

/** How long reads, and requests that read nothing or append a hook, take while another process holds the write lock for 2 s. */
async function askWhileLocked(server: Server, home: string, paths: Paths) {
  const holder = Bun.spawn(
    [process.execPath, join(import.meta.dir, 'processes/lock-holder.ts'), databasePath(home), '2000'],
    {
      stdout: 'pipe',
      stderr: 'inherit',
    },
  )
  const reader = holder.stdout.getReader()
  await reader.read()
  const heldAt = performance.now()
  const times = { reads: [] as number[], others: [] as number[] }
  const payload = { hook_event_name: 'Notification', session_id: crypto.randomUUID(), message: 'waits' }
  // It is recorded before it is answered, so it waits as every write does.
  const hook = timeEach(1, () => server.post('/hooks/claude-code', payload))
  for (let turn = 0; performance.now() - heldAt < 1_900; turn++) {
    const question = (Object.keys(paths) as Question[])[turn % 6] as Question
    times.reads.push(...(await timeEach(1, () => server.get(paths[question](turn)))))
    times.others.push(...(await timeEach(1, () => server.get('/api/health'))))
  }
  await holder.exited
  const [hookMs = 0] = await hook
  return {
    heldMs: round(performance.now() - heldAt),
    reads: spread(times.reads),
    others: spread(times.others),
    hookMs: round(hookMs),
  }
}
