import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cutAtLastTurn } from './cut'

const TRANSCRIPTS = join(import.meta.dir, '../../../../test/fixtures/claude-code/transcripts')

function fixture(version: string, name: string): Buffer {
  const folder = join(TRANSCRIPTS, version, name)
  const file = readdirSync(folder).find((entry) => entry.endsWith('.jsonl'))
  return readFileSync(join(folder, file ?? ''))
}

type Line = Record<string, unknown> & { uuid?: string; parentUuid?: string | null; type?: string }
const linesOf = (bytes: Uint8Array): Line[] =>
  Buffer.from(bytes)
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
const contentOf = (line: Line): { type: string; id?: string; tool_use_id?: string; text?: string }[] => {
  const content = (line.message as { content?: unknown } | undefined)?.content
  return Array.isArray(content) ? content : []
}

/** Calls on the branch that ends with the last line, by the tree of the file itself. */
function openCalls(lines: readonly Line[], last: string): string[] {
  const byUuid = new Map(lines.flatMap((line) => (line.uuid ? [[line.uuid, line] as const] : [])))
  const answered = new Set(lines.flatMap((line) => contentOf(line).map((part) => part.tool_use_id)))
  const open: string[] = []
  for (let at = byUuid.get(last); at; at = byUuid.get(at.parentUuid ?? ''))
    for (const part of contentOf(at)) if (part.type === 'tool_use' && !answered.has(part.id)) open.push(part.id ?? '')
  return open
}

