import { join } from 'node:path'
import { databasePath, openDatabase } from '../../src/app/threads/database'
import type { StoredSession } from '../../src/domain/session/session-store'
import { findStart, readPage } from '../../src/engine/conversation/read-conversation'
import { readTimeline } from '../../src/engine/conversation/read-timeline'
import type { Figure } from '../common/figure'
import { prepareHome } from '../common/lode'
import { type Spread, spread, timeEach } from '../common/measure'
import { fillReading } from './data/fill-reading'

const EVENTS = 100_000
const SUBAGENTS = 5_000
const TURNS = 20
const LANES = 40
const ROUNDS = 30

/** Milliseconds that the median of each may take, in process. */
const LIMITS_MS = { firstPage: 30, lastPage: 30, flatPage: 30, timeline: 150, oneTurn: 30 } as const
type Question = keyof typeof LIMITS_MS

/** What reading a long conversation costs: of one agent, and of 5,000. */
export const readingFigure: Figure = {
  name: 'reading',
  target:
    'a session of 100,000 events, alone or with 5,000 sub-agents: a page of 20 turns of its conversation < 30 ms, its timeline < 150 ms, in process',
  async measure({ folder, note }) {
    const home = prepareHome(join(folder, 'h'))
    await (await openDatabase({ home, databaseUrl: null }, { mode: 'read-write', migrate: true })).close()
    const ids = fillReading(databasePath(home), { events: EVENTS, subagents: SUBAGENTS })
    note(`${2 * EVENTS} events`)
    const store = await openDatabase({ home, databaseUrl: null }, { mode: 'read-only' })
    try {
      const measured: Record<string, Record<Question, Spread>> = {}
      for (const [name, id] of Object.entries(ids)) {
        const session = await store.sessions.find(id)
        if (session === undefined) throw new Error(`There is no session ${id}.`)
        measured[name] = await measureSession(store.conversations, session)
      }
      const questions = Object.keys(LIMITS_MS) as Question[]
      const ok = Object.values(measured).every((one) => questions.every((each) => one[each].p50Ms < LIMITS_MS[each]))
      // As many rows as a page has, with nothing made of them.
      const rows = () => store.events.list({ sessionId: ids.alone }, { limit: 1_000 })
      return {
        ok,
        values: { limitsMs: LIMITS_MS, ...measured },
        limit: { thousandEvents: spread(await timeEach(ROUNDS, rows)) },
      }
    } finally {
      await store.close()
    }
  },
}

async function measureSession(
  reads: Parameters<typeof readPage>[0],
  session: StoredSession,
): Promise<Record<Question, Spread>> {
  const options = { agent: null, isFlat: false, from: undefined, limit: TURNS, depth: 0 }
  const pageFrom = async (start: Parameters<typeof findStart>[3]) =>
    readPage(reads, session, { ...options, from: (await findStart(reads, session, null, start, TURNS)) ?? undefined })
  const turns = await reads.countTurns(session.key, null)
  const asked: Record<Question, () => Promise<unknown>> = {
    firstPage: () => readPage(reads, session, options),
    lastPage: () => pageFrom({ kind: 'end' }),
    oneTurn: () => pageFrom({ kind: 'turn', number: Math.ceil(turns / 2) }),
    flatPage: () => readPage(reads, session, { ...options, isFlat: true }),
    timeline: () => readTimeline(reads, session, { limit: LANES, askingTools: new Set() }),
  }
  const spreads: Partial<Record<Question, Spread>> = {}
  for (const [question, ask] of Object.entries(asked)) {
    spreads[question as Question] = spread(await timeEach(ROUNDS, ask))
  }
  return spreads as Record<Question, Spread>
}
