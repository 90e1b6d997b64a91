import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { type Client, createClient } from '../../../src/api/client'
import { listAll } from '../../../src/api/client/list-all'
import { operations } from '../../../src/api/contract/operations'
import { type App, createApp } from '../../../src/api/server/app'
import { importFiles } from '../../../src/app/files/import-files'
import { createRecordEngine, type KeptStore } from '../../../src/app/threads/record-engine'
import { openStore } from '../../../src/store/open'
import { KeptLog, KeptServices } from '../start-api'
import { declaredApp, type JsonOperation, schemaOf } from './declared-answers'

const FIXTURES = join(import.meta.dir, '../../fixtures/claude-code/transcripts')

let folder: string
let store: KeptStore
let app: App
let client: Client

beforeAll(async () => {
  folder = await mkdtemp('/tmp/ld-')
  store = await openStore({ path: join(folder, 'x.db'), mode: 'read-write', migrate: true })
  const engine = createRecordEngine(store, { name: 'host', hostname: 'host' })
  await importFiles([FIXTURES], engine, 4)
  const services = new KeptServices()
  services.forget = async (id) => {
    return (await engine.forget(id)) ?? { handoffs: 0, tasks: [], keptTasks: [] }
  }
  app = declaredApp(
    createApp({
      store,
      services,
      access: { kind: 'in_process' },
      version: '1.2.3',
      runtime: 'test',
      log: new KeptLog(),
    }),
  )
  client = createClient((request) => app.fetch(request))
})
afterAll(async () => {
  await store.close()
  await rm(folder, { recursive: true })
})

const answer = async (operation: JsonOperation, target: string) => {
  const response = await app.fetch(new Request(`http://lodeline.invalid${target}`))
  const body = (await response.json()) as never
  expect([target, response.status, (body as { error?: unknown }).error]).toEqual([target, 200, undefined])
  expect(schemaOf(operation).parse(body)).toEqual(body)
  return body as unknown
}

test('what the database holds is answered as the schemas say, for every session', async () => {
  const sessions = await Array.fromAsync(listAll(client.sessions.list, { limit: 3 }, 'sessions'))
  expect(sessions.length).toBeGreaterThan(20)
  expect(new Set(sessions.map(({ id }) => id)).size).toBe(sessions.length)
  for (const { id } of sessions) {
    await answer(operations.sessions.place, `/api/sessions/${id}`)
    await answer(operations.sessions.tree, `/api/sessions/${id}/tree`)
    await answer(operations.sessions.events, `/api/sessions/${id}/events?limit=1000`)
    await answer(operations.sessions.conversation, `/api/sessions/${id}/conversation?depth=3&full=true&limit=200`)
    await answer(operations.sessions.conversation, `/api/sessions/${id}/conversation?flat=true&from=end&limit=3`)
    await answer(operations.sessions.timeline, `/api/sessions/${id}/timeline`)
    await answer(operations.sessions.journals, `/api/sessions/${id}/journals`)
    await answer(operations.subagents.list, `/api/subagents?sessionId=${id}&kinds=agent,shell,monitor`)
  }
  for (const [operation, target] of [
    [operations.sessions.list, '/api/sessions?limit=1000'],
    [operations.events.list, '/api/events?limit=1000'],
    [operations.todos.list, '/api/todos?includeRemoved=true&limit=1000'],
    [operations.search, '/api/search?q=the'],
    [operations.feed.page, '/api/feed/page?limit=1000'],
    [operations.doctor, '/api/doctor'],
    [operations.status, '/api/status'],
  ] as const) {
    await answer(operation, target)
  }
})

