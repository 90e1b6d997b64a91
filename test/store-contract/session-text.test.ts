import { expect, test } from 'bun:test'
import type { SessionKey } from '../../src/domain/ids'
import type { SessionRow } from '../../src/domain/record-store'
import type { WriteTx } from '../../src/domain/store'
import { onEachDatabase } from './databases'
import { freshId, sampleSession, sessionChange } from './sample'

const titled = async (tx: WriteTx, title: string | null): Promise<string> => {
  const session = await sampleSession(tx, { id: freshId('Berth') })
  if (title !== null) await tx.record.mergeSession([named(session.key, title)])
  return session.id
}

onEachDatabase((database) => {
  test('sessions are found by what their title or id holds, without regard to case', async () => {
    const { store } = database
    const [quay, percent, nameless] = await store.write(async (tx) => [
      await titled(tx, 'Sound the depths at the Südkai'),
      await titled(tx, '100% of the_berths'),
      await titled(tx, null),
    ])
    const found = async (text: string) =>
      (await store.sessions.list({ text }, { limit: 100 })).rows.map(({ id }) => String(id)).sort()
    expect(await found('DEPTHS at')).toEqual([quay])
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
})

const named = (sessionKey: SessionKey, text: string): SessionRow =>
  sessionChange(sessionKey, { title: { text, rank: 1, at: 1 } })
