/** A day at a moment is what the replay of each of its sessions shows at that moment, on both databases. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { type Client, createClient } from '../../../src/api/client'
import { createApp } from '../../../src/api/server/app'
import { agentLines } from '../../../src/app/agents/agent-lines'
import { importFiles } from '../../../src/app/files/import-files'
import { createRecordEngine, type KeptStore } from '../../../src/app/threads/record-engine'
import { type SessionId, sessionId } from '../../../src/domain/ids'
import type { Session } from '../../../src/domain/session/session'
import { openStore, type StorePlace } from '../../../src/store/open'
import { detailAt } from '../../../web/src/features/session/replay/detail-at'
import { TranscriptLines } from '../../browser/world/world-lines'
import { make } from '../../store-contract/databases'
import { declaredApp } from '../answers/declared-answers'
import { KeptLog, KeptServices } from '../start-api'

const FIXTURES = join(import.meta.dir, '../../fixtures/claude-code/transcripts')
const HOUR = 3_600_000
const iso = (at: number): string => new Date(at).toISOString()

/** What both report of a session. */
async function seenInSession(client: Client, id: SessionId, until: string) {
  const [detail, { todos }, rows, { changes }] = await Promise.all([
    client.sessions.place(id),
    client.todos.changes(id),
    client.sessions.rows(id, { until, limit: 500 }),
    client.sessions.changes(id, { limit: 50 }),
  ])
  const then = detailAt(detail, todos, Date.parse(until))
  const agents = [...then.subagents, ...then.backgroundTasks]
  const words = rows.rows.findLast(({ event }) => event.type === 'text' && event.text !== null)
  return {
    agents: agents.map(({ id, status, startedAt, endedAt, parentId, depth }) =>
      JSON.stringify([id, status, startedAt, endedAt, parentId, depth]),
    ),
    running: agents.filter(({ status }) => status === 'running').length,
    todos: then.todos.map(({ id, content, status }) => JSON.stringify([id, content, status])),
    completed: then.todos.filter(({ status }) => status === 'completed').length,
    files: [...new Set(changes.filter(({ at }) => at === null || at <= until).flatMap(({ files }) => files))],
    lastWords: words?.event.text?.slice(0, 300) ?? null,
  }
}

async function seenInDay(client: Client, day: { since: string; until: string }, id: SessionId, at: string) {
  const { sessions } = await client.days.moment({ ...day, at, limit: 100 })
  const session = sessions.find((one) => one.id === id)
  if (session === undefined) return undefined
  const { agents, todos, files, lastWords, status, doing } = session
  // Their numbers are right also where not all are listed; no recorded session has more.
  expect([agents.total, todos.total, files.total]).toEqual([
    agents.shown.length,
    todos.shown.length,
    files.shown.length,
  ])
  return {
    seen: {
      agents: agents.shown.map(({ id, status, startedAt, endedAt, parentId, depth }) =>
        JSON.stringify([id, status, startedAt, endedAt, parentId, depth]),
      ),
      running: agents.running,
      todos: todos.shown.map(({ id, content, status }) => JSON.stringify([id, content, status])),
      completed: todos.completed,
      files: files.shown,
      lastWords,
    },
    status,
    doing,
  }
}

const ordered = (seen: Awaited<ReturnType<typeof seenInSession>>) => ({
  ...seen,
  agents: seen.agents.sort(),
  todos: seen.todos.sort(),
  files: seen.files.sort(),
})

/** A morning of two turns: it fails, writes, and asks a person, who answers after ten minutes; an hour of rest lies between. */
function morning(id: SessionId, startedAt: number): string {
  const first = new TranscriptLines(id, '/home/user/harbour', startedAt)
  const second = new TranscriptLines(id, '/home/user/harbour', startedAt + HOUR - 4_000)
  // Calls are numbered, and each has a number of its own.
  for (const name of ['Bash', 'Edit']) second.call(name, {}, '')
  const edit = { file_path: '/home/user/harbour/lights.ts', old_string: 'a', new_string: 'b' }
  const asked = second.prompt('Which colour for the buoys?')
  const [ask, answer] = second.call('AskUserQuestion', { questions: [] }, 'green')
  const later = JSON.parse(answer ?? '{}')
  later.timestamp = iso(Date.parse(later.timestamp) + 600_000)
  const last = new TranscriptLines(id, '/home/user/harbour', startedAt + HOUR + 660_000)
  const lines = [
    first.prompt('Make the lights green'),
    first.say('I look.'),
    ...first.call('Bash', { command: 'npm test' }, 'FAIL', { isError: true }),
    ...first.call('Edit', edit, 'done', { toolUseResult: { filePath: edit.file_path, structuredPatch: [] } }),
    first.say('They are green.'),
    asked,
    ask ?? '',
    JSON.stringify(later),
    last.say('Red, then.'),
  ]
  return `${lines.join('\n')}\n`
}

