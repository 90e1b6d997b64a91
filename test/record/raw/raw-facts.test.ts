/** The record says what the files say: held against a reader that shares no code with the program, over all files that we have. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { UTC } from '../../../src/domain/cost/zone-days'
import type { Harness } from '../../../src/domain/harness/harness'
import { sessionId, toolUseId as toolUse } from '../../../src/domain/ids'
import { readTreeId } from '../../../src/domain/overview/tree-id'
import { secretMask } from '../../../src/domain/secrets/mask'
import type { Store } from '../../../src/domain/store'
import { rebuild } from '../../../src/engine/record/rebuild'
import { claudeCodeHarness } from '../../../src/harness/claude-code/agent-harness'
import { gemini } from '../../../src/harness/gemini'
import { harnesses } from '../../../src/harness/registry'
import {
  folderIn,
  journalsBelow,
  journalsOf,
  OPENCODE_FIXTURES,
  OpencodeRows,
  ROWS,
} from '../../harness/opencode/database'
import { onEachDatabase } from '../../store-contract/databases'
import { bytesOf, HOST, recorderOn } from '../recording'
import { rawCopilot } from './raw-copilot'
import { type RawFacts, rawCodex, rawGemini, rawQwen } from './raw-facts'
import { rawOpencode } from './raw-opencode'
import { rawPi } from './raw-pi'

const FIXTURES = join(import.meta.dir, '../../fixtures')

/** By the names of agent CLIs. Stories of Claude Code have facts of their own beside them (`lineage-stories`). */
const READERS: Record<string, (paths: readonly string[]) => Map<string, RawFacts>> = {
  codex: rawCodex,
  opencode: rawOpencode,
  copilot: rawCopilot,
  pi: rawPi,
  gemini: rawGemini,
  qwen: rawQwen,
}

interface Agent {
  harness: Harness
  read: (paths: readonly string[]) => Map<string, RawFacts>
  stories: Story[]
}
interface Story {
  /** What is recorded. */
  files: string[]
  /** What the agent CLI wrote: the same files, or a database. */
  written: string[]
}

/** A word that every agent CLI's stories hold. */
const WORD = 'again'

const pathsOf = (folder: string): string[] =>
  [...new Glob('**/*.json{l,}').scanSync(folder)].sort().map((name) => join(folder, name))

