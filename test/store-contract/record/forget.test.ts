import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SQL } from 'bun'
import { sessionId } from '../../../src/domain/ids'
import { failureOf, onEachDatabase } from '../databases'
import {
  appendBytes,
  freshId,
  sampleEvent,
  sampleHost,
  sampleSession,
  sampleSubagent,
  sampleToolUse,
  sampleUsage,
  subagentKeyOf,
} from '../sample'

/** Letters only, so that it is one word to every index; FTS stores words without what they share with the one before. */
const SECRET = 'zzqxsecretword'

onEachDatabase((database) => {
  /** A session whose every table and text holds the secret. */
  const recordSecret = (id: string) =>
    database.store.write(async (tx) => {
      // Random bytes: the secret must not survive in a compressed form that a search does not see.
      const lines = Array.from({ length: 50 }, (_, i) => `${SECRET} ${i} ${crypto.randomUUID()}`)
      const session = await sampleSession(tx, { id, lines, path: `/transcripts/${id}.jsonl` })
      const node = await subagentKeyOf(tx.record, session, 'agent-1')
      const keys = await tx.record.insertEvents(
        lines.map((text, i) => sampleEvent(session, { at: i, text, subagentKey: i % 2 === 0 ? node : null })),
      )
      await tx.record.indexText(
        keys.map((key, i) => ({ event: key as never, session: session.key, text: lines[i] ?? '', isOutput: false })),
      )
      await tx.record.mergeSubagents([
        sampleSubagent(session, 'agent-1', { prompt: SECRET, description: SECRET, type: SECRET }),
      ])
      await tx.record.mergeToolUses([sampleToolUse(session, `toolu_${SECRET}`)])
      await tx.record.mergeUsage([sampleUsage(session)])
      await tx.record.applyTodoChanges([
        {
          sessionKey: session.key,
          listName: 'todo',
          subagentKey: null,
          toolUseId: 't1',
          at: 1,
          source: 1,
          change: { op: 'snapshot', items: [{ content: SECRET, status: 'pending' }] },
        },
      ])
      await tx.appendFeed('session.updated', { key: session.key, id: sessionId(id) }, { title: SECRET })
      return session
    })

  test('a forgotten session leaves no row, and others keep theirs', async () => {
    const { store } = database
    const kept = await store.write((tx) => sampleSession(tx, { lines: ['kept line'] }))
    const id = freshId('forgotten')
    const session = await recordSecret(id)
    const before = (await store.diagnostics.storage()).rows
    await store.write(async (tx) => {
      await tx.sessions.forget(session.key)
      await tx.appendFeed('session.forgotten', { key: session.key, id: sessionId(id) })
    })
    await store.maintain('scrub')

    expect(await store.sessions.find(sessionId(id))).toBeUndefined()
    expect((await store.events.search(SECRET, { limit: 5 })).hits).toEqual([])
    expect(await store.todos.list({ sessionId: sessionId(id) })).toEqual([])
    expect(await store.journals.listBySession(sessionId(id))).toEqual([])
    expect(await store.sessions.isTombstoned('session', id)).toBe(true)
    expect(await store.sessions.isTombstoned('path', `/transcripts/${id}.jsonl`)).toBe(true)
    expect(await store.sessions.isTombstoned('session', kept.id)).toBe(false)
    const after = (await store.diagnostics.storage()).rows
    expect(after.conversation_events).toBe((before.conversation_events ?? 0) - 50)
    expect(after.tool_uses).toBe((before.tool_uses ?? 0) - 1)
    expect(await store.sessions.find(sessionId(kept.id))).toBeDefined()
    const [journal] = await store.journals.listBySession(sessionId(kept.id))
    expect(journal?.incarnations.length).toBe(1)

    // The collector can't bring it back.
    expect(
      await store.write(async (tx) => tx.record.session('claude-code', id, await sampleHost(tx.record))),
    ).toBeUndefined()
    const ref = {
      agent: 'claude-code',
      kind: 'transcript',
      path: `/transcripts/${id}.jsonl`,
      sessionId: id,
      subagentId: null,
    } as const
    expect(await store.write(async (tx) => tx.record.journal(await sampleHost(tx.record), ref, null))).toBeUndefined()
  })

  test('what was forgotten is nowhere in the database', async () => {
    const { store, place } = database
    const id = freshId('secret')
    const session = await recordSecret(id)
    await store.maintain('checkpoint')
    const path = place.path
    if (path !== undefined) expect(filesWith(dirname(path), SECRET)).not.toEqual([])
    await store.write((tx) => tx.sessions.forget(session.key))
    await store.maintain('scrub')
    if (path !== undefined) {
      // FTS keeps a word without the beginning that it shares with its neighbour.
      expect(filesWith(dirname(path), SECRET.slice(3))).toEqual([])
      return
    }
    expect(await tablesWith(place.url ?? '', SECRET)).toEqual([])
  })

  test('its lines in a journal of many sessions become spaces; other lines stay', async () => {
    const { store } = database
    const id = freshId('hooked')
    const line = (session: string, text: string): string =>
      JSON.stringify({ v: 1, payload: { session_id: session, prompt: text } })
    const lines = [line(id, SECRET), line('other', `mentions ${id}`), line('other', 'x'), line(id, 'more'), 'no JSON']
    const incarnation = await store.write(async (tx) => {
      const host = await sampleHost(tx.record)
      await sampleSession(tx, { id })
      const ref = {
        agent: 'claude-code',
        kind: 'hooks',
        path: `/hooks/${id}.jsonl`,
        sessionId: null,
        subagentId: null,
      } as const
      const journal = await tx.record.journal(host, ref, null)
      if (journal === undefined) throw new Error('tombstoned')
      const none = { headLength: 0, headHash: null, tailLength: 0, tailHash: null }
      const opened = await tx.record.openIncarnation(journal.key, { number: 1, device: 1, inode: 1, ...none }, null)
      await appendBytes(tx.record, opened.key, 0, Buffer.from(`${lines.join('\n')}\n`))
      return opened.key
    })
    const session = await store.sessions.find(sessionId(id))
    await store.write((tx) => tx.sessions.forget(session?.key as never))
    const parts: Uint8Array[] = []
    for await (const part of store.journals.read(incarnation)) parts.push(part)
    const kept = Buffer.concat(parts).toString().split('\n')
    expect(kept).toEqual([
      ' '.repeat(lines[0]?.length ?? 0),
      lines[1] ?? '',
      lines[2] ?? '',
      ' '.repeat(lines[3]?.length ?? 0),
      'no JSON',
      '',
    ])
  })

  test('forgetting twice, or what is not there, is harmless', async () => {
    const { store } = database
    const session = await recordSecret(freshId('twice'))
    await store.write((tx) => tx.sessions.forget(session.key))
    await store.write((tx) => tx.sessions.forget(session.key))
  })

  test('a unit that forgets and then fails has forgotten nothing', async () => {
    const { store } = database
    const id = freshId('undone')
    const session = await recordSecret(id)
    await failureOf(
      store.write(async (tx) => {
        await tx.sessions.forget(session.key)
        throw new Error('of the unit')
      }),
    )
    expect(await store.sessions.isTombstoned('session', id)).toBe(false)
    expect((await store.events.list({ sessionId: sessionId(id) }, { limit: 100 })).rows.length).toBe(50)
    expect((await store.events.search(SECRET, { limit: 5, sessionId: sessionId(id) })).hits.length).toBe(5)
  })
})

/** Files of a folder that hold `text`. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(text))
}

/** Tables with a row that holds `text` in any column. */
async function tablesWith(url: string, text: string): Promise<string[]> {
  const sql = new SQL(url, { max: 1 })
  try {
    const tables: { name: string }[] = await sql.unsafe(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    )
    const found: string[] = []
    for (const { name } of tables) {
      const rows: unknown[] = await sql.unsafe(`select 1 from ${name} t where t::text like '%${text}%' limit 1`)
      if (rows.length > 0) found.push(name)
    }
    return found
  } finally {
    await sql.close()
  }
}
