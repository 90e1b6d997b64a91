import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { RemoteError } from '../../../src/api/client'
import { listAll } from '../../../src/api/client/list-all'
import { allOperations, operations } from '../../../src/api/contract/operations'
import { AppError } from '../../../src/domain/errors'
import { eventId, sessionId } from '../../../src/domain/ids'
import type { SessionRow } from '../../../src/domain/record/record-store'
import { idNumber } from '../../samples/sessions'
import { sampleEvent, sampleSubagent, sampleToolUse } from '../../store-contract/sample'
import { addFeed, putSession, putTodos } from '../seed'
import { inProcess } from '../start-api'
import { openTestStore } from '../test-store'
import { type JsonOperation, schemaOf } from './declared-answers'

const A = idNumber(0xaaaa0001)
const B = idNumber(0xaaaa0002)

const uuidBytes = (id: string): Uint8Array => new Uint8Array(Buffer.from(id.replaceAll('-', ''), 'hex'))

/** Two sessions, one forked from the other, with what hangs on them. */
async function filledStore() {
  const store = await openTestStore()
  const journal = Buffer.concat([Buffer.from('{"first":1}\n{"text":"wörld"}\n'), Buffer.from([0x7b, 0xff, 0x7d])])
  await store.write(async (tx) => {
    const { record } = tx
    const a = await putSession(tx, A, { bytes: new Uint8Array(journal), project: '/p' })
    const b = await putSession(tx, B, { project: '/other', forkedFrom: { id: A, evidence: 'told' } })
    await record.mergeSubagents([
      sampleSubagent(a, 'a1', { link: { toolUseId: 'toolu_1', evidence: 'tool_result' } }),
      sampleSubagent(a, 'sh1', { kind: 'shell' }),
      sampleSubagent(b, 'a1'),
    ])
    await record.mergeToolUses([sampleToolUse(a, 'toolu_1')])
    const [ofA, ofB] = [await record.subagent(a.key, 'a1', 'agent'), await record.subagent(b.key, 'a1', 'agent')]
    const places = [
      { offset: 12, length: 16 },
      { offset: 30, length: 3 },
    ]
    const own = Array.from({ length: 30 }, (_, n) =>
      sampleEvent(a, { uuid: uuidBytes(idNumber(n + 1)), at: n + 1, text: `event ${n + 1}`, ...places[n] }),
    )
    const keys = await record.insertEvents([
      ...own,
      sampleEvent(a, { uuid: uuidBytes(idNumber(31)), at: 31, parentToolUseId: 'toolu_1', subagentKey: ofA.key }),
      sampleEvent(b, { uuid: uuidBytes(idNumber(32)), at: 32, isInherited: true, type: 'prompt', role: 'user' }),
    ])
    await record.indexText(
      own.flatMap(({ text }, n) => {
        const event = keys[n]
        return event == null ? [] : [{ event, session: a.key, text: text ?? '', isOutput: false }]
      }),
    )
    await putTodos(tx, a, ['stays', 'goes'])
    await putTodos(tx, a, ['stays'], { at: 2 })
    await putTodos(tx, b, ['below'], { agent: { key: ofB.key, id: 'a1' } })
  })
  await addFeed(store, 3)
  return store
}

test('every JSON answer is what its schema says', async () => {
  const { get, app } = await inProcess(await filledStore())
  const targets: [JsonOperation, string][] = [
    [operations.health, '/api/health'],
    [operations.status, '/api/status'],
    [operations.sessions.list, '/api/sessions'],
    [operations.sessions.place, `/api/sessions/${A}`],
    [operations.sessions.tree, `/api/sessions/${A}/tree`],
    [operations.sessions.events, `/api/sessions/${A}/events`],
    [operations.sessions.event, `/api/sessions/${A}/events/${idNumber(1)}`],
    [operations.sessions.journals, `/api/sessions/${A}/journals`],
    [operations.events.list, '/api/events'],
    [operations.subagents.list, `/api/subagents?sessionId=${A}`],
    [operations.subagents.get, '/api/subagents/sh1'],
    [operations.todos.list, '/api/todos'],
    [operations.search, '/api/search?q=event'],
    [operations.feed.page, '/api/feed/page'],
    [operations.doctor, '/api/doctor'],
    [operations.openapi, '/api/openapi.json'],
    [operations.import, '/api/import'],
    [operations.rebuild, '/api/rebuild'],
    [operations.sessions.forget, `/api/sessions/${A}`],
  ]
  for (const [operation, target] of targets) {
    const { name, method } = operation
    const response =
      method === 'GET'
        ? await get(target)
        : await app.fetch(
            new Request(`http://x${target}`, {
              method,
              headers: { 'content-type': 'application/json' },
              ...(method === 'POST' && { body: name === 'import' ? '{"paths":["/x"]}' : '{}' }),
            }),
          )
    const body = (await response.json()) as never
    expect([name, response.status, (body as { error?: unknown }).error]).toEqual([name, 200, undefined])
    expect(schemaOf(operation).parse(body)).toEqual(body)
  }
})

