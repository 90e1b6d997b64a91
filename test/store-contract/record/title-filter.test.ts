import { expect, test } from 'bun:test'
import { type SessionKey, sessionId } from '../../../src/domain/ids'
import { onEachDatabase } from '../databases'
import { freshId, sampleSession, sessionChange } from '../sample'
import { dice } from '../tree-world'
import { all, walk } from '../walk-tree'

/** Letters with unlike cases, what patterns give a meaning to, quotes, and letters of several code units. */
const PIECES = [...'abAB01%_\\*?[]\'"-äÄöÖßẞİıΣσςéÉпПйЁёЖ🤖', 'e\u0301', ' ']

/** The filter in plain code: each character in any case of it that is one character. */
const casesOf = (one: string): string[] =>
  [one, one.toLowerCase(), one.toUpperCase(), one.toUpperCase().toLowerCase()].filter((form) => [...form].length === 1)
function holds(text: string, part: string): boolean {
  const [letters, wanted] = [[...text], [...part]]
  return letters.some((_, from) => wanted.every((one, at) => casesOf(one).includes(letters[from + at] ?? '')))
}

onEachDatabase((database) => {
  test('a filter by title shows the sessions that a plain filter does, also once they are renamed and forgotten', async () => {
    const { store } = database
    const roll = dice(410)
    const words = (limit: number): string =>
      Array.from({ length: 1 + roll(limit) }, () => PIECES[roll(PIECES.length)]).join('')
    const titles = new Map<string, { key: SessionKey; agent: 'codex' | 'claude-code'; title: string | null }>()
    const rename = (id: string, at: number): Promise<void> =>
      store.write(async (tx) => {
        const known = titles.get(id)
        if (known === undefined) throw new Error(`there is no session ${id}`)
        known.title = words(12)
        await tx.record.mergeSession([sessionChange(known.key, { title: { text: known.title, rank: 3, at } })])
      })
    for (let at = 0; at < 30; at++) {
      const agent = roll(2) === 0 ? 'codex' : 'claude-code'
      const made = await store.write((tx) => sampleSession(tx, { id: freshId('Berth'), agent }))
      titles.set(made.id, { key: made.key, agent, title: null })
      if (at % 10 !== 0) await rename(made.id, 1)
    }

    const compare = async (): Promise<number> => {
      const parts = [...titles.values()].flatMap(({ title }) => {
        const letters = [...(title ?? '')]
        const part = letters.slice(roll(letters.length + 1)).join('')
        return roll(4) === 0 && part !== '' ? [part, part.toUpperCase(), part.toLowerCase()] : []
      })
      let shown = 0
      for (const q of [...parts, ...Array.from({ length: 4 }, () => words(2))]) {
        const expected = [...titles].filter(([, { title }]) => title !== null && holds(title, q))
        const inTree = async (agent?: 'codex') =>
          all(await walk(store, Date.now(), { q, ...(agent && { agent }) }))
            .flatMap(({ entry }) => (entry.kind === 'session' ? [String(entry.sessionId)] : []))
            .sort()
        const of = (some: typeof expected) => some.map(([id]) => id).sort()
        expect({ q, ids: await inTree() }).toEqual({ q, ids: of(expected) })
        const ofCodex = expected.filter(([, { agent }]) => agent === 'codex')
        expect({ q, ids: await inTree('codex') }).toEqual({ q, ids: of(ofCodex) })
        shown += expected.length
      }
      return shown
    }
    expect(await compare()).toBeGreaterThan(0)

    for (const id of titles.keys()) if (roll(2) === 0) await rename(id, 2)
    for (const [id, { key }] of [...titles])
      if (roll(4) === 0) {
        await store.write(async (tx) => {
          await tx.sessions.forget(key)
          await tx.appendFeed('session.forgotten', { key, id: sessionId(id) })
        })
        titles.delete(id)
      }
    expect(await compare()).toBeGreaterThan(0)
  })
})
