import { describe, expect, test } from 'bun:test'
import type { Answers } from '../../../api/contract/operations'
import type { ConversationItem, Turn } from '../../../domain/conversation/conversation'
import { eventId, sessionId, subagentId, toolUseId } from '../../../domain/ids'
import type { Subagent } from '../../../domain/session/session'
import { width } from '../../print/text'
import { subagent as named, session } from '../fixtures'
import { flatConversation } from './conversation-flat'
import { conversationView } from './conversation-view'
import { diffView } from './diff-view'
import { timelineView } from './timeline-view'

const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u202egnp.exe\u0000end'
const EVENT = eventId('0b0c7f7e-6c1a-4a53-9a51-1f7f6f1d2c3b')

const subagent = (given: Partial<Subagent>): Subagent => ({ ...named('a0'), ...given })
const item = (given: Partial<ConversationItem>): ConversationItem => ({
  kind: 'text',
  eventId: EVENT,
  at: '2026-11-20T12:00:00.000Z',
  text: null,
  isCut: false,
  bytes: 100,
  subagentId: null,
  parentToolUseId: null,
  inherited: false,
  count: 1,
  tool: null,
  sessionId: null,
  isOrigin: false,
  branches: [],
  continued: [],
  ...given,
})
const turn = (number: number, start: string | null, items: ConversationItem[], given: Partial<Turn> = {}): Turn => ({
  number,
  start: start === null ? null : item({ kind: 'prompt', text: start }),
  startedAt: '2026-11-20T12:00:00.000Z',
  lastAt: '2026-11-20T12:00:42.000Z',
  isContinued: false,
  isCut: false,
  items,
  ...given,
})
const answer = (
  turns: Turn[],
  given: Partial<Answers['sessions']['conversation']> = {},
): Answers['sessions']['conversation'] => ({
  session: session(),
  subagent: null,
  turns,
  turnCount: turns.length,
  nextCursor: null,
  nodes: [],
  orphans: [],
  orphanCount: 0,
  ...given,
})
const call = (name: string, text: string, result: string | null, given: Partial<ConversationItem> = {}) =>
  item({
    kind: 'tool',
    text,
    tool: {
      id: toolUseId('toolu_1'),
      name,
      isError: result === null ? null : false,
      result: result === null ? null : { eventId: EVENT, at: null, text: result, isCut: false, bytes: 100 },
    },
    ...given,
  })
const lines = (text: string) => text.split('\n').map((line) => line.trim())

