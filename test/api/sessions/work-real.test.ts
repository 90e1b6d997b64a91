import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient } from '../../../src/api/client'
import { listAll } from '../../../src/api/client/list-all'
import { operations } from '../../../src/api/contract/operations'
import { type App, createApp } from '../../../src/api/server/app'
import { importFiles } from '../../../src/app/files/import-files'
import { createRecordEngine, type KeptStore } from '../../../src/app/threads/record-engine'
import { COST_GROUPS } from '../../../src/domain/overview/tree-entry'
import { openStore } from '../../../src/store/open'
import { declaredApp, type JsonOperation, schemaOf } from '../answers/declared-answers'
import { KeptLog, KeptServices } from '../start-api'

const FIXTURES = join(import.meta.dir, '../../fixtures/claude-code/transcripts')

let folder: string
let store: KeptStore
let app: App
let client: Client

beforeAll(async () => {
  folder = await mkdtemp('/tmp/ld-')
  store = await openStore({ path: join(folder, 'x.db'), mode: 'read-write', migrate: true })
  await importFiles([FIXTURES], createRecordEngine(store, { name: 'host', hostname: 'host' }), 4)
  app = declaredApp(
    createApp({
      store,
      services: new KeptServices(),
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

const ask = async (target: string) => await app.fetch(new Request(`http://lodeline.invalid${target}`))
const answer = async (operation: JsonOperation, target: string) => {
  const response = await ask(target)
  const body: unknown = await response.json()
  expect([target, response.status, (body as { error?: unknown }).error]).toEqual([target, 200, undefined])
  expect(schemaOf(operation).parse(body)).toEqual(body as never)
  return body
}

test('real conversations stand in the tree, each once, and every level is what the schema says', async () => {
  const seen: string[] = []
  const open: (string | undefined)[] = [undefined]
  for (let under = open.pop(), first = true; first || under !== undefined; under = open.pop(), first = false) {
    let cursor: string | undefined
    do {
      const target = new URLSearchParams({
        limit: '7',
        ...(under !== undefined && { under }),
        ...(cursor !== undefined && { cursor }),
      })
      await answer(operations.tree.level, `/api/tree?${target}`)
      const level = await client.tree.level({ limit: 7, under, cursor })
      for (const entry of level.entries) {
        seen.push(entry.id)
        if (entry.childCount > 0) open.push(entry.id)
      }
      cursor = level.nextCursor ?? undefined
    } while (cursor !== undefined)
  }
  expect(new Set(seen).size).toBe(seen.length)
  const sessions = await Array.fromAsync(listAll(client.sessions.list, {}, 'sessions'))
  expect(seen.filter((id) => id.startsWith('session:')).length).toBe(sessions.length)
  const agents = sessions.reduce((sum, { counts }) => sum + counts.subagents, 0)
  expect(agents).toBeGreaterThan(10)
  expect(seen.filter((id) => id.startsWith('subagent:')).length).toBeGreaterThanOrEqual(agents)
})

test('costs of real conversations are the sessions own, forks with what they inherited counted once', async () => {
  const sessions = await Array.fromAsync(listAll(client.sessions.list, {}, 'sessions'))
  expect(sessions.some(({ forkedFrom }) => forkedFrom !== null)).toBe(true)
  const output = sessions.reduce((sum, { usage }) => sum + usage.outputTokens, 0)
  const usd = sessions.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)
  for (const by of COST_GROUPS) {
    const costs = (await answer(operations.costs, `/api/costs?by=${by}&limit=500`)) as Awaited<
      ReturnType<Client['costs']>
    >
    expect([by, costs.total.usage.outputTokens]).toEqual([by, output])
    expect(costs.total.costUsd).toBeGreaterThanOrEqual(usd - 1e-9)
    expect(costs.rows.reduce((sum, row) => sum + row.usage.outputTokens, 0)).toBe(output)
  }
  // A project is named as the tree names it, by its folder, or by its name.
  const [project] = (await client.costs({ by: 'project' })).rows
  const { entries } = await client.tree.level()
  const entry = entries.find(({ id }) => id === project?.key)
  for (const named of [project?.key, entry?.detail, entry?.label])
    expect((await client.costs({ by: 'model', project: named ?? '' })).total.messages).toBe(project?.messages ?? -1)
})

test('days of costs are those of a zone that is known, and each message is in one', async () => {
  const { total } = await client.costs({ by: 'model' })
  for (const timeZone of ['Asia/Kathmandu', 'America/St_Johns', 'UTC', undefined]) {
    const { rows } = await client.costs({ by: 'day', timeZone, limit: 500 })
    expect(rows.reduce((sum, { messages }) => sum + messages, 0)).toBe(total.messages)
  }
  await expect(client.costs({ by: 'day', timeZone: 'Nowhere/Land' })).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringContaining('"Nowhere/Land"'),
    hint: expect.stringContaining('Europe/Berlin'),
  })
})

test('the fleet is what the schema says', async () => {
  expect(await answer(operations.fleet, '/api/fleet')).toMatchObject({
    hosts: [{ hostname: 'host', agents: 0 }],
    leases: [],
  })
})

test('what is no entry, no group and no time is refused with a hint', async () => {
  const refused: [string, number][] = [
    ['/api/tree?under=nothing', 404],
    ['/api/tree?under=session:../../etc', 404],
    ['/api/tree?under=session:~!!!', 404],
    ['/api/tree?under=subagent:a', 404],
    [`/api/tree?under=${'x'.repeat(1_001)}`, 400],
    ['/api/tree?under=a%00b', 400],
    ['/api/tree?status=sleeping', 400],
    ['/api/tree?limit=501', 400],
    ['/api/tree?cursor=abc', 400],
    ['/api/costs', 400],
    ['/api/costs?by=weather', 400],
    ['/api/costs?by=day&timeZone=Nowhere/Land', 400],
    ['/api/costs?by=model&timeZone=', 400],
    [`/api/costs?by=day&timeZone=${'x'.repeat(65)}`, 400],
    ['/api/costs?by=day&since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z', 400],
    ['/api/costs?by=day&project=nowhere', 404],
    ['/api/costs?by=day&sessionId=nobody0', 404],
    ['/api/costs?by=day&taskId=t-nobody0', 404],
  ]
  for (const [target, status] of refused) {
    const response = await ask(target)
    const { error } = (await response.json()) as { error: { message: string } }
    expect([target, response.status, error.message.length > 5]).toEqual([target, status, true])
  }
})
