import type { EventId, ToolUseId } from '#domain/ids'
import { foldedCalls } from './quiet-calls'
import { isQuiet, type Mark, type Row, type RowPage } from './row-types'

export type { Row, RowPage }

/** The loaded rows of one agent, merged from pages that may overlap. */
export interface RowBook {
  /** Number of all rows of the agent. */
  total: number
  rows: ReadonlyMap<number, Row>
  /** Marks by the number of the row that they precede. */
  marks: ReadonlyMap<number, readonly Mark[]>
  /** Runs of quiet rows, or of quiet calls, which are folded into one: number of the first row to number of rows. */
  runs: ReadonlyMap<number, number>
  /** The first row of the run that a row belongs to. */
  headOf: ReadonlyMap<number, number>
  /** Results directly below their call. */
  joined: ReadonlySet<number>
  /** Events with the results of calls. */
  answers: ReadonlyMap<ToolUseId, EventId>
  /** Rows of calls. */
  calls: ReadonlyMap<ToolUseId, Row>
}

/** Merges pages. @param pages  a later page replaces rows of an earlier one. @param total  number of all rows */
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
  return { total, rows, marks, ...runsOf(rows, marks, total), joined: joinedAnswers(rows), answers, calls }
}

function runsOf(rows: ReadonlyMap<number, Row>, marks: ReadonlyMap<number, readonly Mark[]>, total: number) {
  const { runs, headOf } = foldedCalls(rows, marks, total)
  let head = -1
  let last = -2
  for (const [number, row] of rows) {
    if (!isQuiet(row) || headOf.has(number)) continue
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

/** Whether a loaded row is visible. In a folded run only the first row is. */
export function isShown(book: RowBook, number: number, isOpen: (id: string) => boolean): boolean {
  const head = book.headOf.get(number)
  if (head === undefined || head === number) return true
  const first = book.rows.get(head)
  return first !== undefined && isOpen(runId(first))
}

/** ID of a run in the set of open rows. */
export const runId = (head: Row): string => `run ${head.event.id}`

/** ID of a row in the set of open rows. A call and its result share one, so they open together. */
export const openId = ({ call, event }: Row): string => (call === null ? event.id : `call ${call.id}`)

/** Lines of a text that are shown while it is folded. */
export const SHOWN_LINES = 12
/** Lines of a result that are shown while it is folded. */
export const ANSWER_LINES = 3
/** Characters that fit in a line of a wide page, for estimates. */
export const LINE_CHARACTERS = 110

/** Estimates the height of a row, in pixels. */
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

/** The next visible row in a direction; `null` if there is none. Rows that are not loaded count as visible. */
export function nextShown(book: RowBook, from: number, step: 1 | -1, isOpen: (id: string) => boolean): number | null {
  for (let at = from + step; at >= 0 && at < book.total; at += step) {
    // A row that is not loaded comes into view and is loaded then.
    if (!book.rows.has(at) || isShown(book, at, isOpen)) return at
  }
  return null
}