test('a session answers to a unique beginning of its id, and to nothing shorter or shared', async () => {
  const { client } = await inProcess(await filledStore())
  expect((await client.sessions.get(A.slice(0, 8))).session.id).toBe(sessionId(A))
  await expect(client.sessions.get('0000aaaa')).rejects.toMatchObject({ code: 'not_found' })
  await expect(client.sessions.get('aaaa')).rejects.toMatchObject({ code: 'conflict', details: { candidates: [A, B] } })
  await expect(client.sessions.get(A.slice(0, 3))).rejects.toMatchObject({ code: 'not_found' })
  expect((await client.events.list({ sessionId: A.slice(0, 8), limit: 2 })).events.length).toBe(2)
})

test('a forgotten session is told as such', async () => {
  const store = await filledStore()
  await store.write(async (tx) => await tx.sessions.forget((await putSession(tx, idNumber(9))).key))
  const { client } = await inProcess(store)
  await expect(client.sessions.get(idNumber(9))).rejects.toThrow('was forgotten')
})

test('show gives agents and background tasks apart, with the to-dos', async () => {
  const { client } = await inProcess(await filledStore())
  const shown = await client.sessions.get(A)
  expect(shown.subagents.map(({ id }) => String(id))).toEqual(['a1'])
  expect(shown.backgroundTasks.map(({ id }) => String(id))).toEqual(['sh1'])
  expect(shown.todos.map(({ content }) => content)).toEqual(['stays'])
  expect(Object.keys(shown.session)).not.toContain('key')
  expect(Object.keys(shown.session)).not.toContain('signals')
})

test('the literal null asks for the main thread, and a filter left out for all', async () => {
  const { client, get } = await inProcess(await filledStore())
  const count = async (input: Parameters<typeof client.events.list>[0]) =>
    (await client.events.list({ limit: 1_000, ...input })).events.length
  expect(await count({ sessionId: A, parentToolUseId: null })).toBe(30)
  expect(await count({ sessionId: A, parentToolUseId: 'toolu_1' })).toBe(1)
  expect(await count({ sessionId: A, subagentId: 'a1' })).toBe(1)
  expect(await count({ sessionId: A })).toBe(31)
  expect(await count({ ownOnly: true })).toBe(31)
  expect(await count({ type: 'user' })).toBe(1)
  const raw = (await (await get(`/api/sessions/${A}/events?parentToolUseId=null&limit=1000`)).json()) as {
    events: unknown[]
  }
  expect(raw.events.length).toBe(30)
})

test('pages of every list join to the whole, each row once', async () => {
  const store = await openTestStore()
  await store.write(async (tx) => {
    for (let n = 1; n <= 23; n++) {
      const session = await putSession(tx, idNumber(n), { lastEventAt: n })
      await tx.record.insertEvents([sampleEvent(session, { uuid: uuidBytes(idNumber(n)), at: n })])
      await putTodos(tx, session, [`${n} %?`], { at: n })
    }
  })
  const { client } = await inProcess(store)
  const numbers = Array.from({ length: 23 }, (_, i) => i + 1)
  const all = numbers.map(idNumber).toSorted()
  const ids: string[] = []
  for await (const session of listAll(client.sessions.list, { limit: 5 }, 'sessions')) ids.push(session.id)
  expect(ids.toSorted()).toEqual(all)
  ids.length = 0
  for await (const event of listAll(client.events.list, { limit: 4 }, 'events')) ids.push(event.id)
  expect(ids.toSorted()).toEqual(all)
  const todos: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await client.todos.list({ limit: 7, ...(cursor !== undefined && { cursor }) })
    todos.push(...page.todos.map(({ content }) => content))
    if (page.nextCursor === null) break
    cursor = page.nextCursor
  }
  expect(todos.toSorted()).toEqual(numbers.map((n) => `${n} %?`).toSorted())
  await expect(client.todos.list({ cursor: 'gone' })).rejects.toMatchObject({ code: 'invalid' })
})

