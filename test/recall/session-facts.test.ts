/** What the record says of a session, from transcripts of the real CLI: the same by the store, by the API and by a hook's own way. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { answerSession } from '../../src/app/hooks/session-answer'
import { issueId, sessionId } from '../../src/domain/ids'
import { openRecallReader } from '../../src/store/recall/recall-reader'
import { importEdges, sourceFiles, staticClosure } from '../import-rules'
import { freshConversation, type Served, serve, startTask, TOKEN } from '../mcp/served'
import { prompt, recorderOn, transcript, write } from '../record/recording'
import { onEachDatabase } from '../store-contract/databases'

const FIXTURES = resolve(import.meta.dir, '../fixtures/claude-code/transcripts/2.1.328')
function fixture(name: string) {
  const file = readdirSync(join(FIXTURES, name)).find((one) => one.endsWith('.jsonl')) ?? ''
  return { path: join(FIXTURES, name, file), session: sessionId(file.slice(0, -'.jsonl'.length)) }
}
const TODOS = fixture('todos')
const COMPACTED = fixture('compact-manual')
const TALK = sessionId('22222222-2222-4222-8222-222222222222')

onEachDatabase((database) => {
  let served: Served
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync('/tmp/ld-')
    served = serve(database.store)
    const recorder = recorderOn(database.store)
    for (const { path, session } of [TODOS, COMPACTED])
      await recorder.recordFile({
        agent: 'claude-code',
        kind: 'transcript',
        path,
        sessionId: session,
        subagentId: null,
      })
    const talk = transcript(folder, TALK)
    write(talk, ['First of all', 'Second', 'Third', 'Fourth', 'Fifth'].map((text) => prompt(TALK, text)).join(''))
    await recorder.recordFile(talk)
  })
  afterAll(async () => {
    await served.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('has the first prompt and the last three, whole', async () => {
    const facts = await database.store.recall.session(TALK)
    expect(facts?.prompts).toEqual({
      first: { text: 'First of all', isCut: false },
      last: ['Third', 'Fourth', 'Fifth'].map((text) => ({ text, isCut: false })),
      areAll: false,
    })
    expect(facts).toMatchObject({ project: '/home/user/project', gitBranch: 'main', task: null, todos: [] })
    expect(await database.store.recall.session(sessionId('nobody'))).toBeUndefined()
  })

  test('has the to-dos as the store lists them, and only what a person asked for as prompts', async () => {
    const facts = await database.store.recall.session(TODOS.session)
    const listed = await database.store.todos.list({ sessionId: TODOS.session })
    expect(facts?.todos).toEqual(listed.map(({ content, status }) => ({ content, status })))
    expect(facts?.todos.length).toBeGreaterThan(1)
    const compacted = await database.store.recall.session(COMPACTED.session)
    for (const { text } of compacted?.prompts.last ?? [])
      expect(text).not.toMatch(/continued from a previous|<command-name>/)
  })

  test('has the task that goes on in the conversation, with its issue', async () => {
    const { epic } = await served.connect().epics.create({ title: 'Harbour' })
    const { task, token, attemptId } = await startTask(served, { task: 'Rebuild the wall', issueId: epic.id })
    await served.connect().attempts.report(attemptId, { conversation: freshConversation(TODOS.session) })
    expect((await database.store.recall.session(TODOS.session))?.task).toMatchObject({
      id: task.id,
      text: 'Rebuild the wall',
      issueId: epic.id,
    })
    expect(await database.store.recall.issue('/p', TODOS.session, null)).toMatchObject({
      id: epic.id,
      title: 'Harbour',
    })
    expect(await database.store.recall.issue('/p', null, issueId(epic.id))).toMatchObject({ title: 'Harbour' })
    expect(await database.store.recall.issue('/p', null, issueId('ld-none'))).toBeUndefined()
    await served.connect(token).tasks.finish(task.id, { status: 'completed', output: 'Done' })
    expect((await database.store.recall.session(TODOS.session))?.task).toBeNull()
  })

  test('is told over the API, to those who may ask', async () => {
    const text = await served.connect().recall({ moment: 'compact', sessionId: TALK, folder: '/home/user/project' })
    for (const words of ['GOAL REMINDER', 'First of all', 'Fifth']) expect(text).toContain(words)
    const known = await served.connect().recall({ moment: 'resume', sessionId: TALK.slice(0, 8), folder: '/p' })
    expect(known).toContain('First of all')
    expect(
      await served.connect().recall({ moment: 'startup', sessionId: crypto.randomUUID(), folder: '/p' }),
    ).toContain('/p')
  })

  test('is told to a hook where the server alone can read the record', async () => {
    const home = mkdtempSync('/tmp/ld-')
    try {
      writeFileSync(join(home, 'config.yaml'), 'databaseUrl: postgres://u@h/d\n')
      writeFileSync(join(home, 'server.json'), JSON.stringify({ url: served.origin, pid: 1 }))
      writeFileSync(join(home, 'token'), TOKEN)
      const call = { home, session: TALK, origin: null, cwd: '/p', env: {}, timeoutMs: 5_000 }
      expect(await answerSession({ ...call, moment: 'resume' })).toContain('First of all')
      expect(await answerSession({ ...call, moment: 'resume', timeoutMs: 0 })).toBe('')
      // Another program that has the server's port is not given the token.
      const seen: (string | null)[] = []
      using other = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch(request) {
          seen.push(request.headers.get('authorization'))
          return Response.json({ status: 'ok', version: '1' })
        },
      })
      writeFileSync(join(home, 'server.json'), JSON.stringify({ url: `http://127.0.0.1:${other.port}`, pid: 1 }))
      expect([await answerSession({ ...call, moment: 'resume' }), seen]).toEqual(['', [null]])
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  })

  if (database.kind === 'sqlite') {
    test('reads the same by a connection of its own, which can not write', async () => {
      if (!('path' in database.place) || database.place.path === undefined) throw new Error('no file')
      const reader = openRecallReader(database.place.path)
      try {
        for (const session of [TALK, TODOS.session, COMPACTED.session])
          expect(await reader.session(session)).toEqual(await database.store.recall.session(session))
        expect(await reader.ready('/p', 5)).toEqual({ issues: [], total: 0 })
      } finally {
        reader.close()
      }
    })
  }
})

describe('what a hook loads for it', () => {
  test('is no zod and no Kysely', async () => {
    const edges = importEdges(await sourceFiles())
    for (const entry of ['app/hooks/session-answer.ts', 'cli/hooks/session-answer.ts', 'cli/hooks/hook-answer.ts'])
      expect([...staticClosure(entry, edges).packages.keys()].filter((name) => /^(zod|kysely)/.test(name))).toEqual([])
  })

  test('a folder without a database tells nothing', async () => {
    const home = mkdtempSync('/tmp/ld-')
    const call = { home, session: TALK, origin: null, cwd: '/p', env: {}, timeoutMs: 100 }
    expect(await answerSession({ ...call, moment: 'startup' })).toBe('')
    rmSync(home, { recursive: true })
  })
})
