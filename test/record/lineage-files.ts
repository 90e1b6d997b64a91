/** A session recorded by all paths at once, given to a recorder in pieces and in any order. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import type { JournalRef } from '../../src/domain/harness/harness'
import { type SessionId, sessionId } from '../../src/domain/ids'
import type { Subagent } from '../../src/domain/session/session'
import type { SubagentRun } from '../../src/domain/subagent/subagent-run'
import { claudeCode } from '../../src/harness/claude-code'
import { openStore, type StorePlace } from '../../src/store/open'
import { encodeHookLine } from '../../src/util/hook-journal'
import { dumpTables } from '../e2e/record/tables'
import { make } from '../store-contract/databases'
import { recorderOn } from './recording'

/** Where the files are: `<what>/<version>`. */
export const LINEAGE = join(import.meta.dir, '../fixtures/claude-code/lineage')
export const STORIES = join(import.meta.dir, '../fixtures/claude-code/lineage-stories')

const TABLES = ['subagents', 'subagent_marks', 'subagent_runs'] as const

export type Path = 'transcript' | 'stream' | 'hooks'

/** A file of the session: what it holds, and where a recorder finds it. */
interface Source {
  path: Path
  ref: JournalRef
  bytes: Buffer
}

/** The files of a session below `root`; nothing is written yet. */
function sourcesOf(folder: string, root: string, isDoubled = false): Source[] {
  const doubled = (text: string) => (isDoubled ? text.replace(/^.+\n/gm, (line) => line + line) : text)
  const sources: Source[] = []
  for (const name of [...new Glob('projects/**/*.{jsonl,json}').scanSync(folder)].sort()) {
    const bytes = readFileSync(join(folder, name))
    const ref = claudeCode.classify(join(root, name), bytes.subarray(0, 65_536))
    if (!ref) throw new Error(`no journal: ${name}`)
    const text = name.endsWith('.json') ? bytes : Buffer.from(doubled(bytes.toString()))
    sources.push({ path: 'transcript', ref, bytes: text })
  }
  const plain = { agent: 'claude-code', sessionId: null, subagentId: null } as const
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
export async function recorded<T>(
  folder: string,
  options: { paths?: Path[]; seed?: number; isDoubled?: boolean; kind?: 'sqlite' | 'postgres' },
  read: (place: StorePlace) => Promise<T>,
): Promise<T> {
  const { paths = ['transcript', 'stream', 'hooks'], seed = 1, isDoubled = false, kind = 'sqlite' } = options
  const root = mkdtempSync('/tmp/ld-')
  const { place, remove } = await make(kind)
  try {
    const sources = sourcesOf(folder, root, isDoubled).filter(({ path }) => paths.includes(path))
    await recordInPieces(place, sources, generator(seed))
    return await read(place)
  } finally {
    await remove()
    rmSync(root, { recursive: true, force: true })
  }
}

export async function tablesOf(place: StorePlace): Promise<string[][]> {
  const dump = await dumpTables({ home: place.path ? dirname(place.path) : '', databaseUrl: place.url })
  const plain = (_: string, value: unknown) =>
    typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
  return TABLES.map((table) => (dump[table] ?? []).map((line) => JSON.stringify(JSON.parse(line), plain)).sort())
}

/** The session whose files these are. */
export function sessionOf(folder: string): SessionId {
  const [name = ''] = readdirSync(join(folder, 'projects/-home-user-project')).filter((file) => file.endsWith('.jsonl'))
  return sessionId(name.slice(0, -'.jsonl'.length))
}

/** A node with its runs, as far as every path should agree on them. */
export interface Known {
  subagent: Subagent
  runs: SubagentRun[]
}

export async function nodesOf(folder: string, place: StorePlace): Promise<Map<string, Known>> {
  const store = await openStore({ ...place, mode: 'read-only' })
  try {
    const session = sessionOf(folder)
    const nodes = new Map<string, Known>()
    for (const subagent of await store.subagents.list(session))
      nodes.set(subagent.id, { subagent, runs: await store.runs.ofSubagent(session, subagent.id) })
    return nodes
  } finally {
    await store.close()
  }
}

/** What every path should agree on. */
export const gist = ({ subagent, runs }: Known) => ({
  link: [subagent.toolUseId, subagent.parentId, subagent.depth, subagent.background, subagent.status],
  runs: runs.map((run) => [run.number, run.trigger, run.toolUseId, run.status, run.readEvidence, run.readAt]),
})

export const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