let home: string
let AGENTS: Agent[]
beforeAll(async () => {
  home = mkdtempSync('/tmp/ld-')
  AGENTS = await Promise.all(
    Object.entries(READERS).map(async ([name, read]) => {
      const found = harnesses().find((one) => one.name === name)
      if (found === undefined) throw new Error(`no harness: ${name}`)
      const stories = found.database === undefined ? storiesOf(name) : await rowStories()
      return { harness: await found.read(), read, stories }
    }),
  )
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

const storiesOf = (agent: string): Story[] =>
  [...new Glob('*/*').scanSync({ cwd: join(FIXTURES, agent), onlyFiles: false })].map((story) => {
    const files = pathsOf(join(FIXTURES, agent, story))
    return { files, written: files }
  })

/** What opencode has in its database, and what it exported: both are recorded from journals of ours. */
async function rowStories(): Promise<Story[]> {
  using rows = new OpencodeRows(join(home, 'opencode'))
  rows.add(ROWS)
  const sources = { rows: rows.path, exported: join(OPENCODE_FIXTURES, 'export.json') }
  const stories: Story[] = []
  for (const [name, written] of Object.entries(sources)) {
    const journals = journalsBelow(await journalsOf(written, folderIn(home, name)))
    stories.push({ files: journals.map(({ ref }) => ref.path), written: [written] })
  }
  return stories
}

function agentNamed(name: string): Agent {
  const found = AGENTS.find(({ harness }) => harness.agent === name)
  if (found === undefined) throw new Error(`no agent: ${name}`)
  return found
}

const record = async (store: Store, harness: Harness, path: string) => {
  const ref = harness.classify(path, readFileSync(path).subarray(0, 65_536))
  if (ref === null) throw new Error(`not recognised: ${path}`)
  return await recorderOn(store).recordFile(ref)
}

const sorted = (words: Iterable<string>): string[] => [...words].sort()

async function checkSession(store: Store, id: string, raw: RawFacts): Promise<void> {
  const session = sessionId(id)
  const found = await store.sessions.find(session)
  expect(found?.counts.malformedLines).toBe(0)
  const { rows: events } = await store.events.list({ sessionId: session, ownOnly: true }, { limit: 1_000 })
  expect(sorted(new Set(events.filter(({ type }) => type === 'prompt').map(({ text }) => text ?? '')))).toEqual(
    sorted(raw.prompts),
  )
  // A line may hold several calls, and its event names the first.
  for (const { type, toolUseId } of events)
    if (type === 'tool_call') expect([...raw.calls.keys()]).toContain(toolUseId ?? 'none')
  for (const [call, tool] of raw.calls) {
    const use = (await store.toolUses.find(toolUse(call))).find((one) => one.sessionId === session)
    expect(use?.name ?? '').toEndWith(tool)
    expect([call, use?.endedAt !== null]).toEqual([call, raw.answered.has(call)])
  }
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheCreationTokens = 0 } = found?.usage ?? {}
  const total = [...raw.tokens.values()].reduce((sum, one) => sum + one, 0)
  expect(inputTokens + outputTokens + cacheReadTokens + cacheCreationTokens).toBe(total)
  const nodes = await store.subagents.list(session)
  for (const [agent, call] of raw.links)
    expect(nodes.find(({ id: node }) => String(node) === agent)).toMatchObject({ toolUseId: call })
  const todos = await store.todos.list({ sessionId: session })
  // One that was done stays in the record when a later list leaves it out.
  const words = new Set(raw.todos.map(([content]) => content))
  const listed = todos.filter(({ content, subagentId }) => words.has(content) && subagentId === null)
  expect(listed.map(({ content, status }) => [content, status])).toEqual(raw.todos)
}

test('each agent CLI has a reader of its own', () => {
  expect([claudeCodeHarness.name as string, ...Object.keys(READERS)].sort()).toEqual(
    harnesses()
      .map(({ name }) => name as string)
      .sort(),
  )
})

onEachDatabase((database) => {
  for (const name of Object.keys(READERS))
    test(`the record of ${name} holds what its files say: prompts, calls, answers, tokens, links and to-dos`, async () => {
      const { store } = database
      const { harness, read, stories } = agentNamed(name)
      for (const { files, written } of stories) {
        for (const path of files) await record(store, harness, path)
        const sessions = read(written)
        expect(sessions.size).toBeGreaterThan(0)
        for (const [id, raw] of sessions) await checkSession(store, id, raw)
      }
    })

  test('lists, search, costs and the tree are of one agent CLI where it is asked for', async () => {
    const { store } = database
    const names = AGENTS.map(({ harness }) => harness.agent)
    expect(Object.keys(await store.sessions.countByAgent()).sort()).toEqual(names.toSorted())
    const settings = { stuckAfterMs: 60_000, askingTools: new Set<string>() }
    const base = { timeZone: UTC, limit: 100 }
    const byAgent = await store.costs.sum({ ...base, by: 'agent' })
    expect(byAgent.rows.map(({ key }) => key).sort()).toEqual(names.toSorted())
    for (const agent of names) {
      const { rows } = await store.sessions.list({ agent }, { limit: 100 })
      expect(new Set(rows.map((session) => session.agent))).toEqual(new Set([agent]))
      expect(rows.length).toBe((await store.sessions.countByAgent())[agent] ?? 0)
      const found = await store.events.search(WORD, { agent, limit: 100 })
      expect(found.hits.length).toBeGreaterThan(0)
      expect(new Set(found.hits.map((hit) => hit.agent))).toEqual(new Set([agent]))
      const own = new Set(rows.map(({ id }) => id))
      const { rows: said } = await store.events.list({ agent, ownOnly: true }, { limit: 1_000 })
      expect(new Set(said.map(({ sessionId: of }) => of)).isSubsetOf(own)).toBe(true)
      const total = rows.reduce((sum, { counts }) => sum + counts.events, 0)
      expect(said.length).toBe(Math.min(total, 1_000))
      const view = { now: Date.now(), linkFrom: [] }
      const { rows: lists } = await store.todos.lists({ agent }, { limit: 100 }, view)
      expect(new Set(lists.map(({ sessionId: of }) => of)).isSubsetOf(own)).toBe(true)
      // Pi has no to-dos.
      expect(lists.length > 0).toBe(agent !== 'pi')
      const costs = await store.costs.sum({ ...base, by: 'session', agent })
      const sum = byAgent.rows.find(({ key }) => key === agent)
      expect({ usage: sum?.usage, messages: sum?.messages }).toEqual({
        ...{ usage: costs.total.usage, messages: costs.total.messages },
      })
      expect(new Set(costs.rows.map(({ agentCli }) => agentCli))).toEqual(new Set([agent]))
      const needs = { tasks: [], sessions: [], subagents: [] }
      const level = await store.tree.level({ under: null, limit: 100, now: Date.now(), settings, needs, agent })
      const count = level?.entries.reduce((sum, { childCount }) => sum + childCount, 0)
      expect(count).toBe(rows.length)
      const under = readTreeId(level?.entries[0]?.id ?? '') ?? null
      const below = await store.tree.level({ under, limit: 100, now: Date.now(), settings, needs, agent })
      expect(new Set(below?.entries.map(({ agentCli }) => agentCli))).toEqual(new Set([agent]))
    }
    const all = await store.events.search(WORD, { limit: 100 })
    expect(new Set(all.hits.map((hit) => hit.agent)).size).toBe(names.length)
  })

  test('recorded once more, read anew from the journals, the record holds the same', async () => {
    const { store } = database
    for (const { harness, read, stories } of AGENTS) {
      for (const path of stories.flatMap(({ files }) => files))
        expect(await record(store, harness, path)).toMatchObject({ eventsAdded: 0 })
      await rebuild({
        store,
        harnessOf: (agent) => AGENTS.find((one) => one.harness.agent === agent)?.harness ?? harness,
        mask: secretMask(),
        host: HOST,
        projectOf: (cwd) => ({ root: cwd, remote: null, name: 'project' }),
      })
      for (const [id, raw] of read(stories.flatMap(({ written }) => written))) await checkSession(store, id, raw)
    }
  })

  test('a document that is written anew with each message counts each event once, and all its bytes are kept', async () => {
    const { store } = database
    const root = mkdtempSync('/tmp/ld-')
    const path = join(root, 'tmp/p/chats/session-2025-09-18T02-45-99999999.json')
    mkdirSync(dirname(path), { recursive: true })
    const id = '99999999-0000-4000-8000-000000000001'
    const at = (n: number) => new Date(Date.UTC(2025, 8, 18, 2, 45, n)).toISOString()
    const message = (n: number) => ({
      ...{ id: `99999999-0000-4000-8000-00000000001${n}`, timestamp: at(n), type: n % 2 ? 'user' : 'gemini' },
      ...{ content: `Words ${n}`, ...(n % 2 === 0 && { tokens: { input: 10, output: 1, cached: 0 }, model: 'm' }) },
    })
    try {
      for (let count = 1; count <= 4; count++) {
        const messages = [1, 2, 3, 4].slice(0, count).map(message)
        const head = { sessionId: id, projectHash: 'p', startTime: at(0), lastUpdated: at(count) }
        const text = JSON.stringify({ ...head, messages }, null, 2)
        // Half of it is there first, as a reader may find it.
        writeFileSync(path, text.slice(0, 300))
        await record(store, gemini, path)
        writeFileSync(path, text)
        await record(store, gemini, path)
      }
      expect(await store.sessions.find(sessionId(id))).toMatchObject({
        ...{ title: 'Words 1', model: 'm', counts: { events: 4, malformedLines: 0 } },
        usage: { inputTokens: 20, outputTokens: 2 },
      })
      const [open] = await store.journals.listOpen(HOST.name, { paths: [path] })
      expect(await bytesOf(store, open?.incarnation ?? 0)).toEqual(readFileSync(path))
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  })

  test('files that grow in pieces leave the same record', async () => {
    const { store } = database
    const root = mkdtempSync('/tmp/ld-')
    try {
      cpSync(join(FIXTURES, 'gemini/0.61.0/plan'), root, { recursive: true })
      for (const path of pathsOf(root)) {
        const bytes = Buffer.from(readFileSync(path, 'utf8').replaceAll('81196d75-', '91196d75-'))
        for (let end = 300; end < bytes.length + 900; end += 900) {
          writeFileSync(path, bytes.subarray(0, end))
          await record(store, gemini, path)
        }
      }
      for (const [id, raw] of rawGemini(pathsOf(root))) await checkSession(store, id, raw)
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  })
})
