import { Database } from 'bun:sqlite'
import { SQL } from 'bun'
import { stemOf, wordsOf } from '../../src/store/sql/words/search-words'
import type { Server } from '../common/lode'
import { round, timeEach } from '../common/measure'
import { QUESTIONS, type Question, type QuestionName } from './questions'

const WARM = 3
const ROUNDS = 24
/** Matches that a search looks at; the physical limit reads as many from the index and nothing else. */
const MATCHES = 2_001

/** How long a question took. */
export interface Asked {
  /** The quickest, which other work on the machine delays least. */
  leastMs: number
  p50Ms: number
  p95Ms: number
  /** Hits of the last answer. */
  hits: number
}

const names = Object.keys(QUESTIONS) as QuestionName[]

/** Asks a server each question again and again, one after another. */
export async function askServer(server: Server): Promise<Record<QuestionName, Asked>> {
  return askEach(async ({ path }, turn) => {
    const { hits } = await server.get<{ hits: unknown[] }>(path(turn))
    return hits.length
  })
}

/** The full-text index of SQLite by itself: the keys of the newest matches. Questions that no index answers are left out. */
export async function askIndex(path: string): Promise<Record<QuestionName, Asked | null>> {
  const db = new Database(path, { readonly: true })
  try {
    const newest = db.query(
      `select rowid from event_text where event_text match ? order by rowid desc limit ${MATCHES}`,
    )
    return withoutNone(await askEach(async ({ raw }, turn) => newest.all(raw(turn) ?? NOTHING).length))
  } finally {
    db.close()
  }
}

/** The same of PostgreSQL. */
export async function askPostgresIndex(url: string): Promise<Record<QuestionName, Asked | null>> {
  const sql = new SQL(url, { max: 1 })
  try {
    return withoutNone(
      await askEach(async ({ raw }, turn) => {
        const rows =
          await sql`select event_id from event_text where words @@ to_tsquery('simple', ${asTsquery(raw(turn) ?? NOTHING)})
          order by event_id desc limit ${MATCHES}`
        return rows.length
      }),
    )
  } finally {
    await sql.end()
  }
}

/** A word that stands nowhere. */
const NOTHING = '"wawser"'

const withoutNone = (asked: Record<QuestionName, Asked>) =>
  Object.fromEntries(names.map((name) => [name, QUESTIONS[name].raw(0) === null ? null : asked[name]])) as Record<
    QuestionName,
    Asked | null
  >

/** What FTS5 reads, as PostgreSQL reads it. */
const asTsquery = (raw: string): string =>
  Array.from(raw.matchAll(/"([^"]+)"(\*?)/g), ([, words = '', star]) => {
    const stems = wordsOf(words).map((word) => `'${stemOf(word)}'`)
    return `(${stems.join(' <-> ')}${star === '*' ? ':*' : ''})`
  }).join(' & ')

async function askEach(
  ask: (question: Question, turn: number) => Promise<number>,
): Promise<Record<QuestionName, Asked>> {
  const asked: Partial<Record<QuestionName, Asked>> = {}
  for (const name of names) {
    let hits = 0
    const once = async (turn: number) => {
      hits = await ask(QUESTIONS[name], turn)
    }
    for (let turn = 0; turn < WARM; turn++) await once(turn)
    const times = Float64Array.from(await timeEach(ROUNDS, once)).sort()
    const at = (share: number) => round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0)
    asked[name] = { leastMs: at(0), p50Ms: at(0.5), p95Ms: at(0.95), hits }
  }
  return asked as Record<QuestionName, Asked>
}