const at = (line: string): Record<string, unknown> => JSON.parse(line)
let uuids = 0
const uuid = () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, '0')}`
/** A conversation as the CLI writes it, each line the child of the one before. */
function conversation(...lines: Record<string, unknown>[]): Buffer {
  let parent: string | null = null
  const written = lines.map((line) => {
    if (line.type !== 'user' && line.type !== 'assistant' && line.type !== 'attachment' && line.type !== 'system')
      return line
    const full: Record<string, unknown> = { parentUuid: parent, isSidechain: false, uuid: uuid(), ...line }
    parent = full.uuid as string
    return full
  })
  return Buffer.from(written.map((line) => `${JSON.stringify(line)}\n`).join(''))
}
const prompt = (text: string) => ({ type: 'user', message: { role: 'user', content: text } })
const said = (text: string, stop: string | null = 'end_turn', id: string = uuid()) => ({
  type: 'assistant',
  message: { id, role: 'assistant', stop_reason: stop, content: [{ type: 'text', text }] },
})
const thought = (id: string) => ({
  type: 'assistant',
  message: { id, role: 'assistant', stop_reason: 'end_turn', content: [{ type: 'thinking', thinking: 'hm' }] },
})
const call = (id: string, message: string = uuid()) => ({
  type: 'assistant',
  message: { id: message, stop_reason: 'tool_use', content: [{ type: 'tool_use', id, name: 'Bash', input: {} }] },
})
const answer = (id: string) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
})
const lastText = (bytes: Uint8Array | undefined) => {
  const last = linesOf(bytes ?? new Uint8Array()).at(-1)
  return last && (contentOf(last).at(-1)?.text ?? (last.message as { content?: string }).content)
}

describe.each(['2.0.30', '2.1.10', '2.1.197', '2.1.328'])('a transcript of %s', (version) => {
  const names = readdirSync(join(TRANSCRIPTS, version))

  test.each(names)('%s, wherever it stands, is never cut with an open call', (name) => {
    const whole = fixture(version, name)
    const seen = new Set<string>()
    for (const end of places(whole)) {
      const cut = cutAtLastTurn(whole.subarray(0, end))
      if (!cut) continue
      const lines = linesOf(cut.bytes)
      expect(lines.at(-1)?.uuid).toBe(cut.lastUuid)
      expect(openCalls(lines, cut.lastUuid)).toEqual([])
      seen.add(cut.lastUuid)
    }
    // 2.1.10 never wrote why the model stopped: of its only turn nothing tells that it is over.
    expect(seen.size).toBeGreaterThanOrEqual(version === '2.1.10' ? 0 : 1)
  })
})

/** Every place in the middle and at the end of a line. */
function* places(bytes: Uint8Array): Iterable<number> {
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(10, start)
    const end = newline === -1 ? bytes.length : newline + 1
    yield Math.floor((start + end) / 2)
    yield end
    start = end
  }
}

describe.each(['2.1.197', '2.1.328'])('of %s', (version) => {
  test('a finished conversation is kept up to its last words', () => {
    for (const name of ['subagents', 'steer-mid-turn', 'background-agent', 'compact-auto', 'killed-and-resumed']) {
      const whole = fixture(version, name)
      const words = linesOf(whole).findLast((line) => line.type === 'assistant')
      expect(cutAtLastTurn(whole)?.lastUuid).toBe(words?.uuid ?? '')
    }
  })

  test('a compaction that a person asked for is a place of rest; what it replaced is not told again', () => {
    const lines = linesOf(fixture(version, 'compact-manual'))
    const boundary = lines.findIndex((line) => line.subtype === 'compact_boundary')
    const next = lines.findIndex((line, i) => i > boundary && line.type === 'queue-operation')
    const bytes = Buffer.from(
      lines
        .slice(0, next + 2)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    )
    const cut = cutAtLastTurn(bytes)
    const kept = linesOf(cut?.bytes ?? new Uint8Array())
    expect(kept.some((line) => line.isCompactSummary === true)).toBe(true)
    expect(kept.at(-1)?.type).toBe('attachment')
  })

  test('a compaction in the middle of a turn is none', () => {
    const lines = linesOf(fixture(version, 'compact-auto'))
    const end = lines.findLastIndex((line) => line.type === 'assistant')
    const bytes = Buffer.from(
      lines
        .slice(0, end)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    )
    expect(cutAtLastTurn(bytes)).toBeNull()
  })

  test('all lines before the cut are the same bytes, but for what is wrong in a copy', () => {
    const whole = fixture(version, 'compact-manual')
    const cut = cutAtLastTurn(whole)
    const kept = Buffer.from(cut?.bytes ?? new Uint8Array())
      .toString()
      .split('\n')
    const all = whole.toString().split('\n')
    let from = 0
    for (const line of kept.slice(0, -1)) {
      const place = all.indexOf(line, from)
      expect(place).toBeGreaterThanOrEqual(from)
      for (const left of all.slice(from, place))
        expect(['cost-state', 'last-prompt']).toContain(at(left).type as string)
      from = place + 1
    }
  })
})

test('a turn in a tool call is left out, the turns before are kept', () => {
  const cut = cutAtLastTurn(
    conversation(prompt('one'), said('First.'), prompt('two'), call('t1'), answer('t1'), call('t2')),
  )
  expect(lastText(cut?.bytes)).toBe('First.')
})

test('a turn whose last words are not written yet is left out', () => {
  const bytes = conversation(prompt('one'), said('First.'), prompt('two'), said('Second.'))
  const cut = cutAtLastTurn(bytes.subarray(0, bytes.length - 5))
  expect(lastText(cut?.bytes)).toBe('First.')
})

test('a message of several lines is not cut in two', () => {
  const whole = conversation(
    prompt('one'),
    thought('m1'),
    said('Part.', 'end_turn', 'm1'),
    said('More.', 'end_turn', 'm1'),
  )
  expect(lastText(cutAtLastTurn(whole)?.bytes)).toBe('More.')
  expect(cutAtLastTurn(conversation(prompt('one'), thought('m1')))).toBeNull()
})

test('calls side by side are over when all have their answer', () => {
  const calls = [prompt('go'), call('a', 'm'), call('b', 'm'), answer('a')]
  expect(cutAtLastTurn(conversation(...calls, said('Too early.')))).toBeNull()
  expect(lastText(cutAtLastTurn(conversation(...calls, answer('b'), said('Done.')))?.bytes)).toBe('Done.')
})

test("a call on a branch that was left stands in nobody's way", () => {
  const root = { ...prompt('go'), uuid: '11111111-1111-4111-8111-111111111111' }
  const left = { ...call('lost'), parentUuid: root.uuid }
  const again = { ...prompt('again'), parentUuid: root.uuid }
  expect(lastText(cutAtLastTurn(conversation(root, left, again, said('Done.')))?.bytes)).toBe('Done.')
})

test('nor does one that a crash cut off from a message whose words the conversation went on from', () => {
  const words = { ...said('Beginning.', 'tool_use', 'm'), uuid: '22222222-2222-4222-8222-222222222222' }
  const again = { ...prompt('go on'), parentUuid: words.uuid }
  const before = [prompt('first'), said('One.'), prompt('go'), words, call('lost', 'm')]
  expect(lastText(cutAtLastTurn(conversation(...before, again, said('Done.')))?.bytes)).toBe('Done.')
  expect(lastText(cutAtLastTurn(conversation(...before))?.bytes)).toBe('One.')
})

test('lines of sub-agents in the same file neither end a turn nor keep it open', () => {
  const side = (line: Record<string, unknown>) => ({ ...line, isSidechain: true, agentId: 'a1' })
  const bytes = conversation(
    prompt('go'),
    said('First.'),
    prompt('more'),
    call('t'),
    side(call('inner')),
    side(said('Inner words.')),
  )
  expect(lastText(cutAtLastTurn(bytes)?.bytes)).toBe('First.')
})

test('an interruption by a person ends the turn', () => {
  const stop = {
    type: 'user',
    message: { content: [{ type: 'text', text: '[Request interrupted by user for tool use]' }] },
  }
  const cut = cutAtLastTurn(conversation(prompt('go'), call('t'), answer('t'), stop))
  expect(lastText(cut?.bytes)).toBe('[Request interrupted by user for tool use]')
})

test('where why the model stopped is not written, the next prompt tells', () => {
  const open = [prompt('one'), said('First.', null)]
  expect(cutAtLastTurn(conversation(...open))).toBeNull()
  expect(lastText(cutAtLastTurn(conversation(...open, prompt('two')))?.bytes)).toBe('First.')
  expect(cutAtLastTurn(conversation(...open, call('t')))).toBeNull()
})

test('the running cost and pointers to lines that are not kept are left out of a copy', () => {
  const kept = { ...said('First.'), uuid: '22222222-2222-4222-8222-222222222222' }
  const bytes = conversation(
    { type: 'cost-state', totalCostUSD: 5 },
    prompt('one'),
    { type: 'last-prompt', leafUuid: kept.uuid },
    { type: 'last-prompt', leafUuid: '33333333-3333-4333-8333-333333333333' },
    { type: 'mode', mode: 'normal' },
    kept,
    { type: 'cost-state', totalCostUSD: 6 },
    prompt('two'),
  )
  expect(linesOf(cutAtLastTurn(bytes)?.bytes ?? new Uint8Array()).map((line) => line.leafUuid ?? line.type)).toEqual([
    'user',
    kept.uuid,
    'mode',
    'assistant',
  ])
})

test('half a line that a crash left does not hide what follows', () => {
  const first = conversation(prompt('one'), said('First.'))
  const torn = Buffer.from('{"parentUuid":null,"type":"assistant","message":{"content":[{"type":"te')
  const whole = Buffer.concat([first, torn, conversation(prompt('two'), said('Second.'))])
  const cut = cutAtLastTurn(whole)
  expect(
    Buffer.from(cut?.bytes ?? [])
      .toString()
      .trimEnd(),
  ).toEndWith('"text":"Second."}]}}')
})

describe('a transcript of many megabytes', () => {
  const filler = 'x'.repeat(60_000)
  const turn = (text: string) => {
    const id = `t-${text}`
    return [prompt(text), call(id), { ...answer(id), toolUseResult: filler }, said(`Did ${text}.`)]
  }
  const turns = Array.from({ length: 400 }, (_, i) => turn(`${i}`))

  test('is cut like a small one: all before is kept, the open turn and the running cost are not', () => {
    const first = { ...said('First.'), uuid: '66666666-6666-4666-8666-666666666666' }
    const bytes = conversation(
      { type: 'cost-state', totalCostUSD: 1 },
      prompt('zero'),
      first,
      { type: 'last-prompt', leafUuid: first.uuid },
      ...turns.flat(),
      { type: 'last-prompt', leafUuid: first.uuid },
      { type: 'last-prompt', leafUuid: '77777777-7777-4777-8777-777777777777' },
      { type: 'cost-state', totalCostUSD: 2 },
      prompt('open'),
      call('never'),
    )
    expect(bytes.length).toBeGreaterThan(20_000_000)
    const cut = cutAtLastTurn(bytes)
    const kept = linesOf(cut?.bytes ?? new Uint8Array())
    expect(lastText(cut?.bytes)).toBe('Did 399.')
    expect(kept.length).toBe(3 + 4 * 400)
    expect(kept.some((line) => line.type === 'cost-state')).toBe(false)
  })

  test('whose last turn alone is longer than what is read first is cut before it', () => {
    const steps = Array.from({ length: 400 }, (_, i) => [call(`s${i}`), { ...answer(`s${i}`), toolUseResult: filler }])
    const bytes = conversation(prompt('one'), said('First.'), prompt('long'), ...steps.flat())
    expect(lastText(cutAtLastTurn(bytes)?.bytes)).toBe('First.')
    const done = conversation(prompt('long'), ...steps.flat(), said('Done.'))
    expect(lastText(cutAtLastTurn(done)?.bytes)).toBe('Done.')
    const open = conversation(prompt('long'), call('lost'), ...steps.flat(), said('Done.'))
    expect(cutAtLastTurn(open)).toBeNull()
  })
})

test('hostile transcripts give nothing, in time that does not grow out of hand', () => {
  expect(cutAtLastTurn(new Uint8Array())).toBeNull()
  expect(cutAtLastTurn(Buffer.from('\n\n{}\nnull\n[]\n{"type":"assistant"}\n'))).toBeNull()
  const self = '44444444-4444-4444-8444-444444444444'
  const circle = conversation({ ...prompt('a'), uuid: self, parentUuid: self }, { ...said('b'), parentUuid: self })
  expect(lastText(cutAtLastTurn(circle)?.bytes)).toBe('b')
  // A call that is never answered, and thousands of turns after it.
  const turns = Array.from({ length: 3_000 }, (_, i) => [prompt(`p${i}`), said(`s${i}`)]).flat()
  expect(cutAtLastTurn(conversation(prompt('x'), call('never'), ...turns))).toBeNull()
})
