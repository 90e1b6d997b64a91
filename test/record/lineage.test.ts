/**
 * One session of each release, recorded by all three paths at once: agents in the foreground (two at once, one of which launched
 * another), a background shell, a background agent that was continued by a message. Whatever order its pieces come in, and whichever
 * path is missing, no edge is wrong.
 */
import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import type { JournalRef } from '../../src/domain/harness'
import { sessionId, toolUseId } from '../../src/domain/ids'
import type { Subagent } from '../../src/domain/session'
import type { SubagentRun } from '../../src/domain/subagent-run'
import { claudeCode } from '../../src/harness/claude-code'
import { openStore, type StorePlace } from '../../src/store/open'
import { encodeHookLine } from '../../src/util/hook-journal'
import { dumpTables } from '../e2e/tables'
import { make } from '../store-contract/databases'
import { recorderOn } from './recording'

const FIXTURES = join(import.meta.dir, '../fixtures/claude-code/lineage')
const TABLES = ['subagents', 'subagent_marks', 'subagent_runs'] as const

type Path = 'transcript' | 'stream' | 'hooks'

/** A file of the session: what it holds, and where a recorder finds it. */
interface Source {
  path: Path
  ref: JournalRef
  bytes: Buffer
}

/** The files of a session below `root`; nothing is written yet. */
function sourcesOf(version: string, root: string, isDoubled = false): Source[] {
  const folder = join(FIXTURES, version)
  const doubled = (text: string) => (isDoubled ? text.replace(/^.+\n/gm, (line) => line + line) : text)
  const sources: Source[] = []
  for (const name of [...new Glob('projects/**/*.{jsonl,json}').scanSync(folder)].sort()) {
    const bytes = readFileSync(join(folder, name))
    const ref = claudeCode.classify(join(root, name), bytes.subarray(0, 65_536))
    if (!ref) throw new Error(`no journal: ${name}`)
    const text = name.endsWith('.json') ? bytes : Buffer.from(doubled(bytes.toString()))
    sources.push({ path: 'transcript', ref, bytes: text })
  }
  const plain = { agent: 'claude-code', sessionId: null, agentId: null } as const
  const stream = doubled(readFileSync(join(folder, 'stream.jsonl'), 'utf8'))
  sources.push({
    path: 'stream',
    ref: { ...plain, kind: 'stream', path: join(root, 'stream.jsonl') },
    bytes: Buffer.from(stream),
  })
  const hooks = readFileSync(join(folder, 'hooks.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { at: number; payload: unknown })
    .map(({ at, payload }) =>
      encodeHookLine({ at, pid: 1, ppid: 1, env: {}, isCut: false }, Buffer.from(JSON.stringify(payload))),
    )
  sources.push({
    path: 'hooks',
    ref: { ...plain, kind: 'hooks', path: join(root, 'hooks-1.jsonl') },
    bytes: Buffer.from(doubled(Buffer.concat(hooks).toString())),
  })
  return sources
}

/** Lets the files grow in pieces that end anywhere, in an order that `random` decides. */
async function recordInPieces(place: StorePlace, sources: Source[], random: () => number): Promise<void> {
  const store = await openStore({ ...place, mode: 'read-write', migrate: true })
  try {
    const recorder = recorderOn(store, 900)
    const open = sources.map((source) => ({ ...source, at: 0 }))
    while (open.length > 0) {
      const index = Math.floor(random() * open.length)
      const file = open[index]
      if (!file) break
      const step = file.ref.kind === 'subagent_meta' ? file.bytes.length : 1 + Math.floor(random() * 12_000)
      file.at = Math.min(file.bytes.length, file.at + step)
      mkdirSync(dirname(file.ref.path), { recursive: true })
      writeFileSync(file.ref.path, file.bytes.subarray(0, file.at))
      await recorder.recordFile(file.ref)
      if (file.at === file.bytes.length) open.splice(index, 1)
    }
  } finally {
    await store.close()
  }
}

function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
}

/** Records in a folder and database of its own and gives what `read` makes of them. */
async function recorded<T>(
  version: string,
  options: { paths?: Path[]; seed?: number; isDoubled?: boolean; kind?: 'sqlite' | 'postgres' },
  read: (place: StorePlace) => Promise<T>,
): Promise<T> {
  const { paths = ['transcript', 'stream', 'hooks'], seed = 1, isDoubled = false, kind = 'sqlite' } = options
  const root = mkdtempSync('/tmp/ld-')
  const { place, remove } = await make(kind)
  try {
    const sources = sourcesOf(version, root, isDoubled).filter(({ path }) => paths.includes(path))
    await recordInPieces(place, sources, generator(seed))
    return await read(place)
  } finally {
    await remove()
    rmSync(root, { recursive: true, force: true })
  }
}

async function tablesOf(place: StorePlace): Promise<string[][]> {
  const dump = await dumpTables({ home: place.path ? dirname(place.path) : '', databaseUrl: place.url })
  const plain = (_: string, value: unknown) =>
    typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
  return TABLES.map((table) => (dump[table] ?? []).map((line) => JSON.stringify(JSON.parse(line), plain)).sort())
}

/** A node with its runs, as far as every path should agree on them. */
interface Known {
  subagent: Subagent
  runs: SubagentRun[]
}

async function nodesOf(version: string, place: StorePlace): Promise<Map<string, Known>> {
  const store = await openStore({ ...place, mode: 'read-only' })
  try {
    const session = sessionId(`5e551011-0000-4000-8000-000000000${version.split('.')[2]}`)
    const nodes = new Map<string, Known>()
    for (const subagent of await store.subagents.list(session))
      nodes.set(subagent.id, { subagent, runs: await store.runs.ofSubagent(session, subagent.id) })
    return nodes
  } finally {
    await store.close()
  }
}

const gist = ({ subagent, runs }: Known) => ({
  link: [subagent.toolUseId, subagent.parentId, subagent.depth, subagent.background, subagent.status],
  runs: runs.map((run) => [run.number, run.trigger, run.toolUseId, run.status, run.readEvidence, run.readAt]),
})

for (const version of ['2.1.197', '2.1.328']) {
  describe(version, () => {
    let whole: Map<string, Known>
    let tables: string[][]
    beforeAll(async () => {
      await recorded(version, {}, async (place) => {
        tables = await tablesOf(place)
        whole = await nodesOf(version, place)
      })
    }, 60_000)

    test('the whole of it: who launched whom, each run, and what was read', () => {
      const nodes = [...whole.values()]
      const by = (description: string) => nodes.find(({ subagent }) => subagent.description === description)
      const [left, right, deep] = [by('Left side'), by('Right side'), by('Deep look')]
      expect(nodes).toHaveLength(5)
      expect(deep?.subagent).toMatchObject({ parentId: left?.subagent.id, depth: 2, background: false })
      for (const side of [left, right, deep])
        expect(side?.runs).toMatchObject([
          { number: 1, trigger: 'launch', status: 'completed', readEvidence: 'content' },
        ])
      expect(left?.subagent).toMatchObject({ parentId: null, depth: 1 })
      expect(by('Count in the background')?.subagent).toMatchObject({ kind: 'shell', background: true })
      expect(by('Count in the background')?.runs).toMatchObject([{ status: 'completed', readEvidence: 'notice' }])
      const continued = by('Background work')
      expect(continued?.subagent).toMatchObject({ depth: 1, background: true, status: 'completed' })
      expect(continued?.runs).toMatchObject([
        { number: 1, trigger: 'launch', toolUseId: continued?.subagent.toolUseId, readEvidence: 'notice' },
        { number: 2, trigger: 'message', status: 'completed', readEvidence: 'notice' },
      ])
      expect(continued?.runs[1]?.toolUseId).not.toBe(continued?.subagent.toolUseId ?? null)
      // The message's call is in the notices and the stream's task lines, and is no evidence of a launch.
      for (const { subagent } of nodes)
        expect(new Set(subagent.evidence.map(({ toolUseId }) => toolUseId as string))).toEqual(
          new Set([subagent.toolUseId as string]),
        )
    })

    test('a call is found with its sub-agent, one that continued an agent with that agent', async () => {
      await recorded(version, { paths: ['transcript'] }, async (place) => {
        const store = await openStore({ ...place, mode: 'read-only' })
        const call = (known: Known | undefined, run: number) => toolUseId(known?.runs[run]?.toolUseId ?? '')
        const nodes = [...whole.values()]
        const deep = nodes.find(({ subagent }) => subagent.description === 'Deep look')
        const continued = nodes.find(({ runs }) => runs.length === 2)
        try {
          expect(await store.toolUses.find(call(deep, 0))).toMatchObject([
            {
              name: 'Agent',
              subagentId: deep?.subagent.parentId,
              launched: deep?.subagent.id,
              continued: null,
              isError: false,
            },
          ])
          expect(await store.toolUses.find(call(continued, 1))).toMatchObject([
            { name: 'SendMessage', subagentId: null, launched: null, continued: continued?.subagent.id },
          ])
          expect(await store.toolUses.find(toolUseId('toolu_none'))).toEqual([])
          const { work, total } = await store.runs.recover(continued?.subagent.sessionId ?? '', 1)
          expect({ total, work }).toMatchObject({ total: 2, work: [{ state: 'read', run: { number: 2 } }] })
          expect(work[0]?.prompt).toBe('WORK: in the background')
        } finally {
          await store.close()
        }
      })
    }, 60_000)

    for (let seed = 2; seed <= 13; seed++)
      test(`in pieces and in another order it is the same (${seed})`, async () => {
        expect(await recorded(version, { seed, isDoubled: seed % 3 === 0 }, tablesOf)).toEqual(tables)
      }, 60_000)

    test('and on the other database', async () => {
      await recorded(version, { seed: 14, kind: 'postgres' }, async (place) => {
        expect(await tablesOf(place)).toEqual(tables)
        const nodes = await nodesOf(version, place)
        expect([...nodes.values()].map(gist).sort(byText)).toEqual([...whole.values()].map(gist).sort(byText))
        const store = await openStore({ ...place, mode: 'read-only' })
        const { work, total } = await store.runs.recover([...nodes.values()][0]?.subagent.sessionId ?? '', 10)
        expect(work.map(({ state }) => state)).toEqual(['read', 'read'])
        expect([total, (await store.toolUses.find(toolUseId('toolu_000001'))).length]).toEqual([2, 1])
        await store.close()
      })
    }, 60_000)

    test('the transcript alone tells all of it', async () => {
      const alone = await recorded(version, { paths: ['transcript'] }, (place) => nodesOf(version, place))
      expect([...alone.values()].map(gist).sort(byText)).toEqual([...whole.values()].map(gist).sort(byText))
    }, 60_000)

    for (const path of ['stream', 'hooks'] as const)
      test(`${path} alone tells part of it, and no wrong edge`, async () => {
        const alone = await recorded(version, { paths: [path], seed: 3 }, (place) => nodesOf(version, place))
        expect(alone.size).toBeGreaterThan(1)
        for (const [id, { subagent, runs }] of alone) {
          const known = whole.get(id)
          expect(known).toBeDefined()
          expect([null, known?.subagent.toolUseId]).toContain(subagent.toolUseId)
          expect([null, known?.subagent.parentId]).toContain(subagent.parentId)
          expect(runs.length).toBeLessThanOrEqual(known?.runs.length ?? 0)
          for (const run of runs) {
            expect([null, ...(known?.runs.map(({ toolUseId }) => toolUseId) ?? [])]).toContain(run.toolUseId)
            expect(run.readAt).toBeNull()
          }
        }
      }, 60_000)
  })
}

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
