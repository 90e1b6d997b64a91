/** Rollouts of Codex in the record: in any order, in pieces and twice, on both databases. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import type { JournalRef } from '../../src/domain/harness/harness'
import { sessionId, toolUseId } from '../../src/domain/ids'
import { secretMask } from '../../src/domain/secrets/mask'
import { rebuild } from '../../src/engine/record/rebuild'
import { codex } from '../../src/harness/codex'
import { AT, CODEX_FIXTURES, event, idAt, line, meta, rollout, says, tokens, turn } from '../harness/codex/rollouts'
import { onEachDatabase } from '../store-contract/databases'
import { bytesOf, HOST, recorderOn } from './recording'
import { tablesAt, tablesOf } from './same-rows'

const PLAN = '01a1f86f-582a-77f1-8677-f35629593449'
const FORK = '01a1f86f-5aaf-7473-a065-d10884cc7c3d'
const V1 = '01a1f86f-5d90-7ad1-9f1d-d35780dd99e1'
const V2 = '01a1f86f-5f5b-7243-be8d-6da14ddd2b2b'

let root: string
let refs: JournalRef[]
let reference: Record<string, string[]>

beforeAll(async () => {
  root = mkdtempSync('/tmp/ld-')
  cpSync(CODEX_FIXTURES, root, { recursive: true })
  refs = rolloutsBelow(root)
  reference = await tablesOf(async (store) => {
    for (const ref of refs) await recorderOn(store).recordFile(ref)
  })
}, 60_000)

afterAll(() => rmSync(root, { recursive: true, force: true }))

const rolloutsBelow = (folder: string): JournalRef[] =>
  [...new Glob('**/*.jsonl').scanSync(folder)]
    .sort()
    .map((name) => join(folder, name))
    .flatMap((path) => codex.classify(path, readFileSync(path).subarray(0, 65_536)) ?? [])

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
    expect(runs.flat().map(({ readEvidence }) => readEvidence)).toEqual(['notice', 'notice'])
  })

  test('read anew from the journals, the record holds the same', async () => {
    const { store, place } = database
    await rebuild({
      store,
      harnessOf: () => codex,
      mask: secretMask(),
      host: HOST,
      projectOf: (cwd) => ({ root: cwd, remote: null, name: 'project' }),
    })
    expect(await tablesAt(place)).toEqual(reference)
  }, 60_000)

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
