import type { ResponseOf } from '../../../src/api/contract/responses'
import type { EventId, ToolUseId } from '../../../src/domain/ids'

export type RowPage = ResponseOf<'sessions.rows'>
export type Row = RowPage['rows'][number]
export type Mark = RowPage['marks'][number]

/** Rows of one agent as far as they are here, from pages that may overlap. */
export interface RowBook {
  /** Rows that the agent has. */
  total: number
  rows: ReadonlyMap<number, Row>
  /** By the row that they stand before. */
  marks: ReadonlyMap<number, readonly Mark[]>
  /** Rows that are shown as one line: by the first one's number how many they are, itself included. */
  runs: ReadonlyMap<number, number>
  /** The first row of the run that a row is in; rows in no run are not there. */
  headOf: ReadonlyMap<number, number>
  /** Answers that stand right behind their call. */
  joined: ReadonlySet<number>
  /** The line that answers a call, where it is here. */
  answers: ReadonlyMap<ToolUseId, EventId>
  /** The line of a call, where it is here. */
  calls: ReadonlyMap<ToolUseId, Row>
}

/** What the CLI adds beside the conversation: several in a row are one line. */
const QUIET: ReadonlySet<Row['kind']> = new Set(['attachment', 'system'])
export const isQuiet = (row: Row): boolean => QUIET.has(row.kind)

/** @param pages  where two have a row, the later page's counts */
export function bookOf(pages: readonly RowPage[], total: number): RowBook {
  const found = new Map<number, Row>()
  const marks = new Map<number, Mark[]>()
  for (const page of pages) {
    for (const row of page.rows) if (row.number < total) found.set(row.number, row)
    const own = Map.groupBy(page.marks, ({ before }) => before)
    for (const [before, some] of own) marks.set(before, some)
  }
  const rows = new Map([...found].sort(([a], [b]) => a - b))
  const answers = new Map<ToolUseId, EventId>()
  const calls = new Map<ToolUseId, Row>()
  for (const row of rows.values()) {
    if (row.call === null) continue
    if (row.kind === 'answer') answers.set(row.call.id, row.event.id)
    else calls.set(row.call.id, row)
  }
  return { total, rows, marks, ...runsOf(rows, marks), joined: joinedAnswers(rows), answers, calls }
}

function runsOf(rows: ReadonlyMap<number, Row>, marks: ReadonlyMap<number, readonly Mark[]>) {
  const runs = new Map<number, number>()
  const headOf = new Map<number, number>()
  let head = -1
  let last = -2
  for (const [number, row] of rows) {
    if (!isQuiet(row)) continue
    if (last !== number - 1 || marks.has(number)) head = number
    last = number
    runs.set(head, (runs.get(head) ?? 0) + 1)
    headOf.set(number, head)
  }
  return { runs, headOf }
}

function joinedAnswers(rows: ReadonlyMap<number, Row>): Set<number> {
  const joined = new Set<number>()
  let call: Row['call'] = null
  for (const [number, row] of rows) {
    if (isQuiet(row)) continue
    if (row.kind === 'answer' && call !== null && row.call?.id === call.id) joined.add(number)
    call = row.kind === 'tool' ? row.call : null
  }
  return joined
}

/** Whether a row that is here is shown at all: of a run only its first is, unless the run was opened. */
export function isShown(book: RowBook, number: number, isOpen: (id: string) => boolean): boolean {
  const head = book.headOf.get(number)
  if (head === undefined || head === number) return true
  const first = book.rows.get(head)
  return first !== undefined && isOpen(runId(first))
}

/** By which it is remembered that a run was opened. */
export const runId = (head: Row): string => `run ${head.event.id}`

/** By which it is remembered that a row was opened: a call and its answer are opened together. */
export const openId = ({ call, event }: Row): string => (call === null ? event.id : `call ${call.id}`)

/** Lines of a text that are shown before it is opened. */
export const SHOWN_LINES = 12
/** Lines of an answer. */
export const ANSWER_LINES = 3
const LINE_CHARACTERS = 110

/** About how high a row will be, in pixels. */
export function guessHeight(row: Row): number {
  switch (row.kind) {
    case 'prompt':
    case 'text':
    case 'error':
      return 18 + 20 * linesOf(row.event.text, SHOWN_LINES)
    case 'summary':
      return 26 + 20 * linesOf(row.event.text, SHOWN_LINES)
    case 'answer':
      return 8 + 18 * linesOf(row.event.text, ANSWER_LINES)
    case 'tool':
      return 30 + row.launched.length * 32
    default:
      return 28
  }
}

function linesOf(text: string | null, most: number): number {
  if (text === null) return 1
  let lines = 0
  for (const line of text.slice(0, 4_000).split('\n')) {
    lines += Math.max(1, Math.ceil(line.length / LINE_CHARACTERS))
    if (lines >= most) return most
  }
  return lines
}

/** The number of the next row that is shown, from one on in a direction; `null` where none is here. */
export function nextShown(book: RowBook, from: number, step: 1 | -1, isOpen: (id: string) => boolean): number | null {
  for (let at = from + step; at >= 0 && at < book.total; at += step) {
    // What is not here yet counts: it comes into view and is asked for.
    if (!book.rows.has(at) || isShown(book, at, isOpen)) return at
  }
  return null
}
