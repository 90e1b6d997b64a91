import { expect, test } from 'bun:test'
import { sessionId } from '../../domain/ids'
import type { EventObservation, EventType } from '../../domain/record/observation'
import { makeBatch } from './batch'

const seen = (type: EventType, searchText: string): EventObservation => ({
  kind: 'event',
  uuid: '00000000-0000-4000-8000-000000000001',
  parentUuid: null,
  type,
  role: 'user',
  at: 1,
  subagentId: null,
  isSidechain: false,
  parentToolUseId: null,
  toolUseId: null,
  toolName: null,
  text: null,
  searchText,
  foreignSessionId: null,
  isCopied: false,
  offset: 0,
  length: 1,
})

function searched(type: EventType, text: string, indexesOutput?: boolean): string | null | undefined {
  const id = sessionId('s')
  const ref = {
    agent: 'made-up',
    kind: 'transcript',
    sessionId: id,
    subagentId: null,
    path: '/t',
  } as const
  const place = { ref, sessionId: id, ownFromAt: 0, source: 1, indexesOutput } as const
  return makeBatch([seen(type, text)], place).events[0]?.searchText
}

test('search finds both ends of what a tool gave out, and all of what was said', () => {
  const long = `begin ${'middle '.repeat(1_000)}end`
  expect(searched('text', long)).toBe(long)
  expect(searched('tool_result', 'short')).toBe('short')
  const output = searched('tool_result', long)
  expect(output).toStartWith('begin middle')
  expect(output).toEndWith('middle end')
  expect(output?.length).toBe(2_001)
  expect(searched('tool_result', '😀'.repeat(1_501))?.isWellFormed()).toBe(true)
  expect(searched('tool_result', long, false)).toBeNull()
})
