/** The record says what the files say: held against a reader that shares no code with the program, over all files that we have. */
import { expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { UTC } from '../../../src/domain/cost/zone-days'
import type { Harness } from '../../../src/domain/harness/harness'
import { sessionId } from '../../../src/domain/ids'
import { secretMask } from '../../../src/domain/secrets/mask'
import type { Store } from '../../../src/domain/store'
import { rebuild } from '../../../src/engine/record/rebuild'
import { codex } from '../../../src/harness/codex'
import { gemini } from '../../../src/harness/gemini'
import { qwen } from '../../../src/harness/qwen'
import { onEachDatabase } from '../../store-contract/databases'
import { bytesOf, HOST, recorderOn } from '../recording'
import { type RawFacts, rawCodex, rawGemini, rawQwen } from './raw-facts'

const FIXTURES = join(import.meta.dir, '../../fixtures')

const AGENTS: { harness: Harness; read: (paths: readonly string[]) => Map<string, RawFacts> }[] = [
  { harness: codex, read: rawCodex },
  { harness: gemini, read: rawGemini },
  { harness: qwen, read: rawQwen },
]

const pathsOf = (folder: string): string[] =>
  [...new Glob('**/*.json{l,}').scanSync(folder)].sort().map((name) => join(folder, name))

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
  const calls = events.filter(({ type }) => type === 'tool_call')
  const answers = events.filter(({ type }) => type === 'tool_result')
  expect(sorted(calls.map(({ toolUseId }) => toolUseId ?? ''))).toEqual(sorted(raw.calls.keys()))
  expect(calls.filter(({ toolUseId, toolName }) => !toolName?.endsWith(raw.calls.get(toolUseId ?? '') ?? '?'))).toEqual(
    [],
  )
  expect(sorted(answers.map(({ toolUseId }) => toolUseId ?? ''))).toEqual(sorted(raw.answered))
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

onEachDatabase((database) => {
  for (const { harness, read } of AGENTS)
    test(`the record of ${harness.agent} holds what its files say: prompts, calls, answers, tokens, links and to-dos`, async () => {
      const { store } = database
      for (const story of new Glob('*/*').scanSync({ cwd: join(FIXTURES, harness.agent), onlyFiles: false })) {
        const paths = pathsOf(join(FIXTURES, harness.agent, story))
        for (const path of paths) await record(store, harness, path)
        const sessions = read(paths)
        expect(sessions.size).toBeGreaterThan(0)
        for (const [id, raw] of sessions) await checkSession(store, id, raw)
      }
    }, 60_000)

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
      const found = await store.events.search('bug', { agent, limit: 100 })
      expect(found.hits.length).toBeGreaterThan(0)
      expect(new Set(found.hits.map((hit) => hit.agent))).toEqual(new Set([agent]))
      const costs = await store.costs.sum({ ...base, by: 'session', agent })
      const own = byAgent.rows.find(({ key }) => key === agent)
      expect({ usage: own?.usage, messages: own?.messages }).toEqual({
        ...{ usage: costs.total.usage, messages: costs.total.messages },
      })
      const needs = { tasks: [], sessions: [], subagents: [] }
      const level = await store.tree.level({ under: null, limit: 100, now: Date.now(), settings, needs, agent })
      const count = level?.entries.reduce((sum, { childCount }) => sum + childCount, 0)
      expect(count).toBe(rows.length)
    }
    const all = await store.events.search('bug', { limit: 100 })
    expect(new Set(all.hits.map((hit) => hit.agent)).size).toBe(names.length)
  }, 60_000)

  test('recorded once more, read anew from the journals, the record holds the same', async () => {
    const { store } = database
    for (const { harness, read } of AGENTS) {
      const paths = pathsOf(join(FIXTURES, harness.agent))
      for (const path of paths) expect(await record(store, harness, path)).toMatchObject({ eventsAdded: 0 })
      await rebuild({
        store,
        harnessOf: (agent) => AGENTS.find((one) => one.harness.agent === agent)?.harness ?? harness,
        mask: secretMask(),
        host: HOST,
        projectOf: (cwd) => ({ root: cwd, remote: null, name: 'project' }),
      })
      for (const [id, raw] of read(paths.filter((path) => !path.includes('/fork')))) await checkSession(store, id, raw)
    }
  }, 60_000)

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
  }, 60_000)

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
  }, 60_000)
})