test('a conversation holds each line of the main thread once, and a cursor is good for its own conversation alone', async () => {
  const sessions = await Array.fromAsync(listAll(client.sessions.list, {}, 'sessions'))
  for (const { id } of sessions) {
    const shown = new Map<string, number>()
    let cursor: string | undefined
    do {
      const page = await client.sessions.conversation(id, { limit: 1, cursor })
      for (const { start, items } of page.turns) {
        for (const item of [...(start === null ? [] : [start]), ...items]) {
          const ids = [item.eventId, item.tool?.result?.eventId].filter((each) => each != null)
          for (const each of ids) shown.set(each, (shown.get(each) ?? 0) + 1)
          // Attachments and lines of the CLI that follow one another are one entry.
          if (item.count > 1 && item.eventId !== null) shown.set(`${item.eventId} and more`, item.count - 1)
        }
      }
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    const { events } = await client.events.list({ sessionId: id, parentToolUseId: null, limit: 1_000 })
    expect([id, [...shown.values()].reduce((sum, n) => sum + n, 0)]).toEqual([id, events.length])
    const known = new Set<string>(events.map((event) => event.id))
    expect([...shown.keys()].filter((each) => !each.endsWith('more') && !known.has(each))).toEqual([])
  }
  const [one, two] = sessions.filter((session) => session.counts.events > 20)
  const { nextCursor } = await client.sessions.conversation(one?.id ?? '', { limit: 1 })
  expect(nextCursor).not.toBeNull()
  const failure = (input: Parameters<typeof client.sessions.conversation>[1], id = one?.id ?? '') =>
    client.sessions.conversation(id, input).then(
      () => 'answered',
      (error: { code: string }) => error.code,
    )
  expect(await failure({ cursor: nextCursor ?? '' }, two?.id)).toBe('invalid')
  expect(await failure({ cursor: nextCursor ?? '', flat: true })).toBe('invalid')
  expect(await failure({ cursor: nextCursor ?? '', from: 'end' })).toBe('invalid')
  expect(await failure({ cursor: 'e30' })).toBe('invalid')
  expect(await failure({ from: '999999' })).toBe('not_found')
  expect(await failure({ from: "'; drop table sessions --" })).toBe('invalid')
  expect(await failure({ subagentId: 'nobody' })).toBe('not_found')
  const diff = client.sessions.diff(one?.id ?? '', one?.id ?? '')
  expect(diff).rejects.toThrow('Both are session')
})

test('pages of events join to the whole, for every size and with a filter', async () => {
  const whole = (await client.events.list({ limit: 1_000 })).events.map(({ id }) => id)
  for (const limit of [7, 100]) {
    const ids: string[] = []
    for await (const event of listAll(client.events.list, { limit }, 'events'))
      if (ids.push(event.id) === whole.length) break
    expect(ids).toEqual(whole)
  }
  const [session] = (await client.sessions.list({ limit: 1 })).sessions
  const main = await Array.fromAsync(
    listAll(client.events.list, { sessionId: session?.id, parentToolUseId: null, limit: 3 }, 'events'),
  )
  expect(main.every(({ parentToolUseId }) => parentToolUseId === null)).toBe(true)
  await expect(client.events.list({ cursor: 'AAAA' })).rejects.toMatchObject({ code: 'invalid' })
})

test('every exported file equals the file that was imported, byte for byte', async () => {
  let files = 0
  for await (const { id } of listAll(client.sessions.list, {}, 'sessions')) {
    const { journals } = await client.sessions.journals(id)
    const main = journals.find(({ kind }) => kind === 'transcript')
    if (main === undefined) continue
    const root = join(main.path, '..')
    const byPath = new Map(journals.map((journal) => [relative(root, journal.path), journal.path]))
    for await (const file of client.sessions.export(id)) {
      const bytes = Buffer.concat(await Array.fromAsync(file.bytes))
      expect(Buffer.compare(bytes, await readFile(byPath.get(file.relativePath) ?? ''))).toBe(0)
      files += 1
    }
  }
  expect(files).toBeGreaterThan(30)
})

test("an event's line is the line of its file", async () => {
  let seen = 0
  for await (const event of listAll(client.events.list, { limit: 1_000 }, 'events')) {
    if (seen++ % 25 !== 0) continue
    const { line } = await client.sessions.event(event.sessionId, event.id)
    expect((JSON.parse(line?.text ?? '{}') as { uuid?: string }).uuid).toBe(event.id)
  }
})

test('the feed over the database is dense, complete and ends where it should', async () => {
  const entries: number[] = []
  const { nextCursor } = await client.feed.page({ after: 0, limit: 1_000 })
  for await (const entry of client.feed.follow({ after: 0 })) if (entries.push(entry.seq) >= nextCursor) break
  expect(entries).toEqual(Array.from({ length: nextCursor }, (_, i) => i + 1))
  expect(app.followerCount()).toBe(0)
})

test('the feed is of the sessions of one agent CLI where it is asked for', async () => {
  const { entries } = await client.feed.page({ after: 0, limit: 1_000 })
  const recorded = new Set((await client.sessions.list({ limit: 1_000 })).sessions.map(({ id }) => id))
  const own = entries.flatMap(({ seq, sessionId: id }) => (id !== null && recorded.has(id) ? [seq] : []))
  const ofCli = async (agent: string) => (await client.feed.page({ after: 0, limit: 1_000, agent })).entries
  expect((await ofCli('claude-code')).map(({ seq }) => seq)).toEqual(own)
  await expect(ofCli('nobody')).rejects.toMatchObject({ code: 'invalid' })
  const followed: number[] = []
  for await (const { seq } of client.feed.follow({ after: 0, agent: 'claude-code' }))
    if (followed.push(seq) >= own.length) break
  expect(followed).toEqual(own)
})

test('forgetting takes the session away and says so afterwards', async () => {
  const [session] = (await client.sessions.list({ limit: 1 })).sessions
  const id = session?.id ?? ''
  const forgotten = await client.sessions.forget(id)
  expect(forgotten.journals).toBeGreaterThan(0)
  await expect(client.sessions.get(id)).rejects.toThrow('was forgotten')
})
