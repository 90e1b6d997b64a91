import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Operation } from '../../../src/api/contract/operation'
import { operations } from '../../../src/api/contract/operations'
import { writeRequest } from '../../../src/api/contract/request-text'
import { decoderOf } from '../../../src/api/server/request/decode-request'
import { createRouter } from '../../../src/api/server/router'

const findRoute = createRouter()
const id = fc.stringMatching(/^[\w%&=+?#:;,é日-]{1,40}$/)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

/** What the server reads from what the client wrote. */
function read(operation: Operation, input: Record<string, unknown>) {
  const { method, target } = writeRequest(operation, input)
  const url = new URL(target, 'http://lodeline.invalid')
  const match = findRoute(method, url.pathname)
  expect(match.operation).toBe(operation)
  const decoder = decoderOf(operation)
  return { ...(decoder.params(match.params) as object), ...(decoder.query(url.searchParams) as object) }
}

const withoutUndefined = (input: object) =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))

test('what a client writes into path and query is what the server reads', () => {
  const events = fc.record({
    id,
    parentToolUseId: maybe(
      fc.oneof(
        id.filter((text) => text !== 'null'),
        fc.constant(null),
      ),
    ),
    subagentId: maybe(id),
    orphans: maybe(fc.boolean()),
    type: maybe(fc.string({ minLength: 1, maxLength: 50 }).filter((text) => !text.includes('\0'))),
    limit: maybe(fc.integer({ min: 1, max: 1_000 })),
    cursor: maybe(fc.stringMatching(/^[\x21-\x7e]{1,50}$/)),
  })
  fc.assert(
    fc.property(events, (input) => {
      expect(read(operations.sessions.events, input)).toEqual(withoutUndefined(input))
    }),
    { numRuns: 500 },
  )
  const sessions = fc.record({
    project: maybe(fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !text.includes('\0'))),
    status: maybe(fc.uniqueArray(fc.constantFrom('running', 'idle', 'lost'))),
  })
  fc.assert(
    fc.property(sessions, (input) => {
      expect(read(operations.sessions.list, input)).toEqual(withoutUndefined(input))
    }),
  )
})

test('an operation that takes a body gets its fields there and none in the address', () => {
  expect(writeRequest(operations.import, { paths: ['/a,b'] })).toEqual({
    method: 'POST',
    target: '/api/import',
    body: '{"paths":["/a,b"]}',
  })
  expect(writeRequest(operations.rebuild, {})).toEqual({ method: 'POST', target: '/api/rebuild', body: '{}' })
  expect(writeRequest(operations.sessions.forget, { id: 'a b' })).toEqual({
    method: 'DELETE',
    target: '/api/sessions/a%20b',
    body: null,
  })
})

test('a change is JSON with its path in the address, and raw bytes leave every field to the query', () => {
  expect(writeRequest(operations.tasks.patch, { id: 't-1', title: 'x', dir: null, agentId: undefined })).toEqual({
    method: 'PATCH',
    target: '/api/tasks/t-1',
    body: '{"title":"x","dir":null}',
  })
  expect(writeRequest(operations.tasks.setConversation, { id: 't-1', claudeSessionId: 'u' })).toEqual({
    method: 'PUT',
    target: '/api/tasks/t-1/claude-session',
    body: '{"claudeSessionId":"u"}',
  })
  expect(writeRequest(operations.attempts.stream, { id: 't-1.2', offset: 5 })).toEqual({
    method: 'PUT',
    target: '/api/attempts/t-1.2/stream?offset=5',
    body: null,
  })
})

test('what a worker writes of a remote file is what the server reads', () => {
  const file = fc.record({
    hostName: fc.stringMatching(/^[\w é&=%+#-]{1,40}$/),
    hostname: fc.stringMatching(/^[\w.-]{1,40}$/),
    path: fc.stringMatching(/^\/[\w é&=%+#?,;-]{1,60}$/),
    kind: fc.constantFrom('transcript', 'subagent', 'subagent_meta', 'tasks'),
    sessionId: fc.oneof(
      id.filter((text) => text !== 'null'),
      fc.constant(null),
    ),
    subagentId: fc.constant(null),
    offset: fc.nat(),
    before: fc.oneof(fc.stringMatching(/^[0-9a-f]{64}$/), fc.constant(null)),
    isGone: maybe(fc.boolean()),
  })
  fc.assert(
    fc.property(file, (input) => {
      expect(read(operations.files.append, input)).toEqual(withoutUndefined(input))
    }),
  )
})

test('what no address can hold is refused as an id', () => {
  for (const id of ['', '.', '..', '\ud800', 'a\udfff'])
    expect(() => writeRequest(operations.sessions.forget, { id })).toThrow('is not an id')
})