describe('a conversation', () => {
  test('names its agent CLI where sessions of several are recorded', () => {
    const head = (namesClis: boolean) =>
      lines(conversationView(answer([]), { columns: 0, isFull: false, namesClis }))[0]?.split('  ')[1]
    expect([head(true), head(false)]).toEqual(['some-agent', 'running'])
  })

  test('tells turns, calls with what they launched, marks, and the way to what is cut', () => {
    const agent = subagent({ id: subagentId('a1b2c3d'), type: 'Explore', description: 'find it' })
    const inner = turn(1, 'find it', [item({ text: 'Here it is.' })])
    const text = conversationView(
      answer([
        turn(1, 'Fix the bug', [
          item({ kind: 'thinking', text: 'where\nmay it be' }),
          call('Agent', 'Agent\nfind it', 'found', { branches: [{ subagent: agent, turns: [inner], isCut: true }] }),
          call('SendMessage', 'SendMessage\nmore', 'ok', {
            continued: [{ subagentId: subagentId('a1b2c3d'), run: 2 }],
          }),
          call('Bash', 'Bash\nsleep 99', null),
          item({ kind: 'attachment', count: 3, text: '{"a":1}' }),
          item({ kind: 'compaction', text: 'Conversation compacted' }),
          item({ kind: 'fork', eventId: null, sessionId: sessionId('7bd01c44-1'), isOrigin: false }),
          item({ text: 'Done.', isCut: true, bytes: 12_345 }),
        ]),
      ]),
      { columns: 0, isFull: false },
    )
    const shown = lines(text)
    expect(shown[2]).toMatch(/^\[turn 1\] prompt {2}2026-11-20 \d\d:\d\d:00, took 42s$/)
    for (const line of [
      'Fix the bug',
      '(thinking)  where may it be',
      '* Agent  find it',
      'found',
      '|    find it',
      '|    Here it is.',
      '|  (its conversation: --only a1b2c3d)',
      '* SendMessage  more',
      'continues a1b2c3d (run 2)',
      '* Bash (no answer)  sleep 99',
      '(3 attachments)',
      '== compacted here: Conversation compacted ==',
      '== forked here by 7bd01c44-1 ==',
      `(cut, a line of 12 kB: lode event show ${session().id.slice(0, 8)} ${EVENT} --json)`,
    ])
      expect(shown).toContain(line)
    expect(shown.some((line) => line.startsWith('+- Explore a1b2c3d  running') && line.includes('tokens'))).toBe(true)
  })

  test('of a line with words and several calls, each stands by itself', () => {
    const text = conversationView(
      answer([
        turn(1, 'x', [
          call('write', 'I look\ninto it.\nwrite\na.txt\nread\nnone.txt', 'written'),
          { ...call('read', '', 'no such file'), text: null },
          { ...call('bash', '', 'of another line'), text: null },
        ]),
      ]),
      { columns: 0, isFull: false },
    )
    expect(lines(text).slice(5, -1)).toEqual([
      ...['I look', 'into it.', '', '* write  a.txt', 'written', '* read  none.txt', 'no such file'],
      ...['* bash', 'of another line'],
    ])
  })

  test('shows orphans after everything else, never in a turn', () => {
    const text = conversationView(
      answer([turn(1, 'x', [])], { orphans: [subagent({ id: subagentId('a0'), toolUseId: null })], orphanCount: 3 }),
      { columns: 0, isFull: false },
    )
    expect(lines(text).slice(-5).join('\n')).toMatch(
      /== 3 orphans: .* ==\n\+- .* a0 .*\n.*--only a0\)\n\(2 more: .*\)\n$/,
    )
  })

  test('is safe and fits the terminal, whatever agents wrote: commands, wide characters, long lines, no lines', () => {
    const wide = '漢字'.repeat(500)
    const long = 'a'.repeat(100_000)
    const many = Array.from({ length: 500 }, (_, i) => `line ${i}`).join('\n')
    const agent = subagent({
      id: subagentId(`${HOSTILE}${long}`),
      type: HOSTILE,
      description: wide,
      resultPreview: HOSTILE,
      background: true,
    })
    const items = [HOSTILE, wide, long, many, '', '\n\n\n', '\ud800'].flatMap((text) => [
      item({ text, isCut: true }),
      item({ kind: 'thinking', text }),
      item({ kind: 'error', text }),
      item({ kind: 'system', text }),
      call(text, `${text}\n${text}`, text, { branches: [{ subagent: agent, turns: null, isCut: true }] }),
      item({ kind: 'fork', sessionId: sessionId(text) }),
    ])
    const page = answer([turn(1, `${HOSTILE}\n${wide}`, items)])
    for (const columns of [20, 80, 200]) {
      for (const isFull of [false, true]) {
        const text = conversationView(page, { columns, isFull })
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
        expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
        // What is to be typed is never cut.
        const prose = text.split('\n').filter((line) => !/^[ |]*lode event show /.test(line))
        for (const line of prose) expect(width(line)).toBeLessThanOrEqual(columns)
      }
      for (const line of flatConversation(page, columns).split('\n')) expect(width(line)).toBeLessThanOrEqual(columns)
    }
    expect(conversationView(page, { columns: 80, isFull: false })).toContain('(494 more lines: --full)')
    const full = conversationView(page, { columns: 80, isFull: true })
    expect(full).toContain('line 499')
    // Whole means whole, also where a text has no blank to break at.
    expect(full.match(/[漢字]/g)?.length).toBeGreaterThanOrEqual(4 * wide.length)
    expect(full.match(/a/g)?.length).toBeGreaterThanOrEqual(4 * long.length)
  })

  test('by time names the agent of each line', () => {
    const id = subagentId('a1b2c3d')
    const flat = flatConversation(
      answer(
        [
          turn(1, 'go', [
            item({ text: 'mine', subagentId: id }),
            item({ text: 'whose', parentToolUseId: toolUseId('toolu_9') }),
          ]),
        ],
        {
          nodes: [{ subagentId: id, kind: 'agent', type: 'Explore', description: 'x', depth: 2, isOrphan: false }],
        },
      ),
      0,
    )
    expect(lines(flat).map((line) => line.replace(/^\S+ \S+ +/, ''))).toEqual([
      'main thread                   prompt         go',
      'Explore a1b2c3d (depth 2)     text           mine',
      'agent of toolu_9              text           whose',
      '',
    ])
  })
})

