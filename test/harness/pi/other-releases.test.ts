/** Lines that the recorded stories do not have: of older releases, of extensions, of branches. */
import { expect, test } from 'bun:test'
import { pick } from '../scenario'
import { AT, assistant, entry, header, observe, parse, SESSION, says, session, user } from './sessions'

const time = (at: number): string => new Date(at).toISOString()
/** As the first releases wrote an entry, and as a later one writes it anew: with an id of chance behind what was there. */
const old = (at: number, fields: object, id?: string, parentId: string | null = null): string =>
  JSON.stringify({ type: 'message', timestamp: time(at), ...fields, ...(id !== undefined && { id, parentId }) })
const oldHeader = JSON.stringify({ type: 'session', id: SESSION, timestamp: time(AT), cwd: '/home/user/project' })

const prompt = { message: { role: 'user', content: 'Old', timestamp: AT + 1 } }
const answer = { message: { ...assistant('Yes'), timestamp: AT + 2 } }
const hook = { message: { role: 'hookMessage', customType: 'x', content: 'Told', timestamp: AT + 2 } }

test('entries of the first releases keep their events when a later one writes the file anew', () => {
  const before = session([oldHeader, old(AT + 1, prompt), old(AT + 2, answer), old(AT + 2, hook)])
  const renamed = { message: { ...hook.message, role: 'custom' } }
  const after = session([
    JSON.stringify({ ...JSON.parse(oldHeader), version: 3 }),
    old(AT + 1, prompt, 'aaaaaaaa'),
    old(AT + 2, answer, 'bbbbbbbb', 'aaaaaaaa'),
    old(AT + 2, renamed, 'cccccccc', 'bbbbbbbb'),
    says(AT + 3, 'dddddddd', 'cccccccc', user('New')),
  ])
  const first = pick(observe(before), 'event')
  const second = pick(observe(after), 'event')
  const ids = ({ uuid, parentUuid }: (typeof first)[number]) => [uuid, parentUuid]
  expect(second.slice(0, 3).map(ids)).toEqual(first.map(ids))
  expect(second[3]).toMatchObject({ type: 'prompt', parentUuid: first[2]?.uuid ?? '' })
  expect(first.map(({ type }) => type)).toEqual(['prompt', 'text', 'attachment'])
})

test('entries without an id that look the same are events of their own', () => {
  const lines = [oldHeader, old(AT + 1, prompt), old(AT + 1, prompt), old(AT + 1, prompt)]
  const whole = pick(observe(session(lines)), 'event').map(({ uuid }) => uuid)
  expect(new Set(whole).size).toBe(3)
  const { bytes, ref } = session(lines)
  const cut = Buffer.byteLength(lines.slice(0, 2).join('\n')) + 1
  const first = parse({ ref, bytes: bytes.subarray(0, cut) })
  const second = parse({ ref, bytes: bytes.subarray(cut) }, cut, first.carry)
  expect([first, second].flatMap(({ observations }) => pick(observations, 'event').map(({ uuid }) => uuid))).toEqual(
    whole,
  )
})

test('a fork of 2025 names its origin by another word', () => {
  const parent = '019e6000-0000-7000-8000-000000000002'
  const branchedFrom = `/home/user/.pi/agent/sessions/--home-user-project--/2025-12-01T00-00-00-000Z_${parent}.jsonl`
  const seen = observe(
    session([
      JSON.stringify({ ...JSON.parse(oldHeader), branchedFrom }),
      old(AT - 9, prompt),
      old(AT + 5, { message: { role: 'user', content: 'Mine', timestamp: AT + 5 } }),
    ]),
  )
  expect(pick(seen, 'session')[0]).toMatchObject({ forkedFrom: parent })
  expect(pick(seen, 'event').map(({ isCopied }) => isCopied)).toEqual([true, false])
})

test('a session that follows another one without a copy has all its lines itself', () => {
  const parentSession = '/elsewhere/under-another-name.jsonl'
  const seen = observe(session([header(AT, { parentSession }), says(AT, 'aaaaaaaa', null, user('Begin'))]))
  expect(pick(seen, 'event').map(({ isCopied }) => isCopied)).toEqual([false])
  expect(pick(seen, 'session')[0]).not.toHaveProperty('forkedFrom')
})

