import { Database } from 'bun:sqlite'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { databasePath, openDatabase } from '../../src/app/threads/database'
import type { Figure } from '../common/figure'
import { prepareHome } from '../common/lode'
import { round } from '../common/measure'
import { fillRecord } from './data/fill'
import { type RecordedUnit, unitsOf, writeUnits } from './data/recorded-units'
import { createRaw, type EventValues, rawInserter, readEventRows } from './raw-events'

/** Events of one transaction: a burst of a live session, and a block of an import. */
const TRANSACTIONS = [64, 512]
/** Events that a full database holds already. */
const FULL_EVENTS = 5_000_000
/** Each side writes this many events in all, in turns. */
const EVENTS = 60_000
const ROUNDS = 6
const WRITERS = 8

/** Units of work with the rows of real lines, through the store and alone through bun:sqlite. */
export const durableFigure: Figure = {
  name: 'durable',
  target:
    'recorded events a second ≥ 40 % of raw bun:sqlite with the same event rows, indexes and transaction size, at an empty and at a 5-million-event database; 8 writers, none lost',
  async measure({ folder, note }) {
    const empty = await compare({ folder: join(folder, 'empty'), events: 0 })
    note(`empty: ${summary(empty)}`)
    const full = await compare({ folder: join(folder, 'full'), events: FULL_EVENTS })
    note(`${FULL_EVENTS} events: ${summary(full)}`)
    const writers = await writeFromMany(join(folder, 'many'))
    note(`${WRITERS} writers: ${writers.stored} of ${writers.written} events`)
    const isEnough = [...empty, ...full].every((one) => one.share >= 0.4)
    return {
      ok: isEnough && writers.lost === 0,
      values: { empty, full, writers },
      // The raw limit stands beside each figure, since the two are measured by turns.
      limit: {},
    }
  },
}

/** The two sides at one size of transaction. */
interface Comparison {
  perTransaction: number
  rawPerSecond: number
  /** Rows, full text, tool uses, usage, sub-agents, to-dos, session and feed, from parsed lines to the acknowledgement. */
  recordedPerSecond: number
  /** `recordedPerSecond` / `rawPerSecond`, the median of all rounds. */
  share: number
  /** The rows of events alone through the store, as the raw side writes them: what the store itself costs. */
  eventRowsPerSecond: number
  eventRowsShare: number
}

const summary = (all: Comparison[]): string =>
  all.map((one) => `${one.recordedPerSecond}/s of ${one.rawPerSecond}/s (${one.share})`).join(', ')

async function compare(given: { folder: string; events: number }): Promise<Comparison[]> {
  const home = prepareHome(given.folder)
  if (given.events > 0) await fillRecord(home, { sessions: given.events / 500, events: given.events })
  const rows = await exampleRows(join(given.folder, 'example'))
  const results: Comparison[] = []
  for (const perTransaction of TRANSACTIONS) {
    const rawPath = join(given.folder, `raw-${perTransaction}.db`)
    const raw = given.events > 0 ? copied(databasePath(home), rawPath) : await created(home, rawPath)
    results.push(await compareOne({ home, raw, rows, perTransaction }))
    raw.close()
  }
  return results
}

/** The rows that the recorder makes of the units that are written: what the raw side inserts. */
async function exampleRows(home: string): Promise<EventValues[]> {
  prepareHome(home)
  const store = await openDatabase({ home, databaseUrl: null }, { mode: 'read-write', migrate: true })
  await writeUnits(store, unitsOf({ events: EVENTS, perUnit: 512, seed: 5 }))
  await store.close()
  const db = new Database(databasePath(home))
  try {
    return readEventRows(db)
  } finally {
    db.close()
  }
}

async function created(home: string, path: string): Promise<Database> {
  await (await openDatabase({ home, databaseUrl: null }, { mode: 'read-write', migrate: true })).close()
  const source = new Database(databasePath(home))
  try {
    return createRaw(path, source)
  } finally {
    source.close()
  }
}

function copied(from: string, to: string): Database {
  copyFileSync(from, to)
  const db = new Database(to)
  db.run('pragma synchronous = full')
  db.run('pragma cache_size = -16384')
  return db
}

async function compareOne(given: { home: string; raw: Database; rows: EventValues[]; perTransaction: number }) {
  const { home, raw, rows, perTransaction } = given
  const store = await openDatabase({ home, databaseUrl: null }, { mode: 'read-write' })
  const insert = rawInserter(raw)
  const perRound = EVENTS / ROUNDS
  const rounds: { raw: number; recorded: number; rows: number }[] = []
  // The raw rows keep their shape and get sessions of their own, beyond those of the record.
  const shifted = rows.map((row) => [Number(row[0]) + 1e6 * perTransaction, ...row.slice(1)])
  for (let round = 0; round < ROUNDS; round++) {
    const units = unitsOf({ events: perRound, perUnit: perTransaction, seed: 100 * perTransaction + round })
    const recordedMs = await timed(() => writeUnits(store, units))
    const others = unitsOf({ events: perRound, perUnit: perTransaction, seed: 100 * perTransaction + 50 + round })
    const rowsMs = await timed(() => writeUnits(store, others, 'events'))
    const own = shifted.slice(round * perRound, (round + 1) * perRound)
    const rawMs = await timed(() => {
      for (let at = 0; at < own.length; at += perTransaction) insert(own.slice(at, at + perTransaction))
    })
    rounds.push({
      raw: (own.length / rawMs) * 1_000,
      recorded: (countEvents(units) / recordedMs) * 1_000,
      rows: (countEvents(others) / rowsMs) * 1_000,
    })
  }
  await store.close()
  return {
    perTransaction,
    rawPerSecond: round(median(rounds.map((one) => one.raw))),
    recordedPerSecond: round(median(rounds.map((one) => one.recorded))),
    share: round(median(rounds.map((one) => one.recorded / one.raw))),
    eventRowsPerSecond: round(median(rounds.map((one) => one.rows))),
    eventRowsShare: round(median(rounds.map((one) => one.rows / one.raw))),
  }
}

const countEvents = (units: RecordedUnit[]): number => units.reduce((sum, unit) => sum + unit.events, 0)

async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0

/** Processes that all write to one database at once. */
async function writeFromMany(folder: string) {
  mkdirSync(folder)
  const home = prepareHome(join(folder, 'h'))
  await (await openDatabase({ home, databaseUrl: null }, { mode: 'read-write', migrate: true })).close()
  const startedAt = performance.now()
  const writers = Array.from({ length: WRITERS }, (_, index) =>
    Bun.spawn([process.execPath, join(import.meta.dir, 'processes/durable-writer.ts'), home, String(index + 1)], {
      stdout: 'pipe',
      stderr: 'inherit',
    }),
  )
  const said = await Promise.all(writers.map((writer) => writer.stdout.text()))
  const seconds = (performance.now() - startedAt) / 1_000
  const told = said.map((text) => JSON.parse(text) as { acknowledged: number; refused: number })
  const written = told.reduce((sum, one) => sum + one.acknowledged, 0)
  const refused = told.reduce((sum, one) => sum + one.refused, 0)
  const db = new Database(databasePath(home), { readonly: true })
  const stored = db.query<{ count: number }, []>('select count(*) as count from conversation_events').get()?.count ?? 0
  db.close()
  // With the start of each process and the making of its units.
  return {
    writers: WRITERS,
    written,
    stored,
    lost: written - stored,
    waitedTooLong: refused,
    perSecond: round(written / seconds),
  }
}
