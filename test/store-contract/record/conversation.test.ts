import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ConversationItem, Turn } from '../../../src/domain/conversation/conversation'
import { type EventId, eventId, sessionId, subagentId, toolUseId } from '../../../src/domain/ids'
import type { SessionRow } from '../../../src/domain/record/record-store'
import type { StoredSession } from '../../../src/domain/session/session-store'
import type { SubagentMark } from '../../../src/domain/subagent/subagent-run'
import { diffSessions } from '../../../src/engine/conversation/diff-sessions'
import { findStart, readPage } from '../../../src/engine/conversation/read-conversation'
import { readTimeline } from '../../../src/engine/conversation/read-timeline'
import { uuidText } from '../../../src/store/sql/uuid'
import { onEachDatabase } from '../databases'
import {
  freshId,
  sampleEvent,
  sampleSession,
  sampleSubagent,
  sampleToolUse,
  sampleUsage,
  sessionChange,
  subagentKeyOf,
} from '../sample'

onEachDatabase((database) => {
  const reads = () => database.store.conversations
  const stored = async (id: string): Promise<StoredSession> => {
    const session = await database.store.sessions.find(sessionId(id))
    if (session === undefined) throw new Error(`no session ${id}`)
    return session
  }
  const page = (session: StoredSession, options: Partial<Parameters<typeof readPage>[2]> = {}) =>
    readPage(reads(), session, { agent: null, isFlat: false, from: undefined, limit: 100, depth: 0, ...options })

  /** Two turns; the first launches `outer`, which launches `inner`; an orphan speaks in between; a shell runs in the background. */
  const record = () =>
    database.store.write(async (tx) => {
      const made = await sampleSession(tx)
      const [outer, inner, orphan, shell] = ['outer', 'inner', 'orphan', 'shell'].map(freshId) as [
        string,
        string,
        string,
        string,
      ]
      const keys = {
        outer: await subagentKeyOf(tx.record, made, outer),
        inner: await subagentKeyOf(tx.record, made, inner),
        orphan: await subagentKeyOf(tx.record, made, orphan),
      }
      await tx.record.mergeToolUses([
        sampleToolUse(made, 'c-outer', { calledAt: 30, endedAt: 90, isError: false }),
        sampleToolUse(made, 'c-inner', { subagentKey: keys.outer, calledAt: 50, endedAt: 70, isError: false }),
        sampleToolUse(made, 'c-shell', { name: 'Bash', calledAt: 95, endedAt: 96, isError: true }),
        sampleToolUse(made, 'c-open', { name: 'AskUserQuestion', calledAt: 120 }),
      ])
      await tx.record.mergeSubagents([
        sampleSubagent(made, outer, {
          link: { toolUseId: 'c-outer', evidence: 'meta' },
          type: 'Explore',
          description: 'look',
          startedAt: 40,
          end: { status: 'completed', at: 80, evidence: 'tool result', result: null },
        }),
        sampleSubagent(made, inner, { link: { toolUseId: 'c-inner', evidence: 'meta' }, startedAt: 55 }),
        sampleSubagent(made, orphan, { startedAt: 56 }),
        sampleSubagent(made, shell, {
          kind: 'shell',
          isBackground: true,
          link: { toolUseId: 'c-shell', evidence: 'tool_result' },
          startedAt: 95,
        }),
      ])
      await tx.record.mergeUsage([
        sampleUsage(made, { inputTokens: 1_000 }),
        sampleUsage(made, { subagentKey: keys.outer, inputTokens: 50 }),
        sampleUsage(made, { subagentKey: keys.inner, inputTokens: 7 }),
      ])
      const user = { role: 'user' } as const
      await tx.record.insertEvents([
        sampleEvent(made, { at: 10, type: 'attachment', role: 'attachment', text: 'context' }),
        sampleEvent(made, { at: 20, type: 'prompt', ...user, text: 'first' }),
        sampleEvent(made, { at: 30, type: 'tool_call', toolUseId: 'c-outer', toolName: 'Agent', text: 'Agent\nlook' }),
        sampleEvent(made, {
          at: 40,
          type: 'prompt',
          ...user,
          text: 'look',
          subagentKey: keys.outer,
          parentToolUseId: 'c-outer',
        }),
        sampleEvent(made, {
          at: 50,
          type: 'tool_call',
          toolUseId: 'c-inner',
          toolName: 'Agent',
          text: 'Agent',
          subagentKey: keys.outer,
          parentToolUseId: 'c-outer',
        }),
        sampleEvent(made, {
          at: 55,
          type: 'prompt',
          ...user,
          text: 'deeper',
          subagentKey: keys.inner,
          parentToolUseId: 'c-inner',
        }),
        sampleEvent(made, { at: 56, type: 'text', text: 'whose am I', subagentKey: keys.orphan }),
        sampleEvent(made, { at: 60, type: 'text', text: 'found', subagentKey: keys.inner, parentToolUseId: 'c-inner' }),
        sampleEvent(made, {
          at: 70,
          type: 'tool_result',
          ...user,
          toolUseId: 'c-inner',
          text: 'found',
          subagentKey: keys.outer,
          parentToolUseId: 'c-outer',
        }),
        sampleEvent(made, { at: 90, type: 'tool_result', ...user, toolUseId: 'c-outer', text: 'it is there' }),
        sampleEvent(made, { at: 95, type: 'tool_call', toolUseId: 'c-shell', toolName: 'Bash', text: 'Bash\nsleep 9' }),
        sampleEvent(made, { at: 96, type: 'tool_result', ...user, toolUseId: 'c-shell', text: 'no' }),
        sampleEvent(made, { at: 100, type: 'summary', ...user, text: 'what was' }),
        sampleEvent(made, { at: 101, type: 'compaction', role: 'system', text: 'compacted' }),
        sampleEvent(made, { at: 110, type: 'notice', ...user, text: 'the shell ended' }),
        sampleEvent(made, {
          at: 120,
          type: 'tool_call',
          toolUseId: 'c-open',
          toolName: 'AskUserQuestion',
          text: 'AskUserQuestion',
        }),
      ])
      return { id: made.id, sample: made, outer, inner, orphan, shell }
    })

  const kinds = (turn: Turn | undefined) => turn?.items.map((item) => item.kind)
  const call = (turn: Turn | undefined, id: string): ConversationItem => {
    const item = turn?.items.find((each) => each.tool?.id === toolUseId(id))
    if (item === undefined) throw new Error(`no call ${id}`)
    return item
  }

  test('turns begin with prompts and notices; calls have their answers and what they launched; orphans stand apart', async () => {
    const made = await record()
    const session = await stored(made.id)
    const { turns, turnCount, next } = await page(session)
    expect([turnCount, next, turns.map((turn) => [turn.number, turn.start?.text ?? null])]).toEqual([
      2,
      null,
      [
        [0, null],
        [1, 'first'],
        [2, 'the shell ended'],
      ],
    ])
    const [before, first, second] = turns
    expect(kinds(before)).toEqual(['attachment'])
    expect(kinds(first)).toEqual(['tool', 'tool', 'compaction', 'summary'])
    const launch = call(first, 'c-outer')
    expect(launch.tool).toMatchObject({ name: 'Agent', isError: false, result: { text: 'it is there' } })
    expect(launch.branches).toMatchObject([
      {
        subagent: { id: made.outer, type: 'Explore', depth: 1, parentId: null, usage: { inputTokens: 50 } },
        turns: null,
        isCut: true,
      },
    ])
    expect(call(first, 'c-shell')).toMatchObject({
      tool: { isError: true },
      branches: [{ subagent: { kind: 'shell', background: true } }],
    })
    expect(call(second, 'c-open').tool).toMatchObject({ isError: null, result: null })
    expect(await reads().orphans(session, 10)).toMatchObject({
      count: 1,
      subagents: [{ id: made.orphan, toolUseId: null }],
    })
    expect(JSON.stringify(turns)).not.toContain('whose am I')
  })

  test('sub-agents are opened to the depth that was asked for, and one can be read alone', async () => {
    const made = await record()
    const session = await stored(made.id)
    const opened = call((await page(session, { depth: 2 })).turns[1], 'c-outer').branches[0]
    expect(opened).toMatchObject({ isCut: false, turns: [{ number: 1, start: { text: 'look' } }] })
    const nested = call(opened?.turns?.[0], 'c-inner').branches[0]
    expect(nested).toMatchObject({
      subagent: {
        id: made.inner,
        depth: 2,
        parentId: made.outer,
        parentToolUseId: 'c-outer',
        usage: { inputTokens: 7 },
      },
      turns: [{ start: { text: 'deeper' }, items: [{ text: 'found', subagentId: made.inner }] }],
    })
    expect(
      call((await page(session, { depth: 1 })).turns[1], 'c-outer').branches[0]?.turns?.[0]?.items[0]?.branches[0]
        ?.turns,
    ).toBeNull()
    const agent = await reads().findAgent(session, subagentId(made.inner))
    expect(agent?.subagent).toMatchObject({ depth: 2, parentId: made.outer, parentToolUseId: 'c-outer' })
    if (agent === undefined) throw new Error('not found')
    const alone = await page(session, { agent })
    expect([alone.turnCount, alone.turns.map((turn) => turn.items.map((item) => item.text))]).toEqual([1, [['found']]])
    expect(await reads().findAgent(session, subagentId('nobody'))).toBeUndefined()
  })

  test('a flat page has every line of every agent once, in order of time', async () => {
    const made = await record()
    const { turns } = await page(await stored(made.id), { isFlat: true })
    const lines = turns.flatMap((turn) => [...(turn.start === null ? [] : [turn.start]), ...turn.items])
    const said = lines.map((line) => [line.subagentId, line.text ?? line.tool?.result?.text])
    expect(said.map(([, text]) => text)).toEqual([
      'context',
      'first',
      'Agent\nlook',
      'look',
      'Agent',
      'deeper',
      'whose am I',
      'found',
      'found',
      'it is there',
      'Bash\nsleep 9',
      'no',
      'compacted',
      'what was',
      'the shell ended',
      'AskUserQuestion',
    ])
    expect(new Set(said.map(([who]) => who))).toEqual(
      new Set([null, ...[made.outer, made.inner, made.orphan].map(subagentId)]),
    )
  })

  test('pages of any size hold the same turns as one page, also from any turn on', async () => {
    const id = await database.store.write(async (tx) => {
      const made = await sampleSession(tx)
      const at = (n: number) => Math.floor(n / 3) * 10
      const events = Array.from({ length: 60 }, (_, n) => {
        const id = `t-${n - (n % 5) + 1}`
        if (n % 5 === 0) return sampleEvent(made, { at: at(n), type: n % 2 ? 'notice' : 'prompt', text: `p${n}` })
        if (n % 5 === 1) return sampleEvent(made, { at: at(n), type: 'tool_call', toolUseId: id, text: `c${n}` })
        // Answers come a turn later than their calls.
        if (n % 5 === 4 && n > 5)
          return sampleEvent(made, { at: at(n), type: 'tool_result', toolUseId: `t-${n - 8}`, text: `r${n}` })
        return sampleEvent(made, { at: at(n), text: `x${n}` })
      })
      await tx.record.insertEvents(events)
      return made.id
    })
    const session = await stored(id)
    const whole = (await page(session)).turns
    expect(whole.map((turn) => turn.number)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1))
    expect(whole[0]?.items[0]?.tool?.result?.text).toBe('r9')
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 13 }), fc.integer({ min: 1, max: 12 }), async (limit, first) => {
        const from = await findStart(reads(), session, null, { kind: 'turn', number: first }, limit)
        const turns: Turn[] = []
        for (let at = from ?? undefined; ; ) {
          const some = await page(session, { limit, from: at })
          expect(some.turnCount).toBe(12)
          turns.push(...some.turns)
          if (some.next === null) break
          expect(some.turns).toHaveLength(limit)
          at = some.next
        }
        expect(turns).toEqual(whole.slice(first - 1))
      }),
      { numRuns: 30 },
    )
    expect(await findStart(reads(), session, null, { kind: 'turn', number: 13 }, 1)).toBeNull()
    const last = await findStart(reads(), session, null, { kind: 'end' }, 2)
    expect((await page(session, { from: last ?? undefined })).turns).toEqual(whole.slice(10))
    const [event] = whole[4]?.items.slice(-1) ?? []
    const line = event?.eventId == null ? undefined : await reads().findLine(session.key, event.eventId)
    if (line === undefined) throw new Error('the line is not found')
    const around = await findStart(reads(), session, null, { kind: 'line', position: line.position }, 1)
    expect((await page(session, { from: around ?? undefined, limit: 1 })).turns).toEqual(whole.slice(4, 5))
  })

  test('a turn that is longer than a page goes on on the next, and nothing is lost or doubled', async () => {
    const id = await database.store.write(async (tx) => {
      const made = await sampleSession(tx)
      await tx.record.insertEvents(
        Array.from({ length: 4_500 }, (_, n) =>
          sampleEvent(made, { at: 7, type: n === 0 ? 'prompt' : 'text', text: `${n}` }),
        ),
      )
      return made.id
    })
    const session = await stored(id)
    const seen: (string | null)[] = []
    const flags: unknown[] = []
    for (let from: Awaited<ReturnType<typeof page>>['next'] | undefined; from !== null; ) {
      const { turns, next } = await page(session, { limit: 20, ...(from !== undefined && { from }) })
      expect(turns).toHaveLength(1)
      for (const turn of turns) {
        flags.push([turn.number, turn.isContinued, turn.isCut])
        seen.push(...(turn.start === null ? [] : [turn.start.text]), ...turn.items.map((item) => item.text))
      }
      from = next
    }
    expect(seen).toEqual(Array.from({ length: 4_500 }, (_, n) => `${n}`))
    expect(flags).toEqual([
      [1, false, true],
      [1, true, true],
      [1, true, false],
    ])
  })

  test('a fork is marked in both sessions where they part, and their difference is what each has alone', async () => {
    const texts = ['one', 'two', 'three', 'four'] as const
    const { parent, fork, sibling, other } = await database.store.write(async (tx) => {
      const parent = await sampleSession(tx)
      const shared = texts
        .slice(0, 3)
        .map((text, i) => sampleEvent(parent, { at: 10 + i, type: i === 0 ? 'prompt' : 'text', text }))
      await tx.record.insertEvents([...shared, sampleEvent(parent, { at: 50, type: 'prompt', text: 'four' })])
      const forkOf = async (text: string) => {
        const made = await sampleSession(tx)
        const copies = shared.map((event) => ({
          ...event,
          sessionKey: made.key,
          incarnation: made.incarnation,
          isInherited: true,
        }))
        await tx.record.insertEvents([...copies, sampleEvent(made, { at: 30, type: 'prompt', text })])
        return made
      }
      const [fork, sibling] = [await forkOf('another way'), await forkOf('a third way')]
      return { parent: parent.id, fork: fork.id, sibling: sibling.id, other: (await sampleSession(tx)).id }
    })
    await link(fork, parent)
    const [a, b, c, d] = [await stored(parent), await stored(fork), await stored(sibling), await stored(other)]
    const marks = (turns: Turn[]) =>
      turns.flatMap((turn) =>
        turn.items
          .filter((item) => item.kind === 'fork')
          .map((item) => `${turn.number} ${item.sessionId} ${item.isOrigin}`),
      )
    expect(marks((await page(a)).turns)).toEqual([`1 ${fork} false`])
    const inFork = (await page(b)).turns
    expect(marks(inFork)).toEqual([`1 ${parent} true`])
    expect(inFork[0]?.items.map((item) => [item.kind, item.inherited])).toEqual([
      ['text', true],
      ['text', true],
      ['fork', false],
    ])
    const alone = (sides: Awaited<ReturnType<typeof diffSessions>>['alone']) =>
      sides.map(({ lineCount, page: own }) => [
        lineCount,
        own.turns.filter((turn) => turn.start).map((turn) => turn.start?.text),
      ])
    const difference = await diffSessions(reads(), a, b, 20)
    expect([difference.relation, difference.origin, difference.shared?.count, alone(difference.alone)]).toEqual([
      'from_first',
      null,
      3,
      [
        [1, ['four']],
        [1, ['another way']],
      ],
    ])
    expect((await diffSessions(reads(), b, a, 20)).relation).toBe('to_first')
    const siblings = await diffSessions(reads(), b, c, 20)
    expect([siblings.relation, siblings.shared?.count]).toEqual(['same_origin', 3])
    const strangers = await diffSessions(reads(), a, d, 20)
    expect([strangers.relation, strangers.shared, alone(strangers.alone)]).toEqual([
      'unrelated',
      null,
      [
        [4, ['one', 'four']],
        [0, []],
      ],
    ])
  })

  /** As `linkForks` leaves it. */
  async function link(fork: string, parent: string): Promise<void> {
    const [child, origin] = [await stored(fork), await stored(parent)]
    const shared = await reads().sharedLines(origin.key, child.key)
    if (shared === undefined) throw new Error('they share nothing')
    const row: SessionRow = sessionChange(child.key, {
      forkedFrom: { id: origin.id, evidence: 'shares its lines' },
      forkPoint: { uuid: Uint8Array.fromHex(shared.lastId.replaceAll('-', '')), at: 12 },
    })
    await database.store.write((tx) => tx.record.mergeSession([row]))
  }

  test('a timeline says when each agent worked, ran tools, waited and was idle', async () => {
    const made = await record()
    const session = await stored(made.id)
    const options = { limit: 40, askingTools: new Set(['AskUserQuestion']) }
    const timeline = await readTimeline(reads(), session, options)
    expect([timeline.leftOutCount, timeline.compactions, timeline.isCut]).toEqual([
      0,
      ['1970-01-01T00:00:00.101Z'],
      false,
    ])
    const segments = (id: string | null) =>
      timeline.lanes
        .find((lane) => (lane.subagent?.id ?? null) === id)
        ?.segments.map(({ from, to, kind }) => [Date.parse(from), Date.parse(to), kind])
    expect(segments(null)).toEqual([
      [20, 30, 'working'],
      [30, 90, 'tool'],
      [90, 95, 'working'],
      [95, 96, 'tool'],
      [96, 100, 'working'],
      [100, 110, 'idle'],
      [110, 120, 'working'],
    ])
    expect(segments(made.outer)).toEqual([
      [40, 50, 'working'],
      [50, 70, 'tool'],
      [70, 80, 'working'],
    ])
    const few = await readTimeline(reads(), session, { ...options, limit: 1 })
    expect([few.lanes.length, few.leftOutCount, few.lanes[1]?.subagent?.id]).toEqual([2, 3, subagentId(made.outer)])
  })

  test('who an event belongs to is told with its depth, and a hit of a search says it', async () => {
    const made = await record()
    const word = freshId('word').replaceAll('-', '')
    const session = await stored(made.id)
    const inner = await reads().findAgent(session, subagentId(made.inner))
    const orphan = await reads().findAgent(session, subagentId(made.orphan))
    if (inner === undefined || orphan === undefined) throw new Error('not found')
    await database.store.write(async (tx) => {
      const events = [null, inner.key, orphan.key].map((subagentKey, at) =>
        sampleEvent(made.sample, { at, subagentKey, text: word }),
      )
      const keys = await tx.record.insertEvents(events)
      const rows = keys.flatMap((event) =>
        event === null ? [] : [{ event, session: session.key, text: word, isOutput: false }],
      )
      await tx.record.indexText(rows)
    })
    const { hits } = await database.store.events.search(word, { limit: 10 })
    expect(hits.map(({ node }) => `${node.kind} ${node.depth} ${node.isOrphan}`).toSorted()).toEqual([
      'agent 2 false',
      'agent null true',
      'main 0 false',
    ])
  })

  test('an agent that is continued is named at the call that continued it, and its lane is idle between its runs', async () => {
    const agent = freshId('agent')
    const id = await database.store.write(async (tx) => {
      const made = await sampleSession(tx)
      const mark = (kind: 'start' | 'end', at: number, toolUseId: string): SubagentMark => ({
        kind,
        at,
        seenAt: at,
        status: kind === 'end' ? 'completed' : null,
        evidence: 'test',
        toolUseId,
        trigger: toolUseId === 'c-1' ? 'launch' : 'message',
        result: null,
        line: null,
      })
      const [minute, hour] = [60_000, 3_600_000]
      await tx.record.mergeToolUses([sampleToolUse(made, 'c-1'), sampleToolUse(made, 'c-2', { name: 'SendMessage' })])
      await tx.record.mergeSubagents([
        sampleSubagent(made, agent, {
          link: { toolUseId: 'c-1', evidence: 'meta' },
          startedAt: minute,
          end: { status: 'completed', at: hour + 2 * minute, evidence: 'test', result: null },
          marks: [
            mark('start', minute, 'c-1'),
            mark('end', 2 * minute, 'c-1'),
            mark('start', hour, 'c-2'),
            mark('end', hour + 2 * minute, 'c-2'),
          ],
        }),
      ])
      await tx.record.insertEvents([
        sampleEvent(made, { at: minute, type: 'prompt', text: 'go' }),
        sampleEvent(made, { at: minute, type: 'tool_call', toolUseId: 'c-1', text: 'Agent' }),
        sampleEvent(made, { at: hour, type: 'tool_call', toolUseId: 'c-2', text: 'SendMessage' }),
      ])
      return made.id
    })
    const session = await stored(id)
    const [turn] = (await page(session)).turns
    expect(call(turn, 'c-1')).toMatchObject({ branches: [{ subagent: { id: agent } }], continued: [] })
    expect(call(turn, 'c-2')).toMatchObject({ branches: [], continued: [{ subagentId: agent, run: 2 }] })
    const { lanes } = await readTimeline(reads(), session, { limit: 9, askingTools: new Set() })
    expect(lanes[1]?.segments.map(({ kind }) => kind)).toEqual(['working', 'idle', 'working'])
  })

  test('an id that is none, or not of this session, is found nowhere', async () => {
    const made = await record()
    const session = await stored(made.id)
    const foreign = eventId(uuidText(crypto.getRandomValues(new Uint8Array(16))))
    for (const id of [foreign, 'x' as EventId, '\0' as EventId, `${'a'.repeat(10_000)}` as EventId]) {
      expect(await reads().findLine(session.key, id)).toBeUndefined()
    }
    expect(await reads().toolLines(session.key, [toolUseId('nope'), toolUseId(`'; drop table sessions --`)])).toEqual(
      [],
    )
  })
})
