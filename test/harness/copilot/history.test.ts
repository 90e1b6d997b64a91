/** Sessions of 2025: one JSON document each, and one that a later release took over as a line. */
import { expect, test } from 'bun:test'
import type { Observation } from '../../../src/domain/record/observation'
import { copilot } from '../../../src/harness/copilot'
import { readLineContent } from '../../../src/harness/copilot/content/line-content'
import { wholeText } from '../../../src/harness/copilot/content/whole-text'
import { copilotTranslation } from '../../../src/harness/copilot/translate'
import { eventTypes, pick } from '../scenario'
import { AT, line, SESSION } from './sessions'

const at = (n: number) => new Date(Date.UTC(2025, 9, 1, 10, 0, n)).toISOString()
const call = (id: string, name: string, input: object) => ({
  ...{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } },
})
const HISTORY = {
  sessionId: SESSION,
  startTime: at(0),
  chatMessages: [
    { role: 'user', content: '<current_datetime>now</current_datetime>\n\nFix "it"' },
    {
      ...{ role: 'assistant', content: 'I look.' },
      tool_calls: [call('c1', 'bash', { command: 'make' }), call('c2', 'view', { path: '/a' })],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'no rule' },
    { role: 'tool', tool_call_id: 'c2', content: 'text of a' },
    { role: 'assistant', content: 'Done.' },
  ],
  timeline: [
    { id: 't0', type: 'info', text: 'Logged in', timestamp: at(0) },
    { id: 't1', type: 'user', text: 'Fix "it"', timestamp: at(1) },
    { id: 't2', type: 'copilot', text: 'I look.', timestamp: at(2) },
    { id: 't3', type: 'tool_call_requested', callId: 'c1', name: 'bash', arguments: {}, timestamp: at(3) },
    {
      ...{ id: 't4', type: 'tool_call_completed', callId: 'c1', name: 'bash', timestamp: at(4) },
      result: { type: 'failure', log: 'no rule' },
    },
    { id: 't5', type: 'tool_call_requested', callId: 'c2', name: 'view', arguments: {}, timestamp: at(5) },
    {
      ...{ id: 't6', type: 'tool_call_completed', callId: 'c2', name: 'view', timestamp: at(6) },
      result: { type: 'success', log: 'text of a' },
    },
    { id: 't7', type: 'copilot', text: 'Done.', timestamp: at(7) },
    { id: 't8', type: 'user', text: 'Never sent', timestamp: at(8) },
    { id: 't9', type: 'new_in_this_release', timestamp: at(9) },
  ],
}
const DOCUMENT = Buffer.from(JSON.stringify(HISTORY, null, 2))

function read(bytes: Uint8Array): Observation[] | null {
  const ref = copilot.classify(`/home/user/.copilot/history-session-state/session_${SESSION}_1759312800000.json`)
  if (ref?.sessionId !== SESSION) throw new Error('not recognised')
  return copilot.parseDocument(bytes, { ref, offset: 0 })
}

test('what was said is told once, though the document has it twice, with the times of the second', () => {
  const seen = read(DOCUMENT) ?? []
  const told = pick(seen, 'event').map((event) => [event.type, event.text?.split('\n').at(-1), event.at])
  expect(told).toEqual([
    ['prompt', 'Fix "it"', Date.parse(at(1))],
    ['tool_call', '/a', Date.parse(at(2))],
    ['tool_result', 'no rule', Date.parse(at(4))],
    ['tool_result', 'text of a', Date.parse(at(6))],
    ['text', 'Done.', Date.parse(at(7))],
    ['system', 'Logged in', Date.parse(at(0))],
    ['prompt', 'Never sent', Date.parse(at(8))],
  ])
  expect(pick(seen, 'tool_call').map(({ toolUseId, name }) => [toolUseId, name])).toEqual([
    ['c1', 'bash'],
    ['c2', 'view'],
  ])
  expect(pick(seen, 'tool_result').map(({ toolUseId, isError }) => [toolUseId, isError])).toEqual([
    ['c1', true],
    ['c2', false],
  ])
  expect(pick(seen, 'kind').flatMap(({ name, isKnown }) => (isKnown ? [] : [name]))).toEqual([
    'history/new_in_this_release',
  ])
})

test('a document that grew adds what is new alone, and a half is waited for', () => {
  const ids = (bytes: Uint8Array) => pick(read(bytes) ?? [], 'event').map(({ uuid }) => uuid)
  const before = ids(
    Buffer.from(
      JSON.stringify({
        ...HISTORY,
        ...{ chatMessages: HISTORY.chatMessages.slice(0, 3), timeline: HISTORY.timeline.slice(0, 5) },
      }),
    ),
  )
  expect(ids(DOCUMENT)).toEqual(expect.arrayContaining(before))
  expect(read(DOCUMENT.subarray(0, 300))).toBeNull()
  expect(read(Buffer.from('{"chatMessages":{},"timeline":[1,null,{}]}'))).not.toBeNull()
})

test('a session that a later release took over has the same events, and goes on', () => {
  const ref = copilot.classify(`/home/user/.copilot/session-state/${SESSION}/events.jsonl`)
  if (ref === null) throw new Error('not recognised')
  const lines = [
    line(AT, 'session.start', { sessionId: SESSION, startTime: new Date(AT + 1).toISOString() }),
    line(AT + 2, 'session.import_legacy', { legacySession: HISTORY, importTime: at(30), sourceFile: 'x' }),
    line(AT + 3, 'user.message', { content: 'Go on' }),
  ]
  const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(''))
  const { observations, malformed } = copilot.parseLines(bytes, { ref, offset: 0 })
  expect(malformed).toEqual([])
  const events = pick(observations, 'event')
  const own = pick(read(DOCUMENT) ?? [], 'event').map(({ uuid }) => uuid)
  expect(events.slice(0, own.length).map(({ uuid }) => uuid)).toEqual(own)
  expect(events.at(-1)).toMatchObject({ type: 'prompt', text: 'Go on' })
  for (const { offset, length } of events) JSON.parse(bytes.toString('utf8', offset, offset + length))
})

test('a message is shown to a person, and goes on in another agent CLI', () => {
  const [prompt, call] = HISTORY.chatMessages.map((message) => Buffer.from(JSON.stringify(message)))
  expect(wholeText(prompt ?? Buffer.from(''))).toContain('Fix "it"')
  expect(readLineContent(call ?? Buffer.from('')).blocks).toMatchObject([
    { kind: 'text', text: 'I look.' },
    { kind: 'call', toolUseId: 'c1', name: 'bash', input: { command: 'make' } },
    { kind: 'call', toolUseId: 'c2', name: 'view' },
  ])
  const { parts } = copilotTranslation.read([DOCUMENT])
  expect(parts.map((part) => (part.kind === 'call' ? [part.name, part.answer?.text] : [part.kind, part.text]))).toEqual(
    [
      ['person', '<current_datetime>now</current_datetime>\n\nFix "it"'],
      ['agent', 'I look.'],
      ['bash', 'no rule'],
      ['view', 'text of a'],
      ['agent', 'Done.'],
    ],
  )
  expect(eventTypes(read(DOCUMENT) ?? [])).toMatchObject({ prompt: 2 })
})
