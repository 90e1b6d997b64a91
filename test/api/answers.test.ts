import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { RemoteError } from '../../src/api/client'
import { RESPONSES } from '../../src/api/contract/responses'
import { ROUTES, type RouteName } from '../../src/api/contract/routes'
import { AppError } from '../../src/domain/errors'
import { eventId, sessionId, subagentId, toolUseId } from '../../src/domain/ids'
import { idNumber, MemoryStore, someEvent, someSession, someSubagent, someTodo } from './memory-store'
import { inProcess } from './start-api'

const A = idNumber(0xaaaa0001)
const B = idNumber(0xaaaa0002)

function filledStore(): MemoryStore {
  const store = new MemoryStore()
  store.rows.push(someSession(A), someSession(B, { forkedFrom: sessionId(A), project: '/other' }))
  for (let n = 1; n <= 30; n++) store.eventRows.push(someEvent(A, n))
  store.eventRows.push(
    someEvent(A, 31, { parentToolUseId: toolUseId('toolu_1'), subagentId: subagentId('a1') }),
    someEvent(B, 32, { inherited: true, type: 'prompt', role: 'user' }),
  )
  store.subagentRows.push(someSubagent(A, 'a1'), someSubagent(A, 'sh1', { kind: 'shell' }), someSubagent(B, 'a1'))
  store.todoRows.push(
    someTodo(A, 't1'),
    someTodo(A, 't2', { status: 'removed' }),
    someTodo(B, 't3', { subagentId: subagentId('a1') }),
  )
  const line = new TextEncoder().encode('{"first":1}\n{"text":"wörld"}\n')
  store.contents.set(7, line)
  store.contents.set(8, new Uint8Array([0x7b, 0xff, 0x7d]))
  store.places.set(idNumber(1), { incarnation: 7, offset: 12, length: 16 })
  store.places.set(idNumber(2), { incarnation: 8, offset: 0, length: 3 })
  store.addFeed(3)
  return store
}

test('every JSON answer is what its schema says', async () => {
  const { get, app } = inProcess(filledStore())
  const targets: Partial<Record<RouteName, string>> = {
    health: '/api/health',
    status: '/api/status',
    'sessions.list': '/api/sessions',
    'sessions.get': `/api/sessions/${A}`,
    'sessions.tree': `/api/sessions/${A}/tree`,
    'sessions.events': `/api/sessions/${A}/events`,
    'sessions.event': `/api/sessions/${A}/events/${idNumber(1)}`,
    'sessions.journals': `/api/sessions/${A}/journals`,
    'events.list': '/api/events',
    'subagents.list': `/api/subagents?sessionId=${A}`,
    'subagents.get': '/api/subagents/sh1',
    'todos.list': '/api/todos',
    search: '/api/search?q=event',
    'feed.page': '/api/feed/page',
    doctor: '/api/doctor',
    openapi: '/api/openapi.json',
    import: '/api/import',
    rebuild: '/api/rebuild',
    'sessions.forget': `/api/sessions/${A}`,
  }
  for (const [name, target] of Object.entries(targets) as [RouteName, string][]) {
    const { method } = ROUTES[name]
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
    expect(RESPONSES[name]?.parse(body)).toEqual(body)
  }
})

test('a session answers to a unique beginning of its id, and to nothing shorter or shared', async () => {
  const { client } = inProcess(filledStore())
  expect((await client.sessions.get(A.slice(0, 8))).session.id).toBe(sessionId(A))
  await expect(client.sessions.get('0000aaaa')).rejects.toMatchObject({ code: 'not_found' })
  await expect(client.sessions.get('aaaa')).rejects.toMatchObject({ code: 'conflict', details: { candidates: [A, B] } })
  await expect(client.sessions.get(A.slice(0, 3))).rejects.toMatchObject({ code: 'not_found' })
  expect((await client.events.list({ sessionId: A.slice(0, 8), limit: 2 })).events.length).toBe(2)
})

test('a forgotten session is told as such', async () => {
  const store = filledStore()
  store.tombstones.add(idNumber(9))
  const { client } = inProcess(store)
  await expect(client.sessions.get(idNumber(9))).rejects.toThrow('was forgotten')
})

test('show gives agents and background tasks apart, with the to-dos', async () => {
  const { client } = inProcess(filledStore())
  const shown = await client.sessions.get(A)
  expect(shown.subagents.map(({ id }) => String(id))).toEqual(['a1'])
  expect(shown.backgroundTasks.map(({ id }) => String(id))).toEqual(['sh1'])
  expect(shown.todos.map(({ id }) => String(id))).toEqual(['t1'])
  expect(Object.keys(shown.session)).not.toContain('key')
  expect(Object.keys(shown.session)).not.toContain('signals')
})

