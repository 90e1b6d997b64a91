/** The files of every agent CLI in the record: in any order, in pieces, twice and anew, on both databases. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Harness, isDocument, type JournalRef } from '../../src/domain/harness/harness'
import { secretMask } from '../../src/domain/secrets/mask'
import { rebuild } from '../../src/engine/record/rebuild'
import { harnesses } from '../../src/harness/registry'
import { layOut } from '../harness/stories'
import { onEachDatabase } from '../store-contract/databases'
import { bytesOf, HOST, recorderOn } from './recording'
import { tablesAt, tablesOf } from './same-rows'

let root: string
let readers: Harness[]
let refs: JournalRef[]
let reference: Record<string, string[]>

beforeAll(async () => {
  root = mkdtempSync('/tmp/ld-')
  readers = await Promise.all(harnesses().map((harness) => harness.read()))
  refs = []
  for (const [at, harness] of harnesses().entries())
    refs.push(...(await layOut(harness, readers[at] as Harness, join(root, harness.name))))
  reference = await tablesOf(async (store) => {
    const recorder = recorderOn(store)
    for (const ref of refs) await recorder.recordFile(ref)
  })
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

onEachDatabase((database) => {
  test('recorded in another order, they leave the same rows on this database', async () => {
    const recorder = recorderOn(database.store)
    for (const ref of inTurn(shuffled(refs, 7))) await recorder.recordFile(ref)
    expect(await tablesAt(database.place)).toEqual(reference)
  })

  test('recording all of it again adds nothing', async () => {
    const recorder = recorderOn(database.store)
    for (const ref of refs) expect((await recorder.recordFile(ref)).bytesAdded).toBe(0)
    expect(await tablesAt(database.place)).toEqual(reference)
  })

  test('the bytes of each file are kept', async () => {
    for (const ref of refs) {
      const [open] = await database.store.journals.listOpen(HOST.name, { paths: [ref.path] })
      const kept = await bytesOf(database.store, open?.incarnation ?? 0)
      expect({ path: ref.path, isKept: kept.equals(readFileSync(ref.path)) }).toEqual({ path: ref.path, isKept: true })
    }
  })

  test('read anew from the journals, the record holds the same', async () => {
    await rebuild({
      store: database.store,
      harnessOf: (agent) => readers.find((reader) => reader.agent === agent) as Harness,
      mask: secretMask(),
      host: HOST,
      projectOf: (cwd) => ({ root: cwd, remote: null, name: 'project' }),
    })
    expect(await tablesAt(database.place)).toEqual(reference)
  })
})

for (const seed of [1, 2])
  test(`files that grow in pieces, turn by turn, leave the same rows (${seed})`, async () => {
    const grown = mkdtempSync('/tmp/ld-')
    try {
      const tables = await tablesOf(async (store) => {
        const random = generator(seed)
        const recorder = recorderOn(store, 700)
        const open = inTurn(shuffled(refs, seed)).map((ref) => ({
          ref: { ...ref, path: ref.path.replace(root, grown) },
          bytes: readFileSync(ref.path),
          at: 0,
        }))
        while (open.length > 0) {
          const any = open[Math.floor(random() * open.length)]
          const index = open.findIndex(
            ({ ref }) => any !== undefined && conversationOf(ref) === conversationOf(any.ref),
          )
          const file = open[index]
          if (file === undefined) break
          // Whole documents appear at once; lines come in pieces that end anywhere, some ten of each file.
          const most = Math.max(600, file.bytes.length / 5)
          const step = isDocument(file.ref) ? file.bytes.length : 1 + Math.floor(random() * most)
          file.at = Math.min(file.bytes.length, file.at + step)
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
  })

const conversationOf = ({ agent, sessionId, subagentId, path }: JournalRef): string =>
  sessionId === null ? path : `${agent} ${sessionId} ${subagentId}`

/**
 * The same, but files of one conversation in the order in which the CLI began them, as a collector finds them: the first line that is
 * recorded is the one at which copies of the conversation begin.
 */
function inTurn(mixed: readonly JournalRef[]): JournalRef[] {
  const waiting = [...refs]
  return mixed.flatMap((ref) => {
    const next = waiting.findIndex((one) => conversationOf(one) === conversationOf(ref))
    return next < 0 ? [] : waiting.splice(next, 1)
  })
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
