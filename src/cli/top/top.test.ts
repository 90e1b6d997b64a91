import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { draw } from './draw'
import { type Key, KeyReader } from './keys'
import type { Row } from './rows'
import { firstState, press, RESTING_MS, type TopState, withRows } from './state'

const row = (key: string, more: Partial<Row> = {}): Row => ({
  key,
  depth: 0,
  label: 'task',
  cli: null,
  text: key,
  since: null,
  need: null,
  taskId: `t-${key}`,
  sessionId: null,
  ...more,
})
const question = (key: string): Row =>
  row(key, {
    label: 'question',
    need: { canDismiss: false, text: 'npm test', isCut: false, question: { id: `q-${key}` } } as unknown as Row['need'],
  })
const letters = (text: string): Key[] => [...text].map((each) => ({ kind: 'text', text: each }))

/** Types keys, each some milliseconds after the one before. */
function typed(state: TopState, keys: readonly Key[], from: number, everyMs: number) {
  const acts = []
  for (const [i, key] of keys.entries()) {
    const step = press(state, key, from + i * everyMs, 10)
    state = step.state
    if (step.act) acts.push(step.act)
  }
  return { state, acts }
}
const started = withRows(firstState(0), [question('one'), question('two'), row('three')], 0)

describe('a question', () => {
  test('is answered by its key and y, each after the row and the asking stood still', () => {
    const { acts } = typed(started, letters('ay'), RESTING_MS, RESTING_MS)
    expect(acts).toEqual([{ kind: 'answer', questionId: 'q-one', behavior: 'allow' }])
    expect(typed(started, letters('jdy'), RESTING_MS, RESTING_MS).acts).toEqual([
      { kind: 'answer', questionId: 'q-two', behavior: 'deny' },
    ])
  })
  test('is never answered by keys that are held down, however long and however fast they repeat', () => {
    const keys = fc.array(fc.constantFrom(...'adyjkx'), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(keys, fc.integer({ min: 1, max: RESTING_MS - 1 }), (held, everyMs) => {
        const many = held.flatMap((each) => letters(each.repeat(60)))
        expect(typed(started, many, 1, everyMs).acts).toEqual([])
      }),
    )
  })
  test('that took the place of another is not answered by the key meant for that one', () => {
    const at = 10 * RESTING_MS
    const replaced = withRows(started, [question('new'), question('two')], at)
    expect(replaced.key).toBe('new')
    expect(typed(replaced, letters('a'), at + RESTING_MS - 1, 1).state).toMatchObject({
      mode: { kind: 'list' },
      note: expect.stringContaining('press the key again'),
    })
    const asking = typed(started, letters('a'), at, 1).state
    expect(withRows(asking, [question('two')], at)).toMatchObject({ mode: { kind: 'list' }, note: expect.any(String) })
  })
  test('is no more asked about after n or Esc', () => {
    for (const key of [{ kind: 'escape' }, { kind: 'text', text: 'n' }] as const) {
      const { state, acts } = typed(started, [...letters('a'), key, ...letters('y')], RESTING_MS, RESTING_MS)
      expect([state.mode.kind, acts]).toEqual(['list', []])
    }
  })
})

test('the cursor stays on its row when others come and go, and takes the place of one that is gone', () => {
  const second = typed(started, letters('j'), 1, 1).state
  const more = withRows(second, [question('zero'), ...started.rows], 2)
  expect([more.key, more.restingSince]).toEqual(['two', second.restingSince])
  expect(withRows(more, [row('three')], 3).key).toBe('three')
  expect(withRows(more, [], 3).key).toBeNull()
  expect(press(withRows(more, [], 3), { kind: 'down' }, 4, 10).state.key).toBeNull()
})

test('a message is written with letters of commands, pasted as one line, and sent to the task of its row', () => {
  const keys: Key[] = [...letters('mq a'), { kind: 'paste', text: '\nx\ny' }, { kind: 'backspace' }, { kind: 'enter' }]
  expect(typed(started, keys, 1, 1).acts).toEqual([{ kind: 'send', to: 't-one', text: 'q a x' }])
  expect(typed(started, [...letters('m'), { kind: 'enter' }], 1, 1).acts).toEqual([])
  expect(typed(started, [{ kind: 'paste', text: 'aq' }], RESTING_MS, 1)).toMatchObject({ acts: [] })
})

describe('keys', () => {
  const read = (...parts: string[]) => {
    const reader = new KeyReader()
    return parts.flatMap((part) => reader.read(Buffer.from(part)))
  }
  test('are read from sequences, whole or in parts, and unknown ones are no keys', () => {
    expect(read('\u001b[A\u001bOBq')).toEqual([{ kind: 'up' }, { kind: 'down' }, { kind: 'text', text: 'q' }])
    expect(read('\u001b', '[A')).toEqual([{ kind: 'escape' }, ...letters('[A')])
    expect(read('\u001b[', '6~')).toEqual([{ kind: 'page-down' }])
    expect(read('\u001b[1;5C\u0000\u0001')).toEqual([])
    expect(read('\u0003', '\u001b')).toEqual([{ kind: 'quit' }, { kind: 'escape' }])
  })
  test('within a paste are none, in however many parts it comes', () => {
    expect(read('\u001b[200~ay\u0003', 'qx\u001b[2', '01~j')).toEqual([
      { kind: 'paste', text: 'ay\u0003qx' },
      ...letters('j'),
    ])
  })
})

test('a screen has as many lines as the terminal, none wider, and no text in it is a command to the terminal', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom(
      '\u001b[2J\u001b[H',
      '\u202eevil',
      '日本語'.repeat(40),
      'e\u0301\u0301'.repeat(30),
      '👩‍👩‍👧‍👦'.repeat(20),
      '\u0007\r\n\t',
      '\u009b31m',
    ),
  )
  const size = fc.record({ columns: fc.integer({ min: 20, max: 200 }), lines: fc.integer({ min: 3, max: 60 }) })
  fc.assert(
    fc.property(
      fc.array(hostile, { maxLength: 30 }),
      size,
      fc.constantFrom('', 'a', 'm', 'mxyz'),
      (texts, at, keys) => {
        const rows = texts.map((text, i) => ({
          ...question(`${i}`),
          text,
          label: text,
          cli: i % 2 === 0 ? text : null,
          depth: i % 12,
          need: { ...question('x').need, text } as Row['need'],
        }))
        const { state } = typed(withRows(firstState(0), rows, 0), letters(keys), RESTING_MS, RESTING_MS)
        const lines = draw({ ...state, note: texts[0] ?? null }, { size: at, now: 0, head: texts[1] ?? 'head' })
        expect(lines.length).toBe(at.lines)
        for (const { text } of lines) {
          expect(Bun.stringWidth(text)).toBeLessThanOrEqual(at.columns)
          // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
          expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
        }
      },
    ),
  )
})
