import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import type { JournalRef } from '../../src/domain/harness/harness'
import { claudeCode } from '../../src/harness/claude-code'
import { openStore } from '../../src/store/open'
import { dumpTables } from '../e2e/tables'
import { make, onEachDatabase } from '../store-contract/databases'
import { recorderOn } from './recording'

const FIXTURES = join(import.meta.dir, '../fixtures/claude-code/transcripts')

let root: string
let refs: JournalRef[]
let reference: Record<string, string[]>

beforeAll(async () => {
  root = mkdtempSync('/tmp/ld-')
  cpSync(FIXTURES, root, { recursive: true })
  refs = journalsBelow(root)
  const { place, remove } = await make('sqlite')
  const store = await openStore({ ...place, mode: 'read-write', migrate: true })
  const recorder = recorderOn(store)
  for (const ref of refs) await recorder.recordFile(ref)
  await store.close()
  reference = placeless(await dumpTables({ home: dirname(place.path ?? '') }))
  await remove()
}, 120_000)

afterAll(() => rmSync(root, { recursive: true, force: true }))

onEachDatabase((database) => {
  test('the fixtures recorded in another order leave the same rows on this database', async () => {
    const recorder = recorderOn(database.store)
    for (const ref of shuffled(refs, 7)) await recorder.recordFile(ref)
    expect(placeless(await dump(database.place))).toEqual(reference)
  }, 120_000)

  test('recording all of it again adds nothing', async () => {
    const recorder = recorderOn(database.store)
    for (const ref of refs) expect((await recorder.recordFile(ref)).bytesAdded).toBe(0)
    expect(placeless(await dump(database.place))).toEqual(reference)
  }, 120_000)
})

for (const seed of [1, 2, 3]) {
  test(`files that grow in pieces, turn by turn, leave the same rows (${seed})`, async () => {
    const grown = mkdtempSync('/tmp/ld-')
    const { place, remove } = await make('sqlite')
    const store = await openStore({ ...place, mode: 'read-write', migrate: true })
    try {
      cpSync(FIXTURES, grown, { recursive: true })
      const random = generator(seed)
      const recorder = recorderOn(store, 700)
      const open = shuffled(journalsBelow(grown), seed).map((ref) => ({ ref, bytes: readFileSync(ref.path), at: 0 }))
      for (const file of open) writeFileSync(file.ref.path, '')
      while (open.length > 0) {
        const index = Math.floor(random() * open.length)
        const file = open[index]
        if (!file) break
        // Whole documents appear at once; lines come in pieces that end anywhere.
        const step = file.ref.path.endsWith('.json') ? file.bytes.length : 1 + Math.floor(random() * 4_000)
        file.at = Math.min(file.bytes.length, file.at + step)
        writeFileSync(file.ref.path, file.bytes.subarray(0, file.at))
        await recorder.recordFile(file.ref)
        if (file.at === file.bytes.length) open.splice(index, 1)
      }
      expect(placeless(await dump(place))).toEqual(reference)
    } finally {
      await store.close()
      await remove()
      rmSync(grown, { recursive: true, force: true })
    }
  }, 120_000)
}

function journalsBelow(folder: string): JournalRef[] {
  return [...new Glob('**/*.{jsonl,json}').scanSync(folder)]
    .sort()
    .map((name) => join(folder, name))
    .map((path) => claudeCode.classify(path, readFileSync(path).subarray(0, 65_536)))
    .filter((ref) => ref !== null)
}

async function dump(place: { path?: string; url?: string | undefined }) {
  return await dumpTables({ home: place.path ? dirname(place.path) : '', databaseUrl: place.url })
}

/** Keys of projects, hosts and incarnations differ by order; the two databases' drivers give integers in two ways. */
function placeless(tables: Record<string, string[]>): Record<string, string[]> {
  const clean = (line: string): string =>
    JSON.stringify(
      Object.fromEntries(
        Object.entries(JSON.parse(line) as Record<string, unknown>).filter(
          ([name]) => !['project_id', 'host_id', 'incarnation_id'].includes(name),
        ),
      ),
      (_, value: unknown) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value),
    )
  return Object.fromEntries(Object.entries(tables).map(([name, lines]) => [name, lines.map(clean).sort()]))
}

function shuffled<T>(items: readonly T[], seed: number): T[] {
  const random = generator(seed)
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)
}

function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
}
