import { describe, expect, test } from 'bun:test'
import type { TaskLogLine } from '#domain/task/task'
import { EMPTY_LOG, LOG_PAGE_LINES, logRows, readLog, withLines } from './task-log'

const line = (id: number, attempt: number | null, kind: TaskLogLine['kind'] = 'text'): TaskLogLine => ({
  id,
  at: '2026-11-22T10:00:00.000Z',
  attempt,
  kind,
  text: `line ${id}`,
})
const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => line(from + n, 1))

describe('the log of a task', () => {
  test('is read page by page, and then only after the last line', async () => {
    const all = lines(1, LOG_PAGE_LINES * 2 + 3)
    const asked: number[] = []
    const readPage = async (after: number) => {
      asked.push(after)
      return all.filter(({ id }) => id > after).slice(0, LOG_PAGE_LINES)
    }
    const seen: number[] = []
    const first = await readLog(EMPTY_LOG, readPage, (log) => seen.push(log.lines.length))
    expect(first.lines.map(({ id }) => id)).toEqual(all.map(({ id }) => id))
    expect(seen).toEqual([LOG_PAGE_LINES, LOG_PAGE_LINES * 2])
    all.push(line(all.length + 1, 2))
    const second = await readLog(first, readPage, () => {})
    expect(second.lines.length).toBe(LOG_PAGE_LINES * 2 + 4)
    expect(asked).toEqual([0, LOG_PAGE_LINES, LOG_PAGE_LINES * 2, LOG_PAGE_LINES * 2 + 3])
  })

  test('stays the same when nothing came', async () => {
    const log = withLines(EMPTY_LOG, lines(1, 3))
    expect(
      await readLog(
        log,
        async () => [],
        () => {},
      ),
    ).toBe(log)
  })

  test('gives up its oldest lines, and counts them', () => {
    const log = withLines(withLines(EMPTY_LOG, lines(1, 8), 10), lines(9, 15), 10)
    expect([log.lines.length, log.lines[0]?.id, log.dropped]).toEqual([10, 6, 5])
  })

  test('tells where another attempt begins to speak', () => {
    const rows = logRows(
      [line(1, null, 'move'), line(2, 1), line(3, 1, 'tool'), line(4, 2), line(5, null, 'move')],
      undefined,
    )
    expect(rows.map((row) => (row.kind === 'attempt' ? `#${row.number}` : row.line.id))).toEqual([
      1,
      '#1',
      2,
      3,
      '#2',
      4,
      5,
    ])
  })

  test('is shown in parts, with the separators of what is shown', () => {
    const all = [line(1, 1, 'tool'), line(2, 1, 'text'), line(3, 2, 'tool_result'), line(4, 2, 'run')]
    expect(logRows(all, 'words').map(({ key }) => key)).toEqual(['a1-2', '2'])
    expect(logRows(all, 'moves').map(({ key }) => key)).toEqual(['a2-4', '4'])
  })
})