const MORNING = sessionId('0f0f0f0f-0000-4000-8000-00000000d001')
const MORNING_AT = Date.parse('2026-03-10T10:00:00Z')

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(kind, () => {
    let made: { place: StorePlace; remove: () => Promise<void> }
    let folder: string
    let store: KeptStore
    let client: Client
    let sessions: readonly Session[]

    beforeAll(async () => {
      folder = mkdtempSync('/tmp/ld-')
      made = await make(kind)
      store = await openStore({ ...made.place, mode: 'read-write', migrate: true })
      const engine = createRecordEngine(store, { name: 'host', hostname: 'host' })
      writeFileSync(join(folder, `${MORNING}.jsonl`), morning(MORNING, MORNING_AT))
      await importFiles([FIXTURES, join(folder, `${MORNING}.jsonl`)], engine, 4)
      const app = declaredApp(
        createApp({
          store,
          services: Object.assign(new KeptServices(), { agentLines }),
          access: { kind: 'in_process' },
          version: '1.2.3',
          runtime: 'test',
          log: new KeptLog(),
        }),
      )
      client = createClient((request) => app.fetch(request))
      sessions = (await client.sessions.list({ limit: 1_000 })).sessions.filter(({ startedAt }) => startedAt !== null)
    })
    afterAll(async () => {
      await store?.close()
      await made?.remove()
      rmSync(folder, { recursive: true, force: true })
    })

    const day = { since: '2026-03-10T00:00:00.000Z', until: '2026-03-11T00:00:00.000Z' }
    const dayOf = (at: number) => ({ since: iso(at - HOUR), until: iso(at + 23 * HOUR) })

    test('a day at any moment has of each session what its own replay has', async () => {
      expect(sessions.filter(({ counts }) => counts.subagents > 0).length).toBeGreaterThan(1)
      await fc.assert(
        fc.asyncProperty(fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), async (pick, share) => {
          const session = sessions[pick % sessions.length]
          const [from, to] = [Date.parse(session?.startedAt ?? ''), Date.parse(session?.lastEventAt ?? '')]
          if (session === undefined || to - from > 20 * HOUR) return
          // The replay of a session goes by whole seconds.
          const at = iso(Math.ceil((from + share * (to - from)) / 1_000) * 1_000)
          const own = await seenInSession(client, session.id, at)
          const ofDay = await seenInDay(client, dayOf(from), session.id, at)
          if (ofDay === undefined) throw new Error(`${session.id} is not in its day at ${at}`)
          expect(ordered(ofDay.seen)).toEqual(ordered(own))
        }),
        { numRuns: 60 },
      )
    })

    test('a session is at work within its turns, waits while it asks a person, and rests between them', async () => {
      const at = async (ms: number) => await seenInDay(client, day, MORNING, iso(MORNING_AT + ms))
      expect(await at(-1_000)).toBeUndefined()
      expect(await at(2_000)).toMatchObject({ status: 'running', doing: { tool: 'Bash', isOpen: true } })
      expect((await at(2_000))?.seen.files).toEqual([])
      expect(await at(3_000)).toMatchObject({ status: 'running', doing: { tool: 'Bash', isOpen: false } })
      expect(await at(30_000)).toMatchObject({
        status: 'idle',
        seen: { lastWords: 'They are green.', files: ['/home/user/harbour/lights.ts'] },
      })
      expect(await at(HOUR + 300_000)).toMatchObject({ status: 'waiting', doing: { tool: 'AskUserQuestion' } })
      expect(await at(HOUR + 630_000)).toMatchObject({ status: 'running' })
      expect(await at(HOUR + 660_000)).toMatchObject({ seen: { lastWords: 'Red, then.' } })
    })

    test('a band tells when sessions were at work, and where prompts and errors are', async () => {
      const { lanes, active, partMs, total } = await client.days.show(day)
      expect([partMs, total, lanes.map(({ id }) => id)]).toEqual([60_000, 1, [MORNING]])
      expect(lanes[0]).toMatchObject({
        busy: [
          { first: 600, last: 600 },
          { first: 660, last: 671 },
        ],
        prompts: [600, 660],
        errors: [600],
        runs: [],
      })
      expect(active).toEqual([
        { from: iso(MORNING_AT), to: iso(MORNING_AT + 6_000) },
        { from: iso(MORNING_AT + HOUR), to: iso(MORNING_AT + HOUR + 660_000) },
      ])
      // Seen from within the second turn, the day begins at work.
      const rest = { since: iso(MORNING_AT + HOUR + 300_000), until: iso(MORNING_AT + 25 * HOUR + 300_000) }
      expect((await client.days.show(rest)).lanes[0]).toMatchObject({
        busy: [{ first: 0, last: 6 }],
        prompts: [],
        errors: [],
      })
      const after = { since: iso(MORNING_AT + 2 * HOUR), until: day.until }
      expect((await client.days.show(after)).lanes).toEqual([])
    })

    test('a day is narrowed to a project and an agent CLI', async () => {
      const wide = { since: iso(MORNING_AT - HOUR), until: iso(MORNING_AT + 4 * HOUR) }
      const counted = async (narrow: object) => [
        (await client.days.show({ ...wide, ...narrow })).total,
        (await client.days.moment({ ...wide, ...narrow, at: iso(MORNING_AT + HOUR) })).total,
      ]
      const { project } = (await client.sessions.place(MORNING)).session ?? {}
      expect(await counted({ project })).toEqual([1, 1])
      expect(await counted({ project: '/nowhere' })).toEqual([0, 0])
      expect(await counted({ agent: 'claude-code' })).toEqual([1, 1])
      expect(await counted({ agent: 'codex' })).toEqual([0, 0])
    })

    test('what is no day, and no moment of it, is refused', async () => {
      const asked = [
        () => client.days.show({ since: day.until, until: day.since }),
        () => client.days.show({ since: day.since, until: iso(Date.parse(day.since) + 60 * HOUR) }),
        () => client.days.moment({ ...day, at: day.until }),
        () => client.days.moment({ ...day, at: iso(Date.parse(day.since) - 1) }),
      ]
      for (const ask of asked) await expect(ask()).rejects.toMatchObject({ code: 'invalid' })
    })
  })
}
