import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PostgresServer, startPostgres } from '../../test/postgres'
import type { Bench, Figure } from '../common/figure'
import { prepareHome, Server } from '../common/lode'
import { processState } from '../common/measure'
import { copyToPostgres } from './copy-postgres'
import { type FilledPages, fillPages, SIZE } from './fill'
import { measurePage, type PageCost } from './measure'
import { requestsOf } from './requests'

const ROUNDS = 5
const CPU_MS = 150
const OWN_MB = 250

const target = (database: string) =>
  `at ${SIZE.sessions} sessions, ${SIZE.events} events and ${SIZE.tasks} tasks on ${database}: all requests of a page < ${CPU_MS} ms of the server's processor time, its own memory < ${OWN_MB} MB`

/** What each page of the dashboard asks of a server with a large record. */
export const pagesFigure: Figure = {
  name: 'pages',
  target: target('SQLite'),
  async measure(bench) {
    const { home, filled } = await fill(bench)
    return await measurePages(bench, home, filled)
  },
}

/** The same rows in PostgreSQL, whose processor time is given beside the server's. */
export const pagesPostgresFigure: Figure = {
  name: 'pages-postgres',
  target: target('PostgreSQL'),
  async measure(bench) {
    const { home, filled } = await fill(bench)
    const postgres = await startPostgres({ fsync: false })
    try {
      await copyToPostgres(home, postgres.url)
      bench.note('copied')
      return await measurePages(bench, home, filled, postgres)
    } finally {
      await postgres.stop()
    }
  },
}

async function fill({ lode, folder, kept, note }: Bench): Promise<{ home: string; filled: FilledPages }> {
  const home = prepareHome(join(kept ?? folder, 'h'))
  const facts = join(home, 'filled.json')
  const filled = existsSync(facts)
    ? (JSON.parse(readFileSync(facts, 'utf8')) as FilledPages)
    : await fillPages(lode, home, SIZE)
  writeFileSync(facts, JSON.stringify(filled))
  note('filled')
  return { home, filled }
}

async function measurePages({ lode, note }: Bench, home: string, filled: FilledPages, postgres?: PostgresServer) {
  const more: Record<string, string> = postgres === undefined ? {} : { LODELINE_DATABASE_URL: postgres.url }
  const databaseSeconds = postgres && (() => secondsOf(postgres.processes()))
  const server = await Server.start(lode, home, 'serve', more)
  try {
    const pages: Record<string, PageCost> = {}
    for (const [name, paths] of Object.entries(await requestsOf(server, filled))) {
      const cost = await measurePage(server, paths, ROUNDS, databaseSeconds)
      pages[name] = cost
      const { cpuMs, databaseMs, p50Ms, ownMb } = cost
      note(`${name}: ${cpuMs} ms${databaseMs === null ? '' : ` and ${databaseMs} ms`}, ${ownMb} MB; p50 ${p50Ms} ms`)
    }
    const late = Object.entries(pages).filter(([, { cpuMs, ownMb }]) => cpuMs >= CPU_MS || ownMb >= OWN_MB)
    return {
      ok: late.length === 0,
      values: { ...SIZE, pages, missed: late.map(([name]) => name) },
      limit: { cpuMs: CPU_MS, ownMb: OWN_MB },
    }
  } finally {
    await server.stop()
  }
}

/** One that ended meanwhile counts no more: the least that was used. */
function secondsOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    try {
      return sum + processState(pid).cpuSeconds
    } catch {
      return sum
    }
  }, 0)
}
