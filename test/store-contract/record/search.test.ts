import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readSearch } from '../../../src/domain/conversation/search-query'
import { sessionId } from '../../../src/domain/ids'
import type { EventRow } from '../../../src/domain/record/record-store'
import { RANKED_MATCHES } from '../../../src/store/conversation/search'
import { normalizeWord, stemOf } from '../../../src/store/sql/words/search-words'
import { onEachDatabase } from '../databases'
import { sampleEvent, sampleSession, sampleToolUse, sessionChange } from '../sample'

/** A line to record. */
interface Given {
  text: string | null
  searchText?: string
  line?: string
  event?: Partial<EventRow>
}

onEachDatabase((database) => {
  /** Records one event per text, found by `searchText` (the text itself by default). */
  const record = (texts: (string | Given)[]) =>
    database.store.write(async (tx) => {
      const rows = texts.map((given) =>
        typeof given === 'string'
          ? { text: given, searchText: given, line: '{}' }
          : { line: '{}', searchText: given.text ?? '', ...given },
      )
      const session = await sampleSession(tx, { lines: rows.map((row) => row.line) })
      let offset = 0
      const events = rows.map(({ text, line, event: fields }, i) => {
        const length = Buffer.byteLength(line)
        const event = sampleEvent(session, { at: i, text, offset, length, ...fields })
        offset += length + 1
        return event
      })
      const keys = await tx.record.insertEvents(events)
      await tx.record.indexText(
        rows.map((row, i) => {
          const key = keys[i]
          if (key === null || key === undefined) throw new Error('not inserted')
          return { event: key, session: session.key, text: row.searchText, isOutput: row.event?.type === 'tool_result' }
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

  test('a search in a fork finds the lines that it has of the sessions before it, and a search in all of them finds each once', async () => {
    const copied = crypto.getRandomValues(new Uint8Array(16))
    const alsoCopied = crypto.getRandomValues(new Uint8Array(16))
    const [first, second, last] = await database.store.write(async (tx) => {
      const made = [await sampleSession(tx), await sampleSession(tx), await sampleSession(tx)] as const
      const say = async (session: (typeof made)[number], text: string, event: Partial<EventRow> = {}) => {
        const [key] = await tx.record.insertEvents([sampleEvent(session, { text, ...event })])
        // As the engine records it: the words of a copy stand in no index.
        if (key && event.isInherited !== true)
          await tx.record.indexText([{ event: key, session: session.key, text, isOutput: false }])
      }
      const fork = (session: (typeof made)[number], from: (typeof made)[number]) =>
        tx.record.mergeSession([
          sessionChange(session.key, { forkedFrom: { id: from.id, evidence: 'shares its lines' } }),
        ])
      await say(made[0], 'moor at the capstan', { uuid: copied })
      await say(made[0], 'the capstan later')
      await fork(made[1], made[0])
      await say(made[1], 'moor at the capstan', { uuid: copied, isInherited: true })
      await say(made[1], 'turn the capstan', { uuid: alsoCopied })
      await fork(made[2], made[1])
      await say(made[2], 'moor at the capstan', { uuid: copied, isInherited: true })
      await say(made[2], 'turn the capstan', { uuid: alsoCopied, isInherited: true })
      await say(made[2], 'oil the capstan')
      return made.map(({ id }) => sessionId(id))
    })
    expect(await find('capstan', first)).toEqual(['moor at the capstan', 'the capstan later'])
    expect(await find('capstan', last)).toEqual(['moor at the capstan', 'oil the capstan', 'turn the capstan'])
    expect(await find('*apsta*', second)).toEqual(['moor at the capstan', 'turn the capstan'])
    expect((await find('capstan')).filter((text) => text === 'moor at the capstan')).toHaveLength(1)
  })

  test('a word of any letters and digits finds its line, however long it is', async () => {
    const words = [
      '12e5',
      '1e5',
      '1e5x',
      '0x1f',
      'a1b2',
      '007',
      'x²',
      '½',
      '٣٤',
      '日本語',
      '한국어',
      'ﬁ',
      'straße',
      'Ωmega',
    ]
    words.push(
      'ガイド',
      'हिन्दी',
      'ไทยภาษา',
      'שָׁלוֹם',
      'كِتَاب',
      'чай',
      'ёлка',
      'Việt',
      'Ελληνικά',
      'தமிழ்',
      'বাংলা',
      'İstanbul',
      'ǆ',
    )
    words.push('\ue000z', 'y'.repeat(681), 'y'.repeat(682), 'y'.repeat(683), 'ж'.repeat(3_000), '𐐷'.repeat(500))
    const own = await record(words.map((word) => `q ${word} q`))
    for (const word of words) expect(await find(word), word.slice(0, 20)).toContain(`q ${word} q`)
    expect(own).toBeDefined()
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

  test('a call is shown in words: its tool, also far from the beginning, and no JSON', async () => {
    const call = { type: 'tool_call', toolName: 'Edit' } as const
    const own = await record([
      { text: 'Edit\n/quay.ts\n{"old_string":"the marlinspike"}', event: call },
      { text: `Edit\n${'/long'.repeat(40)} marlinspike`, event: call },
      { text: 'Edit', searchText: 'marlinspike', event: call, line: JSON.stringify({ in: '{"cut":"a marlinspike' }) },
    ])
    const { hits } = await database.store.events.search('marlinspike', { limit: 5, sessionId: own })
    expect(hits.map(({ snippet }) => snippet.replace(/….*(?=\/long )/, '…')).toSorted()).toEqual([
      'Edit: /quay.ts · old_string: the \u0002marlinspike\u0003',
      'Edit: cut: a \u0002marlinspike\u0003',
      'Edit: …/long \u0002marlinspike\u0003',
    ])
  })

  test('a word is found in all of its forms', async () => {
    const own = await record(['they decided it', 'who decides this', 'a decision', 'indecent'])
    for (const form of ['decide', 'decided', 'DECIDING']) {
      expect([form, await find(form, own)]).toEqual([form, ['they decided it', 'who decides this']])
    }
    expect(await find('"decides this"', own)).toEqual(['who decides this'])
    const { hits } = await database.store.events.search('deciding', { limit: 5, sessionId: own })
    expect(hits.map(({ snippet }) => snippet).toSorted()).toEqual([
      'they \u0002decided\u0003 it',
      'who \u0002decides\u0003 this',
    ])
  })

  test('what a tool gave out is found, behind what was said', async () => {
    const own = await record([
      { text: 'one quokka', event: { type: 'text' } },
      { text: 'one quokka', event: { type: 'tool_result' } },
      'many other words',
    ])
    const { hits } = await database.store.events.search('quokka', { limit: 5, sessionId: own })
    expect(hits.map(({ event }) => event.type)).toEqual(['text', 'tool_result'])
  })

  test('a part of a word is found by stars, and by itself where no line has the word whole', async () => {
    const own = await record(['the getUserName call', 'a 100% username', 'nothing'])
    const parts = await database.store.events.search('*serNam*', { limit: 5, sessionId: own })
    expect(parts.hits.map(({ snippet }) => snippet)).toEqual([
      'a 100% \u0002username\u0003',
      'the \u0002getUserName\u0003 call',
    ])
    expect(parts.isByParts).toBe(false)
    const whole = await database.store.events.search('username', { limit: 5, sessionId: own })
    expect([whole.hits.length, whole.isByParts]).toEqual([1, false])
    const fallen = await database.store.events.search('sernam', { limit: 5, sessionId: own })
    expect([fallen.hits.length, fallen.isByParts]).toEqual([2, true])
    expect((await database.store.events.search('*serNam* call', { limit: 5, sessionId: own })).hits.length).toBe(1)
    const other = await record(['Почини Обзор', 'die Übersicht', 'nothing'])
    for (const part of ['*бзо*', '*ОБЗ*', '*обзор*', '*übers*', '*ÜBERSICHT*'])
      expect((await database.store.events.search(part, { limit: 5, sessionId: other })).hits.length, part).toBe(1)
  })

  test('filters leave the lines that they name, with words and without, and are counted', async () => {
    const calls = ['Bash', 'Bash', 'mcp__x__y']
    const own = await database.store.write(async (tx) => {
      const session = await sampleSession(tx, { lines: ['{}'] })
      const events = calls.flatMap((toolName, n) => [
        sampleEvent(session, { at: n, type: 'tool_call', toolName, toolUseId: `toolu_${n}`, text: 'wombat in' }),
        sampleEvent(session, { at: n, type: 'tool_result', toolUseId: `toolu_${n}`, text: 'wombat out' }),
      ])
      events.push(sampleEvent(session, { at: 9, type: 'prompt', text: 'wombat please' }))
      const keys = await tx.record.insertEvents(events)
      await tx.record.indexText(
        events.flatMap(({ text, type }, n) => {
          const event = keys[n]
          const isOutput = type === 'tool_result'
          return event == null ? [] : [{ event, session: session.key, text: text ?? '', isOutput }]
        }),
      )
      await tx.record.mergeToolUses(
        calls.map((name, n) => ({ ...sampleToolUse(session, `toolu_${n}`), name, isError: n === 0, endedAt: n })),
      )
      return sessionId(session.id)
    })
    const count = async (query: string): Promise<number> => {
      const { words, filters } = readSearch(`${query} session:${own.slice(0, 30)}`, { now: 0 })
      return (await database.store.events.search(words, { limit: 50, filters })).hits.length
    }
    for (const words of ['', 'wombat ']) {
      expect([words, await count(`${words}`)]).toEqual([words, 7])
      expect([words, await count(`${words}is:error`)]).toEqual([words, 1])
      expect([words, await count(`${words}is:output is:prompt`)]).toEqual([words, 4])
      expect([words, await count(`${words}tool:bash`)]).toEqual([words, 4])
      expect([words, await count(`${words}tool:mcp__*`)]).toEqual([words, 2])
      expect([words, await count(`${words}tool:bash is:error`)]).toEqual([words, 1])
      expect([words, await count(`${words}agent:codex`)]).toEqual([words, 0])
      expect([words, await count(`${words}before:1970-01-01`)]).toEqual([words, 0])
      expect([words, await count(`${words}after:1970-01-01 before:1970-01-02`)]).toEqual([words, 7])
      expect([words, await count(`${words}project:no-such-project`)]).toEqual([words, 0])
    }
    const { facets } = await database.store.events.search('wombat', { limit: 1, sessionId: own, wantsFacets: true })
    expect(facets?.is).toEqual([
      { value: 'call', count: 3 },
      { value: 'output', count: 3 },
      { value: 'error', count: 1 },
      { value: 'prompt', count: 1 },
    ])
    expect(facets?.tool).toEqual([
      { value: 'Bash', count: 4 },
      { value: 'mcp__x__y', count: 2 },
    ])
    expect(facets?.session).toEqual([{ value: own, count: 7 }])
  })
})

test('our stems are those of the index', () => {
  const words = fc.stringMatching(/^[a-z]{1,9}(s|es|ed|ing|ly|ness|ation|ational|izer|iveness|y|ies|ement|ability)?$/)
  const index = new Database(':memory:')
  index.run(`create virtual table t using fts5(x, tokenize="porter unicode61 remove_diacritics 2")`)
  index.run('create virtual table v using fts5vocab(t, instance)')
  const all = [
    ...new Set(fc.sample(words, 3_000)),
    `${'x'.repeat(64)}ing`,
    `${'x'.repeat(60)}ing`,
    'überlegung',
    'данные',
  ]
  for (const [n, word] of all.entries()) index.run('insert into t (rowid, x) values (?, ?)', [n + 1, word])
  const rows = index.query<{ term: string; doc: number }, []>('select term, doc from v').all()
  expect(rows.length).toBe(all.length)
  for (const { term, doc } of rows)
    expect([all[doc - 1], stemOf(normalizeWord(all[doc - 1] ?? ''))]).toEqual([all[doc - 1], term])
})
