import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { sessionId } from '../../src/domain/ids'
import { RANKED_MATCHES } from '../../src/store/conversation/search'
import { onEachDatabase } from './databases'
import { sampleEvent, sampleSession } from './sample'

onEachDatabase((database) => {
  /** Records one event per text, found by `searchText` (the text itself unless told). */
  const record = (texts: (string | { text: string | null; searchText: string; line?: string })[]) =>
    database.store.write(async (tx) => {
      const rows = texts.map((given) =>
        typeof given === 'string' ? { text: given, searchText: given, line: '{}' } : { line: '{}', ...given },
      )
      const session = await sampleSession(tx, { lines: rows.map((row) => row.line) })
      let offset = 0
      const events = rows.map(({ text, line }, i) => {
        const length = Buffer.byteLength(line)
        const event = sampleEvent(session, { at: i, text, offset, length })
        offset += length + 1
        return event
      })
      const keys = await tx.record.insertEvents(events)
      await tx.record.indexText(
        rows.map((row, i) => {
          const key = keys[i]
          if (key === null || key === undefined) throw new Error('not inserted')
          return { event: key, session: session.key, text: row.searchText }
        }),
      )
      return sessionId(session.id)
    })

  const find = async (text: string, session?: ReturnType<typeof sessionId>): Promise<(string | null)[]> => {
    const options = session === undefined ? { limit: 50 } : { limit: 50, sessionId: session }
    const { hits } = await database.store.events.search(text, options)
    return hits.map((hit) => hit.event.text).toSorted()
  }

  test('words are joined by AND; a phrase stays together; a star makes a prefix', async () => {
    const own = await record(['red green blue', 'green blue red', 'reddish', 'Über RED'])
    expect(await find('red green', own)).toEqual(['green blue red', 'red green blue'])
    expect(await find('"red green"', own)).toEqual(['red green blue'])
    expect(await find('"green red', own)).toEqual([])
    expect(await find('red*', own)).toEqual(['red green blue', 'green blue red', 'reddish', 'Über RED'].toSorted())
    expect(await find('uber', own)).toEqual(['Über RED'])
    expect(await find('red purple', own)).toEqual([])
  })

  test('nothing else in the text is an operator', async () => {
    const own = await record(['alpha or beta', 'alpha not beta', 'near text rowid'])
    const hostile = [
      'alpha OR gamma',
      'alpha NOT beta',
      '-beta',
      '^alpha',
      'text:alpha',
      '{text}: alpha',
      'NEAR(alpha beta)',
      '(',
      ')',
      '*',
      '"',
      '""',
      '" "',
      "'",
      'alpha"',
      'a:* & b | !c <-> d',
      '\\',
      '%',
      '+',
      '\u0000',
      '\ud800',
      'x'.repeat(100_000),
      'alpha '.repeat(10_000),
    ]
    for (const text of hostile) await find(text, own)
    expect(await find('alpha OR beta', own)).toEqual(['alpha or beta'])
    expect(await find('alpha NOT beta', own)).toEqual(['alpha not beta'])
    expect(await find('alpha | ! & beta', own)).toEqual(['alpha not beta', 'alpha or beta'])
    expect(await find('NEAR text', own)).toEqual(['near text rowid'])
    for (const nothing of ['', '   ', '*', '""', '--']) expect(await find(nothing, own)).toEqual([])
  })

  test('no text that a person may type is an error', async () => {
    const pieces = fc.constantFrom(
      '"',
      '*',
      "'",
      '\\',
      ':*',
      ' & ',
      ' | ',
      '!',
      '<->',
      '(',
      ')',
      'AND',
      'OR ',
      'NOT',
      'é',
      '๑',
      '漢',
      '½',
      '²',
    )
    const text = fc.array(fc.oneof(pieces, fc.string({ unit: 'binary', maxLength: 6 })), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(text, async (parts) => {
        await database.store.events.search(parts.join(''), { limit: 3 })
      }),
      { numRuns: 400 },
    )
  })

  test('the parts of paths, names and addresses are words of their own', async () => {
    const own = await record(['see src/store/open.ts and foo_bar, mail me@example.org or https://example.org/a?b=c'])
    for (const text of ['store', 'open.ts', 'src/store', 'foo', 'example.org', '"b=c"']) {
      expect([text, (await find(text, own)).length]).toEqual([text, 1])
    }
  })

  test('only the session asked for is searched', async () => {
    const first = await record(['sharedword one'])
    const second = await record(['sharedword two'])
    expect(await find('sharedword', first)).toEqual(['sharedword one'])
    expect(await find('sharedword', second)).toEqual(['sharedword two'])
    expect((await find('sharedword')).length).toBe(2)
    expect(await find('sharedword', sessionId('no-such-session'))).toEqual([])
  })

  test('the better match comes first', async () => {
    const own = await record([
      `once rarestword ${'filler '.repeat(200)}`,
      'rarestword rarestword rarestword',
      `filler ${'other '.repeat(100)}`,
    ])
    const { hits } = await database.store.events.search('rarestword', { limit: 5, sessionId: own })
    expect(hits[0]?.event.text).toBe('rarestword rarestword rarestword')
  })

  test('of very many matches only the newest are ranked, and the answer says so', async () => {
    const own = await record(['manyword oldest manyword manyword', ...Array(RANKED_MATCHES).fill('manyword')])
    const all = await database.store.events.search('manyword', { limit: 1_000, sessionId: own })
    expect(all.isTruncated).toBe(true)
    expect(all.hits.length).toBe(1_000)
    expect(all.hits.map((hit) => hit.event.text)).not.toContain('manyword oldest manyword manyword')
    const some = await record(['manyword once'])
    expect((await database.store.events.search('manyword', { limit: 5, sessionId: some })).isTruncated).toBe(false)
  })

  test('a snippet shows the match in at most 200 characters, from the journal when the row has no match', async () => {
    const line = JSON.stringify({
      type: 'assistant',
      input: { command: `cd /x && ${'y'.repeat(300)} needleword tail` },
    })
    const own = await record([
      `${'before '.repeat(100)}needleword ${'after '.repeat(100)}`,
      { text: 'Bash', searchText: 'needleword', line },
    ])
    const { hits } = await database.store.events.search('needleword', { limit: 5, sessionId: own })
    expect(hits.length).toBe(2)
    for (const { snippet } of hits) {
      expect(snippet).toContain('\u0002needleword\u0003')
      expect(snippet.replaceAll('\u0002', '').replaceAll('\u0003', '').length).toBeLessThanOrEqual(200)
    }
    expect(hits.find((hit) => hit.event.text === 'Bash')?.snippet).toContain('needleword\u0003 tail')
  })
})
