import { expect, test } from 'bun:test'
import { eventId, feedSeq, sessionId, toolUseId } from '#domain/ids'
import { bookOf, isShown, nextShown, type Row, type RowPage, runId } from './session-rows'

const SESSION = sessionId('3b15a45d-67b1-4e27-bbbd-3b5fb2b10490')

function row(number: number, kind: Row['kind'], call?: string): Row {
  const id = call === undefined ? null : toolUseId(call)
  return {
    number,
    kind,
    bytes: 10,
    call: id === null ? null : { id, name: 'Bash', isAnswered: true, isError: false },
    launched: [],
    continued: [],
    event: {
      id: eventId(`00000000-0000-4000-8000-${String(number).padStart(12, '0')}`),
      sessionId: SESSION,
      type: kind === 'attachment' ? 'attachment' : 'text',
      role: 'user',
      at: null,
      subagentId: null,
      parentToolUseId: null,
      toolUseId: id,
      toolName: null,
      text: `row ${number}`,
      isCut: false,
      inherited: false,
    },
  }
}

const page = (rows: Row[], total: number, marks: RowPage['marks'] = []): RowPage => ({
  sessionId: SESSION,
  total,
  from: rows[0]?.number ?? 0,
  found: null,
  rows,
  marks,
  feedSeq: feedSeq(1),
})
const closed = () => false

test('what the CLI adds is one line, which a gap or a mark begins anew', () => {
  const quiet = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => row(from + i, 'attachment'))
  const fork = { kind: 'fork' as const, sessionId: SESSION, isOrigin: false, at: null, before: 4 }
  const book = bookOf(
    [page([row(0, 'prompt'), ...quiet(1, 6), row(6, 'text')], 40, [fork]), page(quiet(20, 23), 40)],
    40,
  )
  expect([...book.runs]).toEqual([
    [1, 3],
    [4, 2],
    [20, 3],
  ])
  expect([0, 1, 2, 3, 4, 5, 6].filter((n) => isShown(book, n, closed))).toEqual([0, 1, 4, 6])
  const head = book.rows.get(1)
  expect(head).toBeDefined()
  const open = (id: string) => head !== undefined && id === runId(head)
  expect([1, 2, 3, 4, 5].filter((n) => isShown(book, n, open))).toEqual([1, 2, 3, 4])
  expect(nextShown(book, 1, 1, closed)).toBe(4)
  expect(nextShown(book, 4, -1, closed)).toBe(1)
  expect(nextShown(book, 6, 1, closed)).toBe(7)
  expect(nextShown(book, 0, -1, closed)).toBeNull()
})

test('an answer belongs to the call right before it, also where the CLI added something between them', () => {
  const rows = [row(0, 'tool', 'a'), row(1, 'attachment'), row(2, 'answer', 'a'), row(3, 'tool', 'b')]
  const more = [row(4, 'tool', 'c'), row(5, 'answer', 'b'), row(6, 'answer', 'c')]
  expect([...bookOf([page([...rows, ...more], 7)], 7).joined]).toEqual([2])
})

test('of pages that overlap the later one counts, and rows that are gone are not shown', () => {
  const old = page([row(0, 'text'), row(1, 'text'), row(2, 'text')], 3)
  const book = bookOf([old, page([row(1, 'prompt')], 2)], 2)
  expect([...book.rows].map(([number, { kind }]) => [number, kind])).toEqual([
    [0, 'text'],
    [1, 'prompt'],
  ])
})

test('calls that only look are one line, unless one failed, wrote, or is among the newest', () => {
  const looks = (from: number, count: number, change: Partial<NonNullable<Row['call']>> = {}) =>
    Array.from({ length: count }, (_, at) => {
      const id = `toolu_${from + 2 * at}`
      const rows = [row(from + 2 * at, 'tool', id), row(from + 2 * at + 1, 'answer', id)]
      return rows.map((one) => ({ ...one, call: one.call && { ...one.call, name: 'Read', ...change } }))
    }).flat()
  const runsOf = (rows: Row[], total = 40) => [...bookOf([page(rows, total)], total).runs]
  expect(runsOf([row(0, 'prompt'), ...looks(1, 6), row(13, 'text')])).toEqual([[1, 12]])
  expect(runsOf([row(0, 'prompt'), ...looks(1, 5), row(11, 'text')])).toEqual([])
  expect(runsOf([row(0, 'prompt'), ...looks(1, 6)], 13)).toEqual([])
  expect(runsOf([row(0, 'prompt'), ...looks(1, 5), ...looks(11, 1, { isError: true }), row(13, 'text')])).toEqual([])
  expect(runsOf([...looks(1, 6, { name: 'Edit' }), row(13, 'text')])).toEqual([])
  const between = [...looks(1, 3), row(7, 'attachment'), ...looks(8, 3), row(14, 'attachment'), row(15, 'text')]
  expect(runsOf(between)).toEqual([
    [1, 13],
    [14, 1],
  ])
})