test('a clock that is set back does not make own lines copies', () => {
  const parentSession = `/x/2026-05-31T00-00-00-000Z_${SESSION.replace('9', '8')}.jsonl`
  const seen = observe(
    session([
      header(AT, { parentSession }),
      says(AT - 9, 'aaaaaaaa', null, user('Copied')),
      says(AT + 9, 'bbbbbbbb', 'aaaaaaaa', user('Own')),
      says(AT - 5, 'cccccccc', 'bbbbbbbb', assistant('Own, too')),
    ]),
  )
  expect(pick(seen, 'event').map(({ isCopied }) => isCopied)).toEqual([true, false, false])
})

test('a branch begins at an earlier entry, with a summary of what was left', () => {
  const seen = observe(
    session([
      header(AT),
      says(AT + 1, 'aaaaaaaa', null, user('One')),
      says(AT + 2, 'bbbbbbbb', 'aaaaaaaa', assistant('Left')),
      entry(AT + 3, 'branch_summary', 'cccccccc', 'aaaaaaaa', {
        ...{ fromId: 'bbbbbbbb', summary: 'It was left.', usage: { input: 7, output: 3 } },
      }),
      says(AT + 4, 'dddddddd', 'cccccccc', assistant('Right')),
    ]),
  )
  const [one, left, summary, right] = pick(seen, 'event')
  expect(left?.parentUuid).toBe(one?.uuid ?? '')
  expect(summary).toMatchObject({ type: 'summary', text: 'It was left.', parentUuid: one?.uuid ?? '' })
  expect(right?.parentUuid).toBe(summary?.uuid ?? '')
  expect(pick(seen, 'usage')).toContainEqual(
    expect.objectContaining({ uuid: summary?.uuid ?? '', model: 'claude-sonnet-4-5', inputTokens: 7 }),
  )
})

test('what extensions and people add is shown, and costs count for the model that was asked', () => {
  const usage = { input: 0, output: 0, cacheRead: 50_000, cacheWrite: 9, cacheWrite1h: 4 }
  const seen = observe(
    session([
      header(AT),
      entry(AT, 'custom_message', 'aaaaaaaa', null, { customType: 'x', content: 'Remember', display: false }),
      entry(AT, 'custom', 'bbbbbbbb', 'aaaaaaaa', { customType: 'state', data: { secret: 1 } }),
      entry(AT, 'label', 'cccccccc', 'bbbbbbbb', { targetId: 'aaaaaaaa', label: 'here' }),
      entry(AT, 'usage', 'dddddddd', 'cccccccc', { kind: 'cache_warm', model: 'claude-opus-5', usage }),
      entry(AT, 'context_edit', 'eeeeeeee', 'dddddddd', { targetId: 'aaaaaaaa', replacement: null }),
      entry(AT, 'thinking_level_change', 'ffffffff', 'eeeeeeee', { thinkingLevel: 'high' }),
      entry(AT, 'of_next_year', '00000000', 'ffffffff', {}),
    ]),
  )
  expect(pick(seen, 'event').map(({ type, text }) => [type, text])).toEqual([
    ['attachment', 'Remember'],
    ['system', 'Kept by an extension: state'],
    ['system', 'Label: here'],
    ['system', 'Usage: cache_warm'],
    ['system', 'An entry is left out from here on.'],
    ['system', 'Thinking: high'],
    ['system', null],
  ])
  expect(pick(seen, 'usage')).toEqual([
    expect.objectContaining({
      ...{ model: 'claude-opus-5', cacheReadTokens: 50_000, cacheCreationTokens: 9, cacheCreation1hTokens: 4 },
    }),
  ])
  expect(pick(seen, 'kind').filter(({ isKnown }) => !isKnown)).toMatchObject([{ name: 'of_next_year' }])
})

test('issues that a prompt names are mentions', () => {
  const seen = observe(session([header(AT), says(AT, 'aaaaaaaa', null, user('Work on ld-3k9q'))]))
  expect(pick(seen, 'mention')).toMatchObject([{ source: 'prompt', words: ['ld-3k9q'] }])
})

test('a file whose header is doubled, as after a failed write, is read on', () => {
  const seen = observe(session([header(AT), header(AT), says(AT, 'aaaaaaaa', null, user('Go'))]))
  expect(pick(seen, 'event').length).toBe(1)
})
