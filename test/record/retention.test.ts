/** What is forgotten by age, and what is never. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { SQL } from 'bun'
import { sweepByAge, sweepOld } from '../../src/app/server/retention'
import { createRecordEngine } from '../../src/app/threads/record-engine'
import { readConfig } from '../../src/config/load'
import { type SessionId, sessionId } from '../../src/domain/ids'
import { ISSUE_LINK_SOURCES } from '../../src/domain/session/session-issue'
import { KeptLog } from '../api/start-api'
import { TrackerLab } from '../issues/tracker-lab'
import { onEachDatabase } from '../store-contract/databases'
import { freshId, sampleSession } from '../store-contract/sample'
import { Crew, OPERATOR } from '../tasks/crew'

const DAY_MS = 86_400_000
const LINES = ['{"type":"user"}']

onEachDatabase((database) => {
  let lab: TrackerLab
  beforeAll(() => {
    lab = new TrackerLab(database.store)
  })
  afterAll(() => rmSync(lab.dir, { recursive: true, force: true }))

  async function run(statement: string): Promise<void> {
    const { place } = database
    const sql =
      place.path !== undefined ? new SQL({ adapter: 'sqlite', filename: place.path }) : new SQL(place.url, { max: 1 })
    await sql.unsafe(statement)
    await sql.close()
  }
  /** A session whose last event was this many days ago; `null` = it has none. */
  async function session(daysAgo: number | null): Promise<SessionId> {
    const id = freshId('aged')
    await database.store.write((tx) => sampleSession(tx, { id, lines: LINES, path: `/t/${id}.jsonl` }))
    const at = daysAgo === null ? 'null' : String(Date.now() - daysAgo * DAY_MS)
    await run(`update sessions set last_event_at = ${at} where native_id = '${id}'`)
    return sessionId(id)
  }
  const old = async (days: number, ...ids: SessionId[]) =>
    (await database.store.retention.oldSessions(Date.now() - days * DAY_MS, ISSUE_LINK_SOURCES))
      .filter(({ id }) => ids.includes(id))
      .map(({ id, heldBy }) => [id, heldBy])
  const engineOf = () => createRecordEngine(database.store, { name: 'host', hostname: 'host' })

  test('is old by its last event alone, the oldest first, with the size of its journals', async () => {
    const [older, newer, young, never] = [await session(50), await session(40), await session(10), await session(null)]
    expect(await old(30, older, newer, young, never)).toEqual([
      [older, null],
      [newer, null],
    ])
    expect(await old(60, older, newer, young, never)).toEqual([])
    const all = await database.store.retention.oldSessions(Date.now() - 30 * DAY_MS, [])
    expect(all.find(({ id }) => id === older)?.bytes).toBe(LINES.join('\n').length + 1)
  })

  test('stays while its CLI lives, while a task goes on in it, and while an issue that it is linked to is open', async () => {
    const crew = new Crew(database.store)
    const ids = [await session(40), await session(40), await session(40), await session(40), await session(40)] as const
    const [alive, worked, above, linked, free] = ids
    await run(`update sessions set process_state = 'alive' where native_id = '${alive}'`)
    const task = await crew.create({})
    await run(`update tasks set last_session_native_id = '${worked}' where public_id = '${task.id}'`)
    const parent = await crew.create({})
    const child = await crew.create({ parentTaskId: parent.id })
    await crew.service.cancel(OPERATOR, parent.id, {})
    await run(`update tasks set last_session_native_id = '${above}' where public_id = '${parent.id}'`)
    const issue = await lab.create({ title: 'A wall' })
    const { tracker } = await lab.service.resolveScope(OPERATOR, lab.scope)
    const [found] = await database.store.issues.find(tracker, issue)
    if (found === undefined) throw new Error('no issue')
    await database.store.write((tx) => tx.todos.putChoice(linked, found.key, { isLinked: true, by: 'me', at: tx.now }))
    const held = async () => new Map((await old(30, ...ids)) as [SessionId, string | null][])
    expect((await crew.task(child.id)).status).not.toBe('cancelled')
    expect(await held()).toEqual(
      new Map([
        [alive, 'process'],
        [worked, 'task'],
        [above, 'task'],
        [linked, 'issue'],
        [free, null],
      ]),
    )
    // What is over holds nothing.
    await run(`update sessions set process_state = 'gone' where native_id = '${alive}'`)
    for (const { id, status } of [await crew.task(task.id), await crew.task(child.id)])
      if (status !== 'cancelled') await crew.service.cancel(OPERATOR, id, {})
    await lab.service.close(OPERATOR, lab.scope, issue, {})
    expect([...(await held()).values()]).toEqual([null, null, null, null, null])
  })

  test('a sweep forgets what is old and free, with a line in the audit log for each, and looks again before it does', async () => {
    const [gone, kept, young, revived] = [await session(40), await session(40), await session(10), await session(40)]
    await run(`update sessions set process_state = 'alive' where native_id = '${kept}'`)
    const { number } = await database.store.audit.head()
    const engine = engineOf()
    const forgotten: string[] = []
    const { retention, sessions } = database.store
    await sweepOld(
      { before: Date.now() - 30 * DAY_MS, linkFrom: [] },
      {
        sessions,
        retention: {
          async oldSessions(...args) {
            const found = await retention.oldSessions(...args)
            await run(`update sessions set last_event_at = ${Date.now()} where native_id = '${revived}'`)
            return found.filter(({ id }) => [gone, kept, young, revived].includes(id))
          },
        },
      },
      engine,
      (id) => forgotten.push(id),
    )
    expect(forgotten).toEqual([gone])
    for (const [id, isThere] of [
      [gone, false],
      [kept, true],
      [young, true],
      [revived, true],
    ] as const)
      expect([id, (await sessions.find(id)) !== undefined]).toEqual([id, isThere])
    const { rows } = await database.store.audit.list({ after: number }, { limit: 10 })
    expect(rows.map(({ act, target, actor }) => [act, target, actor.kind])).toEqual([
      ['session.forget', gone, 'system'],
    ])
  })

  test('nothing is looked for unless a person chose an age', async () => {
    let looks = 0
    const oldSessions = async () => {
      looks++
      return []
    }
    const store = { sessions: database.store.sessions, retention: { oldSessions } }
    const engine = engineOf()
    const { config } = readConfig({ env: { HOME: lab.dir }, cwd: lab.dir })
    await sweepByAge(config, store, engine, new KeptLog())
    expect(looks).toBe(0)
    await sweepByAge({ ...config, retention: { days: 30 } }, store, engine, new KeptLog())
    expect(looks).toBe(1)
  })
})
