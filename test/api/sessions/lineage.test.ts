/** Launches over HTTP, held against a plain reading of the files: all that was recorded of sub-agents with the real CLI. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient } from '../../../src/api/client'
import { operations } from '../../../src/api/contract/operations'
import { type App, createApp } from '../../../src/api/server/app'
import { importFiles } from '../../../src/app/files/import-files'
import { createRecordEngine, type KeptStore } from '../../../src/app/threads/record-engine'
import type { TreeNode } from '../../../src/domain/session/session'
import { openStore } from '../../../src/store/open'
import { type OracleSession, readOracle, sessionsIn } from '../../e2e/record/oracle'
import { readRecord, sorted } from '../../e2e/record/record'
import { LINEAGE, STORIES } from '../../record/lineage-files'
import { declaredApp, schemaOf } from '../answers/declared-answers'
import { KeptLog, KeptServices } from '../start-api'

/** Folders of one session each. */
const FOLDERS = [LINEAGE, ...readdirSync(STORIES).map((story) => join(STORIES, story))].flatMap((kind) =>
  readdirSync(kind).map((version) => join(kind, version, 'projects/-home-user-project')),
)

let folder: string
let store: KeptStore
let app: App
let client: Client
const oracles = new Map<string, OracleSession>()

beforeAll(async () => {
  folder = await mkdtemp('/tmp/ld-')
  store = await openStore({ path: join(folder, 'x.db'), mode: 'read-write', migrate: true })
  const engine = createRecordEngine(store, { name: 'host', hostname: 'host' })
  for (const projects of FOLDERS) {
    await importFiles([projects], engine, 4)
    for (const id of sessionsIn(projects)) oracles.set(id, readOracle(projects, id))
  }
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

const get = async (target: string) => {
  const response = await app.fetch(new Request(`http://lodeline.invalid${target}`))
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

test('the record is what the files say: children of each call, tokens of each node by message, compactions, orphans', async () => {
  expect(oracles.size).toBe(8)
  for (const [id, oracle] of oracles) expect(sorted(await readRecord(client, id))).toEqual(sorted(oracle))
  expect([...oracles.values()].map(({ counts }) => counts.compactions).filter((n) => n > 0)).toEqual([1, 1])
})

describe('a tool use', () => {
  test('is answered with its call, its result, what it launched and everything below', async () => {
    let deepest = 0
    for (const [session, oracle] of oracles) {
      for (const agent of oracle.subagents) {
        const { status, body } = await get(`/api/tool-uses/${agent.toolUseId}?sessionId=${session}`)
        expect([agent.id, status]).toEqual([agent.id, 200])
        expect(schemaOf(operations.toolUses.get).parse(body as never) as unknown).toEqual(body)
        expect(body).toMatchObject({
          toolUse: { id: agent.toolUseId, sessionId: session, subagentId: agent.parentId, launched: agent.id },
          call: { type: 'tool_call', toolUseId: agent.toolUseId, subagentId: agent.parentId },
          launched: { subagent: { id: agent.id, counts: { events: agent.events } } },
        })
        const below = (node: TreeNode): string[] => node.children.flatMap((c) => [c.subagent?.id ?? '', ...below(c)])
        const expected = (id: string): string[] =>
          oracle.subagents.filter(({ parentId }) => parentId === id).flatMap((c) => [c.id, ...expected(c.id)])
        const found = below(body.launched as TreeNode)
        expect(found.sort()).toEqual(expected(agent.id).sort())
        deepest = Math.max(deepest, found.length)
      }
    }
    expect(deepest).toBe(1)
  })

  test('of several sessions has to be named with one; one that nobody made is not found', async () => {
    const several = await get('/api/tool-uses/toolu_000001')
    expect(several.status).toBe(409)
    expect(several.body.error).toMatchObject({ code: 'conflict', hint: expect.stringContaining('sessionId') })
    expect((await get('/api/tool-uses/toolu_none')).status).toBe(404)
    expect((await get(`/api/tool-uses/${'x'.repeat(10_000)}`)).status).toBeGreaterThanOrEqual(400)
    const [session] = oracles.keys()
    const shell = oracles.get(session ?? '')?.shells[0]
    const { body } = await get(`/api/tool-uses/${shell?.toolUseId}?sessionId=${session}`)
    expect(body).toMatchObject({ toolUse: { launched: shell?.id }, launched: { subagent: { kind: 'shell' } } })
  })
})

test('events by their launching call are exactly its sub-agent’s, those of the main thread have none', async () => {
  for (const [session, oracle] of oracles) {
    const uuids = async (query: string) => {
      const { status, body } = await get(`/api/sessions/${session}/events?limit=1000&${query}`)
      expect(status).toBe(200)
      return (body.events as { id: string }[]).map(({ id }) => id).sort()
    }
    const expected = (node: string | null) => oracle.events.filter((one) => one.node === node).map(({ uuid }) => uuid)
    expect(await uuids('parentToolUseId=null')).toEqual(expected(null).sort())
    for (const { id, toolUseId } of oracle.subagents)
      expect(await uuids(`parentToolUseId=${toolUseId}`)).toEqual(expected(id).sort())
    expect(await uuids('orphans=true')).toEqual([])
  }
})