test('a difference says what is shared, and what each has alone', () => {
  const side = (id: string, lineCount: number, turns: Turn[]) => ({
    session: session({ id: sessionId(id), title: null }),
    lineCount,
    turns,
    turnCount: turns.length,
    nextCursor: null,
  })
  const text = diffView(
    {
      relation: 'from_first',
      origin: null,
      shared: { count: 12, lastId: EVENT, lastAt: '2026-11-20T12:00:00.000Z' },
      first: side('one', 0, []),
      second: side('two', 2, [turn(4, 'another way', [])]),
    },
    { columns: 80, isFull: false },
  )
  expect(text).toMatch(/^two came from one\.\nThey share 12 lines, until .* \(event 0b0c7f7e/)
  expect(text).toContain('\n== only in one: 0 lines ==\n(nothing)\n')
  expect(text).toContain('\n== only in two: 2 lines ==\n[turn 4] prompt')
})

describe('a timeline', () => {
  const spentMs = { working: 0, waiting: 0, idle: 0, tool: 0 }
  const at = (s: number) => new Date(Date.UTC(2026, 10, 20, 12) + s * 1_000).toISOString()
  const lane = (from: number, to: number, kinds: string, agent: Partial<Subagent> | null) => ({
    subagent: agent === null ? null : subagent(agent),
    startedAt: at(from),
    endedAt: at(to),
    segments: [...kinds].map((kind, i) => ({
      from: at(from + ((to - from) * i) / kinds.length),
      to: at(from + ((to - from) * (i + 1)) / kinds.length),
      kind: ({ w: 'working', t: 'tool', q: 'waiting', i: 'idle' } as const)[kind as 'w'] ?? 'idle',
    })),
    spentMs: { ...spentMs, waiting: 15_000 },
    usage: session().usageMain,
    costUsd: 0.5,
    isEstimate: false,
  })
  const timeline = (given: Partial<Answers['sessions']['timeline']> = {}): Answers['sessions']['timeline'] => ({
    session: session(),
    from: at(0),
    to: at(60),
    lanes: [lane(0, 60, 'wtqi', null), lane(30, 45, 'w', { id: subagentId('a1b2c3d'), type: 'Explore' })],
    leftOutCount: 4_960,
    compactions: [at(30)],
    isCut: false,
    ...given,
  })

  test('draws each lane to the same scale, a wait always, and says what is left out', () => {
    const [head, compactions, main, agent, legend, rest] = timelineView(timeline(), { columns: 0 }).split('\n')
    expect(head).toContain(', 1m')
    expect(timelineView(timeline(), { columns: 0, namesClis: true })).toMatch(/^\S+ {2}some-agent {2}/)
    expect(compactions?.trimEnd().length).toBe((main?.indexOf('#') ?? 0) + 31)
    expect(main).toContain(`${'#'.repeat(15)}${'='.repeat(15)}${'?'.repeat(15)}${'.'.repeat(15)}`)
    expect(main).toContain('15s waiting')
    expect(agent?.indexOf('#')).toBe((main?.indexOf('#') ?? 0) + 30)
    expect(agent).toMatch(/ #{15} /)
    expect(legend).toContain('C compacted')
    expect(rest).toContain('4,960 more sub-agents')
  })

  test('fits the terminal and shows hostile names as text', () => {
    const lanes = [
      lane(0, 60, 'wiwiwiqtt', null),
      lane(59.999, 60, 'w', { id: subagentId(HOSTILE), type: `${HOSTILE}漢字漢字漢字漢字漢字漢字漢字漢字` }),
    ]
    for (const columns of [30, 80, 120]) {
      const text = timelineView(timeline({ lanes }), { columns })
      expect(text).not.toContain('\u001b')
      for (const line of text.split('\n')) expect(width(line)).toBeLessThanOrEqual(columns)
    }
    expect(timelineView(timeline({ from: null, to: null, lanes: [] }), { columns: 80 })).toContain(
      'nothing recorded yet',
    )
  })
})
