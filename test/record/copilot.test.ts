/** Sessions of Copilot CLI in the record: what it tells, on both databases. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import type { JournalRef } from '../../src/domain/harness/harness'
import { sessionId, toolUseId } from '../../src/domain/ids'
import { copilot } from '../../src/harness/copilot'
import { COPILOT_FIXTURES } from '../harness/copilot/sessions'
import { onEachDatabase } from '../store-contract/databases'
import { recorderOn } from './recording'

const PLAN = '22222222-2222-4222-8222-222222222222'
const SUBAGENT = '11111111-1111-4111-8111-111111111111'
const NESTED = '44444444-4444-4444-8444-444444444444'
const CONTINUED = '88888888-8888-4888-8888-888888888888'
const KILLED = '55555555-5555-4555-8555-555555555555'

let root: string
let refs: JournalRef[]

beforeAll(async () => {
  root = mkdtempSync('/tmp/ld-')
  cpSync(COPILOT_FIXTURES, root, { recursive: true })
  refs = sessionsBelow(root)
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

const sessionsBelow = (folder: string): JournalRef[] =>
  [...new Glob('**/*.jsonl').scanSync(folder)]
    .sort()
    .map((name) => join(folder, name))
    .flatMap((path) => copilot.classify(path) ?? [])

onEachDatabase((database) => {
  beforeAll(async () => {
    for (const ref of refs.toReversed()) await recorderOn(database.store).recordFile(ref)
  })

  test('a session tells what it did, with the words of every agent CLI', async () => {
    expect(await database.store.sessions.find(sessionId(PLAN))).toMatchObject({
      ...{ agent: 'copilot', title: 'x @@plan', model: 'scripted-model', gitBranch: 'main', agentVersion: '1.0.102' },
      ...{ forkedFrom: null, usage: { inputTokens: 500, outputTokens: 50 } },
    })
    const todos = await database.store.todos.list({ sessionId: sessionId(PLAN) })
    expect(todos.map(({ nativeId, status, blockedBy }) => [nativeId, status, blockedBy])).toEqual([
      ['read-code', 'completed', []],
      ['fix-bug', 'in_progress', ['read-code']],
      ['run-tests', 'pending', ['fix-bug']],
    ])
    expect(await database.store.sessions.find(sessionId(KILLED))).toMatchObject({ counts: { toolCalls: 1 } })
  })

  test('a sub-agent stands below the call that launched it, at any depth, with each of its runs', async () => {
    expect(await database.store.subagents.list(sessionId(SUBAGENT))).toMatchObject([
      { toolUseId: toolUseId('call_0001_0'), status: 'completed', depth: 1, type: 'explore' },
    ])
    const nested = await database.store.subagents.list(sessionId(NESTED))
    const outer = nested.find(({ depth }) => depth === 1)
    expect(outer).toMatchObject({ description: 'Outer', status: 'completed' })
    expect(nested.find(({ depth }) => depth === 2)).toMatchObject({ parentId: outer?.id ?? null, status: 'completed' })
    const [continued] = await database.store.subagents.list(sessionId(CONTINUED))
    const runs = await database.store.runs.ofSubagent(CONTINUED, continued?.id ?? ('' as never))
    expect(runs).toMatchObject([
      { number: 1, trigger: 'launch', status: 'completed' },
      { number: 2, status: 'completed', readEvidence: 'notice' },
    ])
  })
})
