/** What the hook's own process saw of where a conversation comes from, as the record takes it in. */
import { expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JournalRef } from '../../src/domain/harness/harness'
import { address, sessionId } from '../../src/domain/ids'
import { encodeHookLine, type SessionOrigin } from '../../src/util/hook-journal'
import { prompt, recorderOn, transcript, write } from '../record/recording'
import { onEachDatabase } from '../store-contract/databases'
import { Crew, OPERATOR } from '../tasks/crew'

const AT = Date.parse('2026-01-01T00:00:00Z')

function hookLine(payload: object, origin?: SessionOrigin): Buffer {
  const envelope = { at: AT, pid: 1, ppid: 2, env: {}, isCut: false, origin }
  return Buffer.from(encodeHookLine(envelope, Buffer.from(JSON.stringify(payload))))
}

const started = (session: string) => ({ hook_event_name: 'SessionOrigin', session_id: session })

onEachDatabase((database) => {
  const root = mkdtempSync(join(tmpdir(), 'lode-origin-'))
  let files = 0
  async function recordHooks(...lines: Buffer[]): Promise<void> {
    const path = join(root, `hooks-${++files}.jsonl`)
    const ref: JournalRef = { agent: 'claude-code', kind: 'hooks', path, sessionId: null, subagentId: null }
    write(ref, Buffer.concat(lines))
    await recorderOn(database.store).recordFile(ref)
  }
  async function recordTranscript(session: string): Promise<void> {
    const ref = transcript(root, session)
    write(ref, prompt(session, 'hello'))
    await recorderOn(database.store).recordFile(ref)
  }
  const addressOf = (id: string) => database.store.messages.addressOf(id)
  const found = async (id: string) => {
    const session = await database.store.sessions.find(sessionId(id))
    return { clearedFrom: session?.clearedFrom ?? null, resumedFrom: session?.resumedFrom ?? null }
  }

  test('a cleared conversation goes on at the address of the first, whatever comes first', async () => {
    for (const isHookFirst of [true, false]) {
      const [a, b, c] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
      const hooks = () =>
        recordHooks(
          // The later one first: files may come in any order.
          hookLine(started(c), { how: 'cleared', sessionId: b }),
          hookLine(started(b), { how: 'cleared', sessionId: a }),
        )
      const texts = async () => {
        for (const id of [a, b, c]) await recordTranscript(id)
      }
      if (isHookFirst) await hooks()
      await texts()
      if (!isHookFirst) await hooks()
      expect(await found(c)).toEqual({ clearedFrom: sessionId(b), resumedFrom: null })
      for (const id of [a, b, c]) expect(await addressOf(id)).toBe(address(a))
      const crew = new Crew(database.store)
      const task = await crew.create({ sessionId: sessionId(c) })
      await crew.service.cancel(OPERATOR, task.id, { reason: 'no need' })
      const { rows } = await database.store.messages.list({ to: address(a) }, { limit: 10 })
      expect(rows).toMatchObject([{ kind: 'result', taskId: task.id }])
      expect((await database.store.registry.aliases(address(a))).map(({ id }) => id).sort()).toEqual([b, c].sort())
    }
  })

  test('a resume under a new id is one conversation, and a fork is not', async () => {
    const [a, b] = [crypto.randomUUID(), crypto.randomUUID()]
    await recordHooks(hookLine(started(b), { how: 'resumed', sessionId: a }))
    expect(await found(b)).toEqual({ clearedFrom: null, resumedFrom: sessionId(a) })
    expect(await addressOf(b)).toBe(address(a))
  })

  test('what a payload says of origins links nothing: only the hook itself can', async () => {
    const [a, b] = [crypto.randomUUID(), crypto.randomUUID()]
    const origin = { how: 'cleared', sessionId: a }
    await recordHooks(
      hookLine({ ...started(b), origin, cleared_from: a }),
      hookLine({ hook_event_name: 'SessionStart', source: 'clear', session_id: b, cwd: '/work' }),
      hookLine(started(b), { how: 'cleared', sessionId: '../../etc' }),
      hookLine(started(b), { how: 'cleared', sessionId: b }),
    )
    expect(await found(b)).toEqual({ clearedFrom: null, resumedFrom: null })
    expect(await addressOf(b)).toBe(address(b))
  })

  test('hooks that go round in a circle leave one address', async () => {
    const [a, b] = [crypto.randomUUID(), crypto.randomUUID()]
    await recordHooks(
      hookLine(started(b), { how: 'cleared', sessionId: a }),
      hookLine(started(a), { how: 'cleared', sessionId: b }),
    )
    expect(await addressOf(a)).toBe(await addressOf(b))
  })
})
