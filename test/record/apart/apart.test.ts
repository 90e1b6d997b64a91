/** The record against a reader that shares nothing with ours: ids, prompts, calls with answers, tokens, links, to-dos of all captured files. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { sessionId, toolUseId } from '../../../src/domain/ids'
import type { Store } from '../../../src/domain/store'
import { harnesses } from '../../../src/harness/registry'
import { openTestStore } from '../../api/test-store'
import { folderIn, journalsBelow, journalsOf, OpencodeRows, ROWS } from '../../harness/opencode/database'
import { recorderOn } from '../recording'
import {
  type SessionFile,
  type Tallies,
  tallyClaude,
  tallyCodex,
  tallyCopilot,
  tallyGemini,
  tallyOpencode,
  tallyPi,
  tallyQwen,
} from './tally'

const FIXTURES = join(import.meta.dir, '../../fixtures')
const READERS: Record<string, (files: readonly SessionFile[]) => Tallies> = {
  'claude-code': tallyClaude,
  codex: tallyCodex,
  copilot: tallyCopilot,
  gemini: tallyGemini,
  pi: tallyPi,
  qwen: tallyQwen,
}

/** Copies of Claude Code, whose lines do not tell which session they are of. */
const NOT_READ = /\/claude-code\/.*\/forked\//
/** What this reader does not count: lists that are no one call each, and sub-agents without a name. Other tests have them. */
const UNCOUNTED: Readonly<Record<string, readonly Counted[]>> = {
  copilot: ['todos'],
  'claude-code': ['todos', 'agents'],
}
type Counted = 'todos' | 'agents'

let root: string
let store: Store

beforeAll(async () => {
  root = mkdtempSync('/tmp/ld-')
  store = await openTestStore()
  for (const name of Object.keys(READERS)) cpSync(join(FIXTURES, name), join(root, name), { recursive: true })
  // Forms of other releases, as public files have them, in words of ours.
  cpSync(join(import.meta.dir, 'shapes'), root, { recursive: true })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Files of sessions below the folder of an agent CLI, recorded as they are found. */
async function recorded(name: string): Promise<SessionFile[]> {
  const harness = await harnesses()
    .find((one) => one.name === name)
    ?.read()
  const paths = [...new Glob('**/*.{json,jsonl}').scanSync(join(root, name))].sort()
  const files = paths.map((path) => join(root, name, path)).map((path) => ({ path, bytes: readFileSync(path) }))
  const recorder = recorderOn(store)
  const taken = files.filter(({ path, bytes }) => {
    const ref = harness?.classify(path, bytes.subarray(0, 65_536)) ?? null
    return ref !== null && ref.kind !== 'stream' && !NOT_READ.test(path)
  })
  for (const { path, bytes } of taken) {
    const ref = harness?.classify(path, bytes.subarray(0, 65_536))
    if (ref) await recorder.recordFile(ref)
  }
  return taken.map(({ path, bytes }) => ({ path, text: bytes.toString() }))
}

/** What the record has of the same. */
async function ofRecord(tallies: Tallies): Promise<object[]> {
  return await Promise.all(
    [...tallies.values()].map(async ({ id, calls }) => {
      const of = sessionId(id)
      const session = await store.sessions.find(of)
      const { rows } = await store.events.list({ sessionId: of, type: 'prompt', ownOnly: true }, { limit: 500 })
      const todos = await store.todos.list({ sessionId: of })
      const outcomes =
        session === undefined
          ? new Map()
          : await store.conversations.toolOutcomes(
              session.key,
              [...calls.keys()].map((call) => toolUseId(call)),
            )
      const { usage, counts } = session ?? {}
      return {
        id,
        forkedFrom: session?.forkedFrom ?? null,
        prompts: rows.filter(({ subagentId }) => subagentId === null).map(({ text }) => text?.trim()),
        calls: [...calls.keys()].map((call) => [call, (outcomes.get(toolUseId(call))?.isError ?? null) !== null]),
        count: counts?.toolCalls,
        agents: counts?.subagents,
        input: (usage?.inputTokens ?? 0) + (usage?.cacheReadTokens ?? 0) + (usage?.cacheCreationTokens ?? 0),
        output: usage?.outputTokens,
        todos: todos
          .filter((one) => one.subagentId === null && one.status !== 'removed')
          .map(({ status, content }) => `${status} ${content}`)
          .sort(),
      }
    }),
  )
}

const counted = (name: string, rows: readonly object[]): object[] =>
  rows.map((row) => ({ ...row, ...Object.fromEntries((UNCOUNTED[name] ?? []).map((what) => [what, null])) }))

const expected = (tallies: Tallies): object[] =>
  [...tallies.values()].map(({ id, forkedFrom, prompts, calls, searches, input, output, agents, todos }) => ({
    ...{ id, forkedFrom, prompts: prompts.map((text) => text.trim()), calls: [...calls] },
    ...{ count: calls.size + searches, agents: agents.size, input, output, todos: (todos ?? []).sort() },
  }))

describe('the record of all captured files is what another reader counts', () => {
  for (const [name, read] of Object.entries(READERS))
    test(`of ${name}`, async () => {
      const tallies = read(await recorded(name))
      expect(tallies.size).toBeGreaterThan(3)
      expect(counted(name, await ofRecord(tallies))).toEqual(counted(name, expected(tallies)))
    })

  test('of opencode', async () => {
    using rows = new OpencodeRows(join(root, 'opencode/data'))
    rows.add(ROWS)
    for (const { ref } of journalsBelow(await journalsOf(rows.root, folderIn(root, 'all'))))
      await recorderOn(store).recordFile(ref)
    const tallies = tallyOpencode(ROWS)
    expect(tallies.size).toBeGreaterThan(3)
    expect(await ofRecord(tallies)).toEqual(expected(tallies))
  })
})
