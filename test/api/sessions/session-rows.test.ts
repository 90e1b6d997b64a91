/** Rows and contents of every recorded session, by the API: as the schemas say, and what conversations have. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { operations } from '../../../src/api/contract/operations'
import { type App, createApp } from '../../../src/api/server/app'
import { agentLines } from '../../../src/app/agents/agent-lines'
import { importFiles } from '../../../src/app/files/import-files'
import { createRecordEngine, type KeptStore } from '../../../src/app/threads/record-engine'
import { openStore, type StorePlace } from '../../../src/store/open'
import { uuidText } from '../../../src/store/sql/uuid'
import { make } from '../../store-contract/databases'
import { sampleEvent, sampleSession } from '../../store-contract/sample'
import { declaredApp, schemaOf } from '../answers/declared-answers'
import { KeptLog, KeptServices } from '../start-api'

const FIXTURES = join(import.meta.dir, '../../fixtures/claude-code/transcripts')

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(kind, () => {
    let made: { place: StorePlace; remove: () => Promise<void> }
    let folder: string
    let store: KeptStore
    let app: App

    beforeAll(async () => {
      folder = mkdtempSync('/tmp/ld-')
      made = await make(kind)
      store = await openStore({ ...made.place, mode: 'read-write', migrate: true })
      const engine = createRecordEngine(store, { name: 'host', hostname: 'host' })
      await importFiles([FIXTURES], engine, 4)
      app = declaredApp(
        createApp({
          store,
          services: Object.assign(new KeptServices(), { agentLines }),
          access: { kind: 'in_process' },
          version: '1.2.3',
          runtime: 'test',
          log: new KeptLog(),
        }),
      )
    })
    afterAll(async () => {
      await store?.close()
      await made?.remove()
      rmSync(folder, { recursive: true, force: true })
    })

    const get = async (target: string): Promise<{ status: number; body: unknown }> => {
      const response = await app.fetch(new Request(`http://lodeline.invalid${target}`))
      return { status: response.status, body: await response.json() }
    }
    const rows = async (session: string, query = '') => {
      const { status, body } = await get(`/api/sessions/${session}/rows${query}`)
      expect([status, session]).toEqual([200, session])
      const parsed = schemaOf(operations.sessions.rows).parse(body)
      expect(parsed).toEqual(body as typeof parsed)
      return parsed
    }

    test('rows of all agents of a session are all of its events, each once, in the order of the conversation', async () => {
      let count = 0
      const { rows: sessions } = await store.sessions.list({}, { limit: 1_000 })
      for (const session of sessions) {
        const { rows: events } = await store.events.list({ sessionId: session.id }, { limit: 1_000 })
        const agents = new Set([null, ...events.map(({ subagentId }) => subagentId)])
        const seen: string[] = []
        for (const agent of agents) {
          const of = agent === null ? '' : `&subagentId=${agent}`
          const whole = await rows(session.id, `?limit=500${of}`)
          expect(whole.total).toBe(whole.rows.length)
          expect(whole.feedSeq).toBeGreaterThan(0)
          for (const { event } of whole.rows) {
            expect(event.subagentId).toBe(agent)
            seen.push(event.id)
          }
          const middle = whole.rows[Math.floor(whole.rows.length / 2)]
          if (middle !== undefined) {
            const around = await rows(session.id, `?limit=3&around=${middle.event.id}${of}`)
            expect([around.found, around.rows.find(({ number }) => number === middle.number)]).toEqual([
              middle.number,
              middle,
            ])
          }
          count += whole.rows.length
        }
        const own = events.filter(({ subagentId, parentToolUseId }) => subagentId !== null || parentToolUseId === null)
        expect(seen.sort()).toEqual(own.map(({ id }) => id as string).sort())
      }
      expect([sessions.length > 20, count > 500]).toEqual([true, true])
    })

    test('what each line holds is what the event says', async () => {
      const { rows: events } = await store.events.list({}, { limit: 1_000 })
      for (const event of events) {
        const { status, body } = await get(`/api/sessions/${event.sessionId}/events/${event.id.toUpperCase()}/content`)
        expect(status).toBe(200)
        const content = schemaOf(operations.sessions.content).parse(body)
        expect([content.eventId, content.isCut]).toEqual([event.id, false])
        if (event.type !== 'prompt' && event.type !== 'text' && event.type !== 'summary') continue
        const text = content.blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n')
        expect([event.id, text]).toEqual([event.id, event.text ?? ''])
      }
      expect(events.length).toBeGreaterThan(500)
    })

    test('what can not be asked for is refused with a word on what can', async () => {
      const [first] = (await store.sessions.list({}, { limit: 1 })).rows
      const session = `/api/sessions/${first?.id}`
      const failed = async (target: string) => {
        const { status, body } = await get(target)
        const { error } = body as { error: { code: string; hint?: string } }
        return [status, error.code, typeof error.hint]
      }
      const nobody = crypto.randomUUID()
      expect(await failed(`${session}/rows?around=${nobody}`)).toEqual([404, 'not_found', 'string'])
      expect(await failed(`${session}/rows?around=${nobody}&from=1`)).toEqual([400, 'invalid', 'string'])
      expect(await failed(`${session}/rows?subagentId=${'a'.repeat(150)}`)).toEqual([404, 'not_found', 'string'])
      expect(await failed(`${session}/events/${nobody}/content`)).toEqual([404, 'not_found', 'string'])
      expect(await failed(`/api/sessions/${nobody}/rows`)).toEqual([404, 'not_found', 'string'])
      for (const hostile of [
        'from=-1',
        'from=1e99',
        'from=1000000001',
        'limit=0',
        'limit=501',
        'around=x',
        `subagentId=${'a'.repeat(5_000)}`,
        'more=1',
      ])
        expect((await failed(`${session}/rows?${hostile}`)).slice(0, 2)).toEqual([400, 'invalid'])
      expect((await failed(`${session}/events/..%2f..%00/content`)).slice(0, 2)).toEqual([400, 'invalid'])
      expect(await rows(first?.id ?? '', '?from=1000000000')).toMatchObject({ rows: [], marks: [] })
    })

    test('a line is whole where its event is cut; one that is not kept is told by what the record has of it', async () => {
      const long = 'words '.repeat(50_000)
      const line = JSON.stringify({ type: 'user', message: { content: long } })
      const { session, cut, lost } = await store.write(async (tx) => {
        const session = await sampleSession(tx, { id: crypto.randomUUID(), lines: [line] })
        const cut = sampleEvent(session, { text: 'words', isCut: true, length: line.length })
        const other = await sampleSession(tx, { id: crypto.randomUUID() })
        const lost = { ...sampleEvent(session, { text: 'kept', isCut: true }), incarnation: other.incarnation }
        await tx.record.insertEvents([cut, lost])
        return { session: session.id, cut: uuidText(cut.uuid), lost: uuidText(lost.uuid) }
      })
      const content = async (event: string) => (await get(`/api/sessions/${session}/events/${event}/content`)).body
      expect(await content(cut)).toEqual({ eventId: cut, blocks: [{ kind: 'text', text: long }], isCut: false })
      expect(await content(lost)).toEqual({ eventId: lost, blocks: [{ kind: 'text', text: 'kept' }], isCut: true })
    })
  })
}
