import { expect, test } from 'bun:test'
import { sessionId, toolUseId } from '#domain/ids'
import { someSubagent } from '../../../../../test/samples/sessions'
import type { Row, RowPage } from '../rows/row-types'
import { rowsAt } from './rows-at'

test('a call that was answered later is open at that moment, and what it launched is at work', () => {
  const call = (id: string) => ({ id: toolUseId(id), name: 'Agent', isAnswered: true, isError: true })
  const agent = someSubagent('s', 'a', {
    status: 'completed',
    startedAt: '2026-01-01T00:00:10Z',
    endedAt: '2026-01-01T00:00:30Z',
  })
  const rows = [
    { kind: 'tool', call: call('one'), launched: [] },
    { kind: 'answer', call: call('one'), launched: [] },
    { kind: 'tool', call: call('two'), launched: [agent] },
  ] as unknown as Row[]
  const page = { sessionId: sessionId('s'), total: 3, from: 0, found: null, rows, marks: [] } as unknown as RowPage
  const seen = (at: string) =>
    rowsAt(page, Date.parse(at)).rows.map((row) => [
      row.call?.isAnswered,
      row.call?.isError,
      row.launched.map(({ status }) => status),
    ])
  expect(seen('2026-01-01T00:00:20Z')).toEqual([
    [true, true, []],
    [true, true, []],
    [false, null, ['running']],
  ])
  expect(seen('2026-01-01T00:00:05Z')[2]).toEqual([false, null, []])
})
