import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PostgresServer, startPostgres } from '../../test/postgres'
import type { Figure } from '../common/figure'
import { prepareHome, Server } from '../common/lode'
import { processState, round } from '../common/measure'
import { makeTranscripts } from './data/make-transcripts'

const BYTES = 40e6
const FILES = 60
/** Lines that come one by one. */
const LINES = 300

/** What recording costs on each database: a folder at once, then lines one by one. */
export const databasesFigure: Figure = {
  name: 'databases',
  target: 'import on SQLite and on PostgreSQL ≥ 25 MB/s',
  async measure({ lode, folder, note }) {
    const claude = join(folder, 'claude')
    const made = makeTranscripts(claude, { bytes: BYTES, files: FILES })
    note(`${made.files} files, ${made.lines} lines, ${round(made.bytes / 1e6)} MB`)
    const values: Record<string, Awaited<ReturnType<typeof measureDatabase>>> = {}
    values.sqlite = await measureDatabase({ lode, home: prepareHome(join(folder, 's')), claude, bytes: made.bytes })
    note(`SQLite: ${JSON.stringify(values.sqlite)}`)
    const postgres = await startPostgres()
    try {
      values.postgres = await measureDatabase({
        ...{ lode, home: prepareHome(join(folder, 'p')), claude, bytes: made.bytes, postgres },
      })
      note(`PostgreSQL: ${JSON.stringify(values.postgres)}`)
    } finally {
      await postgres.stop()
    }
    const ok = Object.values(values).every(({ megabytesPerSecond }) => megabytesPerSecond >= 25)
    return { ok, values, limit: {} }
  },
}

interface Given {
  lode: string
  home: string
  claude: string
  bytes: number
  postgres?: PostgresServer
}

async function measureDatabase({ lode, home, claude, bytes, postgres }: Given) {
  const server = await Server.start(lode, home, 'serve', postgres && { LODELINE_DATABASE_URL: postgres.url })
  const databaseSeconds = () =>
    (postgres?.processes() ?? []).reduce((sum, pid) => sum + processState(pid).cpuSeconds, 0)
  const measure = async (work: () => Promise<unknown>) => {
    const before = [server.state().cpuSeconds, databaseSeconds()] as const
    const began = performance.now()
    await work()
    return {
      seconds: (performance.now() - began) / 1_000,
      serverSeconds: round(server.state().cpuSeconds - before[0]),
      databaseSeconds: round(databaseSeconds() - before[1]),
    }
  }
  try {
    const whole = await measure(() => server.post('/api/import', { paths: [claude] }))
    const file = join(home, 'lines', 'projects', '-home-user-lines', '1b4e28ba-2fa1-41d2-883f-0016d3cca427.jsonl')
    await Bun.write(file, '')
    const lines = await measure(async () => {
      for (let at = 0; at < LINES; at++) {
        appendFileSync(file, `${JSON.stringify(lineOf(at))}\n`)
        await server.post('/api/import', { paths: [join(home, 'lines')] })
      }
    })
    return {
      megabytesPerSecond: round(bytes / 1e6 / whole.seconds),
      import: whole,
      linesPerSecond: round(LINES / lines.seconds),
      msOfALine: round((lines.serverSeconds / LINES) * 1_000),
      databaseMsOfALine: round((lines.databaseSeconds / LINES) * 1_000),
    }
  } finally {
    await server.stop()
  }
}

/** A message of the model, as Claude Code writes it. */
const lineOf = (at: number) => ({
  type: 'assistant',
  uuid: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
  parentUuid: at === 0 ? null : `00000000-0000-4000-8000-${String(at - 1).padStart(12, '0')}`,
  sessionId: '1b4e28ba-2fa1-41d2-883f-0016d3cca427',
  cwd: '/home/user/lines',
  version: '2.1.0',
  timestamp: new Date(Date.UTC(2026, 0, 1) + at * 60_000).toISOString(),
  message: {
    id: `msg_${at}`,
    role: 'assistant',
    model: 'claude-opus-5-5',
    content: [{ type: 'text', text: `Line ${at} of many, of some words.` }],
    usage: { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 3_000, cache_creation_input_tokens: 40 },
  },
})
