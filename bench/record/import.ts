import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import type { Figure } from '../common/figure'
import { prepareHome, Server } from '../common/lode'
import { round, type Spread } from '../common/measure'
import { makeTranscripts } from './data/make-transcripts'
import type { RawImportDone } from './processes/raw-import-thread'
import { insertRaw, readEventRows } from './raw-events'

/** Threads with which the raw limit is measured: as many as the server records with. */
const THREADS = 2

/** A folder of transcripts through `POST /api/import` of a running server, while another process asks it things. */
export const importFigure: Figure = {
  name: 'import',
  target: 'import of 250 MB at ≥ 100 MB/s, server < 300 MB of memory, API p99 < 50 ms meanwhile',
  async measure({ lode, folder, note }) {
    const claude = join(folder, 'claude')
    const made = makeTranscripts(claude)
    note(`${made.files} files, ${made.lines} lines, ${round(made.bytes / 1e6)} MB`)
    const home = prepareHome(join(folder, 'h'))
    const server = await Server.start(lode, home)
    try {
      const idle = await askWhile(server, home, () => Bun.sleep(2_000))
      const before = server.state()
      let seconds = 0
      const busy = await askWhile(server, home, async () => {
        const startedAt = performance.now()
        const outcome = await server.post<{ events: number }>('/api/import', { paths: [claude] })
        seconds = (performance.now() - startedAt) / 1_000
        if (outcome.events !== made.events)
          throw new Error(`${outcome.events} events recorded of ${made.events} in the files`)
      })
      const after = server.state()
      const megabytesPerSecond = round(made.bytes / 1e6 / seconds)
      note(`${megabytesPerSecond} MB/s, ${after.peakMb} MB`)
      return {
        ok: megabytesPerSecond >= 100 && after.peakMb < 300 && busy.p99Ms < 50,
        values: {
          megabytesPerSecond,
          seconds: round(seconds),
          cpuSeconds: round(after.cpuSeconds - before.cpuSeconds),
          folder: made,
          memoryMb: {
            beforeImport: before.rssMb,
            peak: after.peakMb,
            peakWithoutExecutable: round(after.peakMb - (after.rssMb - after.ownMb)),
          },
          api: { during: busy, idle },
        },
        limit: await measureLimit({ claude, home, folder, bytes: made.bytes }),
      }
    } finally {
      await server.stop()
    }
  },
}

/** Runs `work` while a process of its own sends a request every few milliseconds. */
async function askWhile(server: Server, home: string, work: () => Promise<unknown>): Promise<Spread> {
  const client = Bun.spawn([process.execPath, join(import.meta.dir, 'processes/import-client.ts'), server.url, home], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const answer = client.stdout.text()
  try {
    await work()
  } finally {
    // The end of its input is the sign to stop and tell.
    await client.stdin.end()
    await client.exited
  }
  return JSON.parse(await answer) as Spread
}

/** The same bytes read, compressed and parsed without a database, and the same rows inserted without anything else. */
async function measureLimit(given: { claude: string; home: string; folder: string; bytes: number }) {
  const { claude, home, folder, bytes } = given
  const files = [...new Bun.Glob('**/*.jsonl').scanSync({ cwd: claude, absolute: true })].sort()
  const next = new SharedArrayBuffer(4)
  const startedAt = performance.now()
  const threads = await Promise.all(Array.from({ length: THREADS }, () => runThread({ files, next })))
  const bytesSeconds = (performance.now() - startedAt) / 1_000
  const compressed = threads.reduce((sum, done) => sum + done.compressed, 0)

  const source = new Database(join(home, 'lodeline.db'), { readonly: true })
  const rows = readEventRows(source)
  const target = join(folder, 'raw.db')
  const insertSeconds = insertRaw(target, source, rows, 512)
  source.close()
  return {
    threads: THREADS,
    readCompressParse: {
      megabytesPerSecond: round(bytes / 1e6 / bytesSeconds),
      compressedTo: round(compressed / bytes),
    },
    insertEventRows: {
      rowsPerSecond: round(rows.length / insertSeconds),
      megabytesPerSecond: round(bytes / 1e6 / insertSeconds),
    },
    bothOneAfterAnother: { megabytesPerSecond: round(bytes / 1e6 / (bytesSeconds + insertSeconds)) },
  }
}

function runThread(start: { files: string[]; next: SharedArrayBuffer }): Promise<RawImportDone> {
  const worker = new Worker(new URL('./processes/raw-import-thread.ts', import.meta.url))
  return new Promise<RawImportDone>((resolve, reject) => {
    worker.onmessage = (event: MessageEvent) => resolve(event.data as RawImportDone)
    worker.onerror = (event: ErrorEvent) => reject(new Error(event.message))
    worker.postMessage(start)
  }).finally(() => worker.terminate())
}
