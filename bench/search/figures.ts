import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { databasePath } from '../../src/app/threads/database'
import { startPostgres } from '../../test/postgres'
import type { Bench, Figure } from '../common/figure'
import { prepareHome, Server } from '../common/lode'
import { fillPostgres } from './fill-postgres'
import { fillSqlite } from './fill-sqlite'
import { type Asked, askIndex, askPostgresIndex, askServer } from './measure'
import type { QuestionName } from './questions'
import { SearchRows, type SearchSize } from './rows'

const SIZE: SearchSize = { sessions: 2_000, events: 1_000_000, projects: 40 }
/** Milliseconds that the median of each question may take, over HTTP. */
const P50_MS = 30

type Answers = Record<QuestionName, Asked>

const target = (database: string) =>
  `at ${SIZE.events} events on ${database}: each search p50 < ${P50_MS} ms over HTTP, with its counts and snippets`

/** SQLite, with what its index takes by itself. */
export const searchSqliteFigure: Figure = {
  name: 'sqlite',
  target: target('SQLite'),
  async measure(bench) {
    const home = prepareHome(join(bench.kept ?? bench.folder, 's'))
    const done = join(home, 'filled')
    if (!existsSync(done)) await fillSqlite(home, new SearchRows(SIZE))
    writeFileSync(done, '')
    bench.note('filled')
    const measured = await askPrograms(bench, home)
    return { ...result(measured), limit: { indexAlone: await askIndex(databasePath(home)) } }
  },
}

/** PostgreSQL, which is filled anew each time. */
export const searchPostgresFigure: Figure = {
  name: 'postgres',
  target: target('PostgreSQL'),
  async measure(bench) {
    const postgres = await startPostgres({ fsync: false })
    try {
      const home = prepareHome(join(bench.folder, 'p'))
      await fillPostgres(home, postgres.url, new SearchRows(SIZE))
      bench.note('filled')
      const measured = await askPrograms(bench, home, { LODELINE_DATABASE_URL: postgres.url })
      return { ...result(measured), limit: { indexAlone: await askPostgresIndex(postgres.url) } }
    } finally {
      await postgres.stop()
    }
  },
}

function result(values: { before: Answers | null; now: Answers }) {
  const missed = Object.entries(values.now).flatMap(([name, { p50Ms }]) => (p50Ms < P50_MS ? [] : [name]))
  return { ok: missed.length === 0, values: { ...SIZE, limitMs: P50_MS, missed, ...values } }
}

/** The former program, if there is one, and then this one, on the same rows. */
async function askPrograms({ lode, before, note }: Bench, home: string, more: Record<string, string> = {}) {
  const ask = async (program: string): Promise<Answers> => {
    const server = await Server.start(program, home, 'serve', more)
    try {
      return await askServer(server)
    } finally {
      await server.stop()
    }
  }
  const answers = { before: before === undefined ? null : await ask(before), now: await ask(lode) }
  for (const [name, { p50Ms, p95Ms }] of Object.entries(answers.now)) note(`${name}: p50 ${p50Ms} ms, p95 ${p95Ms} ms`)
  return answers
}