test('a list by status is exact over its pages, however few sessions match', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { maxLength: 700 }),
      fc.integer({ min: 1, max: 60 }),
      async (flags, limit) => {
        const store = await openTestStore()
        const at = Date.now()
        const activity = (isEnded: boolean): Partial<SessionRow> => ({
          lastEventAt: at,
          activity: { state: isEnded ? 'ended' : 'working', at, evidence: 'told', reason: null },
        })
        await store.write(async (tx) => {
          for (const [n, isEnded] of flags.entries()) await putSession(tx, idNumber(n + 1), activity(isEnded))
        })
        await using _ = { [Symbol.asyncDispose]: () => store.close() }
        const { client } = await inProcess(store)
        const all: { id: string; status: string }[] = []
        for await (const session of listAll(client.sessions.list, { limit: 1_000 }, 'sessions')) all.push(session)
        expect(new Set(all.map(({ status }) => status)).size).toBe(new Set(flags).size)
        const wanted = all[0]?.status as 'ended' | undefined
        if (wanted === undefined) return
        const got: string[] = []
        for await (const session of listAll(client.sessions.list, { status: [wanted], limit }, 'sessions'))
          got.push(session.id)
        expect(got).toEqual(all.filter(({ status }) => status === wanted).map(({ id }) => id))
      },
    ),
    { numRuns: 25 },
  )
})

test('a sub-agent whose id several sessions have needs its session', async () => {
  const { client } = await inProcess(await filledStore())
  const error = await client.subagents.get('a1').catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(RemoteError)
  expect(error).toMatchObject({
    code: 'conflict',
    status: 409,
    details: { candidates: [{ sessionId: A }, { sessionId: B }] },
  })
  expect((await client.subagents.get('a1', { sessionId: B })).subagent.sessionId).toBe(sessionId(B))
  await expect(client.subagents.get('zz')).rejects.toMatchObject({ code: 'not_found' })
})

test("an event's line comes as it stands in the journal, and as bytes where text can't hold it", async () => {
  const { client, store } = await inProcess(await filledStore())
  expect((await client.sessions.event(A, idNumber(1).toUpperCase())).line).toEqual({
    text: '{"text":"wörld"}'.slice(0, 15),
    base64: null,
    offset: 12,
    length: 16,
  })
  expect((await client.sessions.event(A, idNumber(2))).line?.base64).toBe('e/99')
  // It was forgotten between two looks.
  store.events.locate = async () => undefined
  expect((await client.sessions.event(A, idNumber(3))).line).toBeNull()
  await expect(client.sessions.event(A, eventId(idNumber(99)))).rejects.toMatchObject({ code: 'not_found' })
})

test('forgetting asks for the whole id', async () => {
  const { client, services } = await inProcess(await filledStore())
  await expect(client.sessions.forget(A.slice(0, 8))).rejects.toMatchObject({
    code: 'invalid',
    details: { candidates: [A] },
  })
  await expect(client.sessions.forget(idNumber(5))).rejects.toMatchObject({ code: 'not_found' })
  expect(services.forgotten).toEqual([])
  await client.sessions.forget(A)
  expect(services.forgotten).toEqual([sessionId(A)])
})

test('import tells its progress, its totals and its errors', async () => {
  const { client, services } = await inProcess()
  const seen: number[] = []
  const totals = await client.import({ paths: ['/a', '/b'] }, { onProgress: ({ filesDone }) => seen.push(filesDone) })
  expect([totals.events, services.imported]).toEqual([3, [['/a', '/b']]])
  expect(await client.import({ paths: ['/a'] })).toEqual(totals)
  await expect(client.import({ paths: ['relative/path'] })).rejects.toMatchObject({ code: 'invalid' })
  await expect(client.import({ paths: [] })).rejects.toMatchObject({ code: 'invalid' })
  services.failure = new AppError('storage_full', 'no space left', { hint: 'make room' })
  const withProgress = await client
    .import({ paths: ['/a'] }, { onProgress: () => {} })
    .catch((thrown: unknown) => thrown)
  const without = await client.import({ paths: ['/a'] }).catch((thrown: unknown) => thrown)
  for (const error of [withProgress, without]) {
    expect(error).toBeInstanceOf(RemoteError)
    expect(error).toMatchObject({ code: 'storage_full', message: 'no space left', hint: 'make room' })
  }
  await expect(client.rebuild({ onProgress: () => {} })).rejects.toMatchObject({ code: 'storage_full' })
})