test('the literal null asks for the main thread, and a filter left out for all', async () => {
  const { client, get } = inProcess(filledStore())
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
  const store = new MemoryStore()
  for (let n = 1; n <= 23; n++) {
    store.rows.push(someSession(idNumber(n)))
    store.eventRows.push(someEvent(A, n))
    store.todoRows.push(someTodo(A, `list/${n} %?`))
  }
  const { client } = inProcess(store)
  const ids: string[] = []
  for await (const session of client.sessions.all({ limit: 5 })) ids.push(session.id)
  expect(ids).toEqual(store.rows.map(({ id }) => id))
  ids.length = 0
  for await (const event of client.events.all({ limit: 4 })) ids.push(event.id)
  expect(ids).toEqual(store.eventRows.map(({ id }) => id))
  const todos: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await client.todos.list({ limit: 7, ...(cursor !== undefined && { cursor }) })
    todos.push(...page.todos.map(({ id }) => id))
    if (page.nextCursor === null) break
    cursor = page.nextCursor
  }
  expect(todos).toEqual(store.todoRows.map(({ id }) => id))
  await expect(client.todos.list({ cursor: 'gone' })).rejects.toMatchObject({ code: 'invalid' })
})

test('a list by status is exact over its pages, however few sessions match', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { maxLength: 700 }),
      fc.integer({ min: 1, max: 60 }),
      async (flags, limit) => {
        const store = new MemoryStore()
        for (const [n, isEnded] of flags.entries()) {
          const row = someSession(idNumber(n + 1))
          store.rows.push({
            ...row,
            signals: {
              ...row.signals,
              activity: isEnded ? 'ended' : 'working',
              activityAt: Date.now(),
              endedAt: isEnded ? Date.now() : null,
            },
          })
        }
        const { client } = inProcess(store)
        const all: { id: string; status: string }[] = []
        for await (const session of client.sessions.all({ limit: 1_000 })) all.push(session)
        expect(new Set(all.map(({ status }) => status)).size).toBe(new Set(flags).size)
        const wanted = all[0]?.status as 'ended' | undefined
        if (wanted === undefined) return
        const got: string[] = []
        for await (const session of client.sessions.all({ status: [wanted], limit })) got.push(session.id)
        expect(got).toEqual(all.filter(({ status }) => status === wanted).map(({ id }) => id))
      },
    ),
    { numRuns: 25 },
  )
})

test('a sub-agent whose id several sessions have needs its session', async () => {
  const { client } = inProcess(filledStore())
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
  const { client } = inProcess(filledStore())
  expect((await client.sessions.event(A, idNumber(1).toUpperCase())).line).toEqual({
    text: '{"text":"wörld"}'.slice(0, 15),
    base64: null,
    offset: 12,
    length: 16,
  })
  expect((await client.sessions.event(A, idNumber(2))).line?.base64).toBe('e/99')
  expect((await client.sessions.event(A, idNumber(3))).line).toBeNull()
  await expect(client.sessions.event(A, eventId(idNumber(99)))).rejects.toMatchObject({ code: 'not_found' })
})

test('forgetting asks for the whole id', async () => {
  const { client, services } = inProcess(filledStore())
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
  const { client, services } = inProcess()
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
  const { app, services } = inProcess()
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
  const { get, log, store } = inProcess()
  store.failure = new Error('something odd')
  const response = await get('/api/sessions')
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({ error: { code: 'internal', message: 'something odd' } })
  expect(log.lines.filter((line) => line.startsWith('error')).length).toBe(1)
  store.failure = new AppError('unavailable', 'the database is locked by 123', { details: { cyclic: cycle() } })
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
  const { get } = inProcess(filledStore())
  const cases: [string, RegExp][] = [
    ['/api/sessions?limit=0', /query "limit" must be at least 1/],
    ['/api/sessions?limit=1001', /query "limit" must be at most 1000/],
    ['/api/sessions?limit=ten', /query "limit" must be a whole number/],
    ['/api/sessions?limit=1.5', /query "limit" must be a whole number/],
    ['/api/sessions?limit=', /query "limit" must be a whole number/],
    ['/api/sessions?limit=1&limit=2', /"limit" is given twice/],
    ['/api/sessions?projekt=x', /"projekt" is unknown here/],
    ['/api/sessions?status=running,gone', /must be one of running/],
    ['/api/sessions?agent=codex', /must be one of claude-code/],
    ['/api/sessions?__proto__=x', /unknown here/],
    ['/api/health?x=1', /unknown here/],
    ['/api/search', /query "q" is missing/],
    ['/api/search?q=', /at least 1 characters long/],
    ['/api/search?q=%00', /holds NUL/],
    ['/api/events?orphans=yes', /must be true or false/],
    [`/api/sessions/${A}/events/not-a-uuid`, /path "eventId" is not a uuid/],
  ]
  for (const [target, message] of cases) {
    const response = await get(target)
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    expect([target, response.status, error.code]).toEqual([target, 400, 'invalid'])
    expect(error.message).toMatch(message)
  }
})

test('no query, path or body makes the server fail', async () => {
  const { app } = inProcess(filledStore())
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
  const routes = fc.constantFrom(...Object.values(ROUTES))
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
