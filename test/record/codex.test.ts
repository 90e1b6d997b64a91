/** Rollouts of Codex in the record: what it tells, on both databases. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import type { JournalRef } from '../../src/domain/harness/harness'
import { sessionId, subagentId, toolUseId } from '../../src/domain/ids'
import { codex } from '../../src/harness/codex'
import { AT, CODEX_FIXTURES, event, idAt, line, meta, rollout, says, tokens, turn } from '../harness/codex/rollouts'
import { onEachDatabase } from '../store-contract/databases'
import { recorderOn } from './recording'

const PLAN = '01a1f86f-582a-77f1-8677-f35629593449'
const FORK = '01a1f86f-5aaf-7473-a065-d10884cc7c3d'
const V1 = '01a1f86f-5d90-7ad1-9f1d-d35780dd99e1'
const V2 = '01a1f86f-5f5b-7243-be8d-6da14ddd2b2b'

let root: string
let refs: JournalRef[]

beforeAll(async () => {
  root = mkdtempSync('/tmp/ld-')
  cpSync(CODEX_FIXTURES, root, { recursive: true })
  refs = rolloutsBelow(root)
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

const rolloutsBelow = (folder: string): JournalRef[] =>
  [...new Glob('**/*.jsonl').scanSync(folder)]
    .sort()
    .map((name) => join(folder, name))
    .flatMap((path) => codex.classify(path, readFileSync(path).subarray(0, 65_536)) ?? [])

onEachDatabase((database) => {
  beforeAll(async () => {
    for (const ref of refs.toReversed()) await recorderOn(database.store).recordFile(ref)
  })

  test('a session tells what it did, with the words of every agent CLI', async () => {
    const found = await database.store.sessions.find(sessionId(PLAN))
    expect(found).toMatchObject({
      ...{ agent: 'codex', title: 'Fix the bug @@plan', model: 'scripted-model', gitBranch: 'master' },
      ...{ agentVersion: '0.169.0', forkedFrom: null },
    })
    const fork = await database.store.sessions.find(sessionId(FORK))
    expect(fork).toMatchObject({ forkedFrom: PLAN, title: 'Try it another way @@again' })
    const todos = await database.store.todos.list({ sessionId: sessionId(PLAN) })
    expect(todos.map(({ content, status }) => [content, status])).toContainEqual(['Write the notes', 'in_progress'])
  })

  test('a sub-agent stands below the call that launched it, with its run', async () => {
    for (const [session, call, description] of [
      [V1, 'call_0014_0', 'Lagrange'],
      [V2, 'call_0022_0', '/root/look'],
    ] as const) {
      const nodes = await database.store.subagents.list(sessionId(session))
      const node = nodes.find((one) => one.description === description)
      expect(node).toMatchObject({ toolUseId: toolUseId(call), status: 'completed', depth: 1 })
      expect(await database.store.runs.ofSubagent(session, node?.id ?? ('' as never))).toMatchObject([
        { number: 1, trigger: 'launch', status: 'completed' },
      ])
    }
  })

  test('a result counts as read once the model went on from the line that shows it', async () => {
    const nodes = await database.store.subagents.list(sessionId(V1))
    const runs = await Promise.all(nodes.map(({ id }) => database.store.runs.ofSubagent(V1, id)))
    // The second one was waited for: the answer of the call has its result, before the notice.
    expect(runs.flat().map(({ readEvidence }) => readEvidence)).toEqual(['notice', 'content'])
  })

  test('so does one that comes as a message between agents', async () => {
    const nodes = await database.store.subagents.list(sessionId(V2))
    const runs = await Promise.all(nodes.map(({ id }) => database.store.runs.ofSubagent(V2, id)))
    expect(runs.flat().map(({ readEvidence }) => readEvidence)).toEqual(['content'])
  })

  test('threads below a sub-agent that name no session are in that of the sub-agent, at any depth', async () => {
    const ids = [4, 5, 6, 7].map((serial) => idAt(AT + serial, serial))
    const [top = '', ...below] = ids
    const write = (id: string, more: object): JournalRef => {
      const { ref, bytes } = rollout(id, [meta(AT, id, more), says(AT, 'user', `Work of ${id}`)])
      const path = join(root, ref.path)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, bytes)
      return { ...ref, path }
    }
    const spawn = (parent: string, depth: number) => ({
      source: { subagent: { thread_spawn: { parent_thread_id: parent, depth } } },
    })
    const files = ids.map((id, depth) => write(id, depth === 0 ? {} : spawn(ids[depth - 1] ?? '', depth)))
    for (const file of [...files, ...files])
      expect(await recorderOn(database.store).recordFile(file)).toMatchObject({ sessionId: top })
    const nodes = await database.store.subagents.list(sessionId(top))
    expect(nodes.map(({ id, depth, parentId }) => [id, depth, parentId])).toEqual(
      below.map((id, i) => [subagentId(id), i + 1, i === 0 ? null : subagentId(below[i - 1] ?? '')]),
    )
    for (const id of below) expect(await database.store.sessions.find(sessionId(id))).toBeUndefined()
  })

  test('what earlier lines said is known after a restart: the model, and where a copy ends', async () => {
    const [own, parent] = [idAt(AT, 8), idAt(AT - 3_600_000, 9)]
    const lines = [
      meta(AT, own, { forked_from_id: parent }),
      meta(AT, parent),
      says(AT, 'user', 'Before'),
      tokens(AT, [900, 0, 90], [900, 0, 90]),
      event(AT + 1, { type: 'task_started', turn_id: idAt(AT + 1, 3) }),
      turn(AT + 1, 3, 'gpt-5.2-codex'),
      says(AT + 2, 'user', 'Now'),
      tokens(AT + 3, [1_000, 0, 7], [1_900, 0, 97]),
      line(AT + 4, 'compacted', { message: 'All of it' }),
    ]
    const path = join(root, rollout(own, lines).ref.path)
    mkdirSync(dirname(path), { recursive: true })
    for (let count = 1; count <= lines.length; count++) {
      writeFileSync(
        path,
        lines
          .slice(0, count)
          .map((one) => `${one}\n`)
          .join(''),
      )
      const ref = codex.classify(path, readFileSync(path))
      // A recorder that knows nothing of the one before.
      if (ref !== null) await recorderOn(database.store).recordFile(ref)
    }
    const found = await database.store.sessions.find(sessionId(own))
    expect(found).toMatchObject({
      ...{ title: 'Now', forkedFrom: parent, model: 'gpt-5.2-codex' },
      ...{ counts: { compactions: 1 }, usage: { inputTokens: 1_000, outputTokens: 7 } },
    })
  })
})