test('a hook is kept as the bytes that came and answered by nothing, an error too', async () => {
  const { app, services } = await inProcess()
  const post = (body: string) =>
    app.fetch(
      new Request('http://x/hooks/claude-code', {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      }),
    )
  const payload = '{ "hook_event_name":"PreCompact",\n "x":"ü" }'
  const good = await post(payload)
  expect([good.status, await good.text(), services.hooks]).toEqual([204, '', [payload]])
  services.failure = new AppError('storage_full', 'no space left')
  const bad = await post(payload)
  expect([bad.status, await bad.text(), bad.headers.get('lodeline-error')]).toEqual([507, '', 'storage_full'])
  for (const body of ['[]', 'null', '{', '']) {
    const refused = await post(body)
    expect([body, refused.status, await refused.text()]).toEqual([body, 400, ''])
  }
})

test('what a handler throws is logged once and told without its stack', async () => {
  const { get, log, store } = await inProcess()
  let failure = new Error('something odd')
  store.sessions.list = async () => {
    throw failure
  }
  const response = await get('/api/sessions')
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({ error: { code: 'internal', message: 'something odd' } })
  expect(log.lines.filter((line) => line.startsWith('error')).length).toBe(1)
  failure = new AppError('unavailable', 'the database is locked by 123', { details: { cyclic: cycle() } })
  const locked = await get('/api/sessions')
  expect([locked.status, locked.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await locked.json()).toEqual({ error: { code: 'unavailable', message: 'the database is locked by 123' } })
})

function cycle(): object {
  const value: Record<string, unknown> = {}
  value.self = value
  return value
}

test('a wrong query says which field is wrong and what would be right', async () => {
  const { get } = await inProcess(await filledStore())
  const cases: [string, RegExp][] = [
    ['/api/sessions?limit=0', /^The query parameter "limit" must be at least 1\.$/],
    ['/api/sessions?limit=1001', /^The query parameter "limit" must be at most 1000\.$/],
    ['/api/sessions?limit=ten', /^The query parameter "limit" must be a whole number\.$/],
    ['/api/sessions?limit=1.5', /^The query parameter "limit" must be a whole number\.$/],
    ['/api/sessions?limit=', /^The query parameter "limit" must be a whole number\.$/],
    ['/api/sessions?limit=1&limit=2', /"limit" is given twice/],
    ['/api/sessions?projekt=x', /Unknown query parameter "projekt"/],
    ['/api/sessions?status=running,gone', /must be one of running/],
    ['/api/sessions?agent=codex', /must be one of claude-code/],
    ['/api/sessions?__proto__=x', /Unknown query parameter/],
    ['/api/health?x=1', /Unknown query parameter/],
    ['/api/search', /^The query parameter "q" is missing\.$/],
    ['/api/search?q=', /at least 1 characters long/],
    ['/api/search?q=%00', /holds NUL/],
    ['/api/events?orphans=yes', /must be true or false/],
    [`/api/sessions/${A}/events/not-a-uuid`, /^The path parameter "eventId" is not a uuid or the beginning of one\.$/],
  ]
  for (const [target, message] of cases) {
    const response = await get(target)
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    expect([target, response.status, error.code]).toEqual([target, 400, 'invalid'])
    expect(error.message).toMatch(message)
  }
})

test('no query, path or body makes the server fail', async () => {
  const { app } = await inProcess(await filledStore())
  const keys = fc.constantFrom(
    'limit',
    'cursor',
    'sessionId',
    'q',
    'type',
    'status',
    'kinds',
    'after',
    'parentToolUseId',
    'incarnation',
    'x',
  )
  const values = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('null', '-1', '0', '1', '1e9', 'true', '%', '%00', A),
  )
  const routes = fc.constantFrom(...allOperations)
  await fc.assert(
    fc.asyncProperty(
      routes,
      fc.array(fc.tuple(keys, values), { maxLength: 4 }),
      values,
      fc.boolean(),
      fc.oneof(fc.json(), fc.string()),
      async (route, query, id, isEncoded, body) => {
        const text = isEncoded ? encodeURIComponent(id.toWellFormed()) : id
        const path = route.path.replace(/:\w+/g, text.replaceAll('$', '%24'))
        const search = query
          .map(([key, value]) => `${key}=${isEncoded ? encodeURIComponent(value.toWellFormed()) : value}`)
          .join('&')
        const response = await app.fetch(
          new Request(new URL(`${path}?${search}`, 'http://lodeline.invalid').href, {
            method: route.method,
            headers: { 'content-type': 'application/json' },
            ...(route.method === 'POST' && { body }),
          }),
        )
        await response.body?.cancel()
        expect(response.status).not.toBe(500)
        expect(response.headers.get('lodeline-version')).toBe('1.2.3')
      },
    ),
    { numRuns: 2_000 },
  )
})
