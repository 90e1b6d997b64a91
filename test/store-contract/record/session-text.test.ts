import { expect, test } from 'bun:test'
import { type SessionKey, sessionId } from '../../../src/domain/ids'
import type { SessionRow } from '../../../src/domain/record/record-store'
import type { WriteTx } from '../../../src/domain/store'
import { onEachDatabase } from '../databases'
import { freshId, sampleSession, sessionChange } from '../sample'
import { addAgent, addTask, sampleAttempt } from '../tasks-sample'

const titled = async (tx: WriteTx, title: string | null): Promise<string> => {
  const session = await sampleSession(tx, { id: freshId('Berth') })
  if (title !== null) await tx.record.mergeSession([named(session.key, title)])
  return session.id
}

onEachDatabase((database) => {
  test('sessions are found by words that their title or id holds, in any order and without regard to case', async () => {
    const { store } = database
    const [quay, percent, nameless] = await store.write(async (tx) => [
      await titled(tx, 'Sound the depths at the Südkai'),
      await titled(tx, '100% of the_berths'),
      await titled(tx, null),
    ])
    const found = async (text: string) =>
      (await store.sessions.list({ text }, { limit: 100 })).rows.map(({ id }) => String(id)).sort()
    expect(await found('DEPTHS at')).toEqual([quay])
    expect(await found('südkai  depth berth-')).toEqual([quay])
    expect(await found('depths berths')).toEqual([])
    expect(await found('SÜDKAI')).toEqual([quay])
    expect(await found('Südkai')).toEqual([quay])
    expect(await found('0% of')).toEqual([percent])
    expect(await found('the_b')).toEqual([percent])
    expect(await found('the%d')).toEqual([])
    expect(await found((nameless ?? '').toUpperCase())).toEqual([nameless])
    expect(await found('berth-')).toEqual([quay, percent, nameless].sort())
    expect(await found("' or 1=1 --")).toEqual([])
  })

  test('what a text finds goes on page by page', async () => {
    const { store } = database
    const made = await store.write(async (tx) => {
      const ids: string[] = []
      for (let at = 0; at < 5; at++) ids.push(await titled(tx, `Paged ${at}`))
      return ids
    })
    const first = await store.sessions.list({ text: 'paged' }, { limit: 3 })
    const rest = await store.sessions.list({ text: 'paged' }, { limit: 3, cursor: first.nextCursor ?? '' })
    expect([...first.rows, ...rest.rows].map(({ id }) => String(id)).sort()).toEqual(made.sort())
    expect(rest.nextCursor).toBeNull()
  })

  test('a conversation that a task began is called what the task is called, unless it was given a title of its own', async () => {
    const { store } = database
    const task = await addTask(store, { title: 'Mend the north quay' })
    const agent = await addAgent(store)
    const ran = (id: string, resumed: string | null) =>
      store.write(async (tx) => {
        const number = ++attempts
        const attempt = await tx.tasks.insertAttempt(sampleAttempt(task, agent.key, { number }))
        const conversation = {
          rung: resumed === id ? ('native' as const) : ('fresh' as const),
          sessionId: sessionId(id),
          resumedSessionId: resumed === null ? null : sessionId(resumed),
          forked: resumed !== null && resumed !== id,
          forkPoint: null,
          whyNot: [],
        }
        await tx.tasks.updateAttempt(attempt, { conversation, endedAt: number })
      })
    let attempts = 0
    const [begun, copied, continued] = [freshId('begun'), freshId('copied'), freshId('continued')]
    await ran(begun, null)
    await ran(copied, begun)
    await ran(continued, continued)
    const titleAfter = (id: string, title: SessionRow['title']) =>
      store
        .write(async (tx) => {
          const session = await tx.record.session('claude-code', id, await tx.record.host('installation-1', 'box'))
          await tx.record.mergeSession([sessionChange(session?.key as SessionKey, { title })])
        })
        .then(async () => (await store.sessions.list({ text: id }, { limit: 1 })).rows[0]?.title)
    const words = { text: '[How to work] Mend it', rank: 1, at: 50 } as const
    expect(await titleAfter(begun, words)).toBe('Mend the north quay')
    // Nor do words that come later in the record, and were said before.
    expect(await titleAfter(begun, { ...words, text: 'Zinc', at: 0 })).toBe('Mend the north quay')
    expect(await titleAfter(copied, words)).toBe('Mend the north quay')
    expect(await titleAfter(continued, words)).toBe(words.text)
    expect(await titleAfter(begun, { text: 'Quay', rank: 2, at: 60 })).toBe('Quay')
  })
})

const named = (sessionKey: SessionKey, text: string): SessionRow =>
  sessionChange(sessionKey, { title: { text, rank: 1, at: 1 } })
