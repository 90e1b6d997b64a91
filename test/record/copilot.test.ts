/** Sessions of Copilot CLI in the record: in any order, in pieces and twice, on both databases. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import type { JournalRef } from '../../src/domain/harness/harness'
import { sessionId, toolUseId } from '../../src/domain/ids'
import { secretMask } from '../../src/domain/secrets/mask'
import type { Store } from '../../src/domain/store'
import { rebuild } from '../../src/engine/record/rebuild'
import { copilot } from '../../src/harness/copilot'
import { openStore, type StorePlace } from '../../src/store/open'
import { dumpTables } from '../e2e/tables'
import { COPILOT_FIXTURES } from '../harness/copilot/sessions'
import { make, onEachDatabase } from '../store-contract/databases'
import { bytesOf, HOST, recorderOn } from './recording'

const PLAN = '22222222-2222-4222-8222-222222222222'
const SUBAGENT = '11111111-1111-4111-8111-111111111111'
const NESTED = '44444444-4444-4444-8444-444444444444'
const CONTINUED = '88888888-8888-4888-8888-888888888888'
const KILLED = '55555555-5555-4555-8555-555555555555'

let root: string
let refs: JournalRef[]
let reference: Record<string, string[]>

beforeAll(async () => {
  root = mkdtempSync('/tmp/ld-')
  cpSync(COPILOT_FIXTURES, root, { recursive: true })
  refs = sessionsBelow(root)
  reference = await tablesOf(async (store) => {
    for (const ref of refs) await recorderOn(store).recordFile(ref)
  })
}, 60_000)

afterAll(() => rmSync(root, { recursive: true, force: true }))

const sessionsBelow = (folder: string): JournalRef[] =>
  [...new Glob('**/*.jsonl').scanSync(folder)]
    .sort()
    .map((name) => join(folder, name))
    .flatMap((path) => copilot.classify(path) ?? [])

/** The rows that a way of recording leaves in an empty database. */
async function tablesOf(record: (store: Store) => Promise<void>): Promise<Record<string, string[]>> {
  const { place, remove } = await make('sqlite')
  const store = await openStore({ ...place, mode: 'read-write', migrate: true })
  try {
    await record(store)
    return await tablesAt(place)
  } finally {
    await store.close()
    await remove()
  }
}

const PLACES: ReadonlySet<string> = new Set(['project_id', 'host_id', 'incarnation_id'])

/** Keys of projects, hosts and incarnations differ by order; the two databases' drivers give integers in two ways. */
async function tablesAt(place: StorePlace): Promise<Record<string, string[]>> {
  const tables = await dumpTables({ home: place.path ? dirname(place.path) : '', databaseUrl: place.url })
  const clean = (row: string): string =>
    JSON.stringify(
      Object.fromEntries(Object.entries(JSON.parse(row) as object).filter(([name]) => !PLACES.has(name))),
      (_, value: unknown) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value),
    )
  return Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, rows.map(clean).sort()]))
}

test('files that grow in pieces, which end anywhere, leave the same rows', async () => {
  const grown = mkdtempSync('/tmp/ld-')
  try {
    const tables = await tablesOf(async (store) => {
      const recorder = recorderOn(store, 700)
      const open = refs.map((ref) => ({
        ref: { ...ref, path: ref.path.replace(root, grown) },
        bytes: readFileSync(ref.path),
        at: 0,
      }))
      for (let step = 1; open.length > 0; step++) {
        const index = (step * 7) % open.length
        const file = open[index]
        if (file === undefined) break
        file.at = Math.min(file.bytes.length, file.at + 900 + ((step * 577) % 3_000))
        mkdirSync(dirname(file.ref.path), { recursive: true })
        writeFileSync(file.ref.path, file.bytes.subarray(0, file.at))
        await recorder.recordFile(file.ref)
        if (file.at === file.bytes.length) open.splice(index, 1)
      }
    })
    expect(tables).toEqual(reference)
  } finally {
    rmSync(grown, { recursive: true, force: true })
  }
}, 60_000)

onEachDatabase((database) => {
  test('recorded in another order, the files leave the same rows', async () => {
    for (const ref of refs.toReversed()) await recorderOn(database.store).recordFile(ref)
    expect(await tablesAt(database.place)).toEqual(reference)
  }, 60_000)

  test('the bytes of each file are kept', async () => {
    for (const ref of refs) {
      const [open] = await database.store.journals.listOpen(HOST.name, { paths: [ref.path] })
      expect(await bytesOf(database.store, open?.incarnation ?? 0)).toEqual(readFileSync(ref.path))
    }
  })

  test('a session tells what it did, with the words of every agent CLI', async () => {
    expect(await database.store.sessions.find(sessionId(PLAN))).toMatchObject({
      ...{ agent: 'copilot', title: 'x @@plan', model: 'scripted-model', gitBranch: 'main', agentVersion: '1.0.102' },
      ...{ forkedFrom: null, usage: { inputTokens: 500, outputTokens: 50 } },
    })
    const todos = await database.store.todos.list({ sessionId: sessionId(PLAN) })
    expect(todos.map(({ nativeId, status, blockedBy }) => [nativeId, status, blockedBy])).toEqual([
      ['read-code', 'completed', []],
      ['fix-bug', 'in_progress', ['read-code']],
      ['run-tests', 'pending', ['fix-bug']],
    ])
    expect(await database.store.sessions.find(sessionId(KILLED))).toMatchObject({ counts: { toolCalls: 1 } })
  })

  test('a sub-agent stands below the call that launched it, at any depth, with each of its runs', async () => {
    expect(await database.store.subagents.list(sessionId(SUBAGENT))).toMatchObject([
      { toolUseId: toolUseId('call_0001_0'), status: 'completed', depth: 1, type: 'explore' },
    ])
    const nested = await database.store.subagents.list(sessionId(NESTED))
    const outer = nested.find(({ depth }) => depth === 1)
    expect(outer).toMatchObject({ description: 'Outer', status: 'completed' })
    expect(nested.find(({ depth }) => depth === 2)).toMatchObject({ parentId: outer?.id ?? null, status: 'completed' })
    const [continued] = await database.store.subagents.list(sessionId(CONTINUED))
    const runs = await database.store.runs.ofSubagent(CONTINUED, continued?.id ?? ('' as never))
    expect(runs).toMatchObject([
      { number: 1, trigger: 'launch', status: 'completed' },
      { number: 2, status: 'completed', readEvidence: 'notice' },
    ])
  })

  test('read anew from the journals, the record holds the same', async () => {
    const { store, place } = database
    await rebuild({
      store,
      harnessOf: () => copilot,
      mask: secretMask(),
      host: HOST,
      projectOf: (cwd) => ({ root: cwd, remote: null, name: 'project' }),
    })
    expect(await tablesAt(place)).toEqual(reference)
  }, 60_000)
})
