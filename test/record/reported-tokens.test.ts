import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { sessionId } from '../../src/domain/ids'
import type { Store } from '../../src/domain/store'
import { claudeCode } from '../../src/harness/claude-code'
import { onEachDatabase } from '../store-contract/databases'
import { recorderOn } from './recording'

const TRANSCRIPTS = join(import.meta.dir, '../fixtures/claude-code/transcripts')

/** Recordings of real CLIs in which agents ended, with each one's tokens as the main thread heard them: its last request's. */
const RECORDINGS = [
  ['2.0.30', 'subagents', 120],
  ['2.1.10', 'subagents', 101],
  ['2.1.197', 'subagents', 120],
  ['2.1.328', 'subagents', 120],
  ['2.1.197', 'background-agent', 103],
  ['2.1.328', 'background-agent', 120],
] as const

/** A copy of the recording as a session of its own; the main thread's file stands apart from the agents'. */
function copyOf(version: string, name: string, root: string) {
  const from = join(TRANSCRIPTS, version, name)
  const files = [...new Glob('**/*.jsonl').scanSync(from)]
  const old =
    /^[0-9a-f-]{36}(?=\.jsonl$)/.exec(files.find((file) => /^[0-9a-f-]{36}\.jsonl$/.test(file)) ?? '')?.[0] ?? ''
  const id = crypto.randomUUID()
  const written = files.map((file) => {
    const path = join(root, 'projects', '-home-user-project', file.replaceAll(old, id))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, readFileSync(join(from, file), 'utf8').replaceAll(old, id))
    return path
  })
  const isMain = (path: string) => path.endsWith(`${id}.jsonl`)
  return { id: sessionId(id), main: written.filter(isMain), agents: written.filter((path) => !isMain(path)) }
}

async function record(store: Store, paths: readonly string[]): Promise<void> {
  const recorder = recorderOn(store)
  for (const path of paths) {
    const ref = claudeCode.classify(path, readFileSync(path).subarray(0, 65_536))
    if (!ref) throw new Error(`no journal: ${path}`)
    await recorder.recordFile(ref)
  }
}

async function look(store: Store, id: ReturnType<typeof sessionId>) {
  const session = await store.sessions.find(id)
  if (session === undefined) throw new Error('the session is not there')
  const agents = (await store.subagents.list(id)).filter(({ kind }) => kind === 'agent')
  return {
    usage: session.usage,
    main: session.usageMain,
    costUsd: session.costUsd,
    unknown: session.counts.unknownAgents,
    agents: agents.map(({ id: agent, usage, reportedTokens, costUsd }) => ({ agent, usage, reportedTokens, costUsd })),
  }
}

onEachDatabase((database) => {
  for (const [version, name, tokens] of RECORDINGS)
    test(`${version} ${name}: what an agent used is as reported until its own transcript comes, and then never both`, async () => {
      const root = mkdtempSync('/tmp/ld-')
      try {
        const { store } = database
        const late = copyOf(version, name, join(root, 'late'))
        await record(store, late.main)
        const alone = await look(store, late.id)
        expect(alone.agents.length).toBeGreaterThan(0)
        for (const agent of alone.agents)
          expect(agent).toMatchObject({ usage: null, reportedTokens: tokens, costUsd: null })
        expect(alone.unknown).toBe(alone.agents.length)
        expect(alone.usage).toEqual(alone.main)

        await record(store, late.agents)
        const whole = await look(store, late.id)
        // What was reported is the least: each made two requests.
        for (const { agent } of alone.agents) {
          const now = whole.agents.find((one) => one.agent === agent)
          const used = Object.values(now?.usage ?? {}).reduce((sum, kind) => sum + kind, 0)
          expect(now?.reportedTokens).toBeNull()
          expect(used).toBeGreaterThanOrEqual(tokens * 2)
        }
        expect(whole.unknown).toBe(0)

        const early = copyOf(version, name, join(root, 'early'))
        await record(store, early.agents)
        await record(store, early.main)
        const other = await look(store, early.id)
        const byId = (a: { agent: string }, b: { agent: string }) => (a.agent < b.agent ? -1 : 1)
        expect({ ...other, agents: other.agents.sort(byId) }).toEqual({ ...whole, agents: whole.agents.sort(byId) })
      } finally {
        rmSync(root, { recursive: true, force: true })
      }
    })
})
