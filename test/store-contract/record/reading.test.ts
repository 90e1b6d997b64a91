import { expect, test } from 'bun:test'
import type { EventFilter } from '../../../src/domain/conversation/event-store'
import { NO_USAGE } from '../../../src/domain/cost/usage'
import { sessionId, subagentId, toolUseId } from '../../../src/domain/ids'
import { SCHEMA_VERSION } from '../../../src/store/migrations/known-migrations'
import { onEachDatabase } from '../databases'
import {
  appendBytes,
  freshId,
  sampleEvent,
  sampleSession,
  sampleSubagent,
  sampleToolUse,
  sessionChange,
  subagentKeyOf,
} from '../sample'

onEachDatabase((database) => {
  test('events are found by session, node, launching call, tool use, type and origin', async () => {
    const { store } = database
    const call = freshId('toolu')
    const agent = freshId('agent')
    const session = await store.write(async (tx) => {
      const made = await sampleSession(tx)
      const node = await subagentKeyOf(tx.record, made, agent)
      await tx.record.insertEvents([
        sampleEvent(made, { at: 1, type: 'prompt', role: 'user', text: 'main' }),
        sampleEvent(made, { at: 2, subagentKey: node, parentToolUseId: call, text: 'child' }),
        sampleEvent(made, { at: 3, toolUseId: `${call}-own`, type: 'tool_call', text: 'call' }),
        sampleEvent(made, { at: 4, isInherited: true, isCut: true, text: 'inherited' }),
        sampleEvent(made, { at: 5, subagentKey: node, text: 'orphan' }),
      ])
      return made
    })
    const own = sessionId(session.id)
    const expected: [EventFilter, string[]][] = [
      [{ sessionId: own }, ['main', 'child', 'call', 'inherited', 'orphan']],
      [{ sessionId: own, parentToolUseId: toolUseId(call) }, ['child']],
      [{ parentToolUseId: toolUseId(call) }, ['child']],
      [{ sessionId: own, parentToolUseId: null }, ['main', 'call', 'inherited']],
      [{ sessionId: own, subagentId: subagentId(agent) }, ['child', 'orphan']],
      [{ subagentId: subagentId(agent) }, ['child', 'orphan']],
      [{ sessionId: own, orphans: true }, ['orphan']],
      [{ sessionId: own, type: 'user' }, ['main']],
      [{ sessionId: own, type: 'tool_call' }, ['call']],
      [{ toolUseId: toolUseId(`${call}-own`) }, ['call']],
      [{ sessionId: own, ownOnly: true }, ['main', 'child', 'call', 'orphan']],
      [{ sessionId: sessionId('no-such-session') }, []],
      [{ subagentId: subagentId('no-such-agent') }, []],
    ]
    for (const [filter, texts] of expected) {
      const { rows } = await store.events.list(filter, { limit: 100 })
      expect([filter, rows.map((event) => event.text)]).toEqual([filter, texts])
    }
    const [, child, , inherited] = (await store.events.list({ sessionId: own }, { limit: 100 })).rows
    expect(child).toMatchObject({ subagentId: agent, parentToolUseId: call, inherited: false, isCut: false })
    expect(inherited).toMatchObject({ inherited: true, isCut: true })
    expect(child && (await store.events.find(own, child.id))).toEqual(child)
    expect(child && (await store.events.find(sessionId('no-such-session'), child.id))).toBeUndefined()
  })

  test('sub-agents stand below the node whose call launched them, to any depth', async () => {
    const { store } = database
    const [one, two, three, orphan] = ['one', 'two', 'three', 'orphan'].map(freshId) as [string, string, string, string]
    const session = await store.write(async (tx) => {
      const made = await sampleSession(tx)
      const activity = { state: 'working', at: Date.now(), evidence: 'test', reason: null } as const
      await tx.record.mergeSession([sessionChange(made.key, { activity })])
      const keys = {
        one: await subagentKeyOf(tx.record, made, one),
        two: await subagentKeyOf(tx.record, made, two),
      }
      await tx.record.mergeToolUses([
        sampleToolUse(made, 'call-1'),
        sampleToolUse(made, 'call-2', { subagentKey: keys.one, calledAt: 5 }),
        sampleToolUse(made, 'bash', { subagentKey: keys.two, name: 'Bash', calledAt: 7 }),
        sampleToolUse(made, 'done', { subagentKey: keys.two, name: 'Bash', endedAt: 8 }),
      ])
      await tx.record.mergeSubagents([
        sampleSubagent(made, one, { link: { toolUseId: 'call-1', evidence: 'meta' }, startedAt: 1 }),
        sampleSubagent(made, two, { link: { toolUseId: 'call-2', evidence: 'meta' }, startedAt: 2 }),
        sampleSubagent(made, three, { link: { toolUseId: 'not-recorded', evidence: 'meta' }, parentNativeId: two }),
        sampleSubagent(made, orphan, { depth: 2 }),
      ])
      await tx.record.subagent(made.key, freshId('internal'), 'internal')
      return made
    })
    const list = await store.subagents.list(sessionId(session.id))
    const shown = list.map(({ id, parentId, parentToolUseId, depth }) => [id, parentId, parentToolUseId, depth])
    expect(shown).toEqual([
      [one, null, null, 1],
      [two, one, 'call-1', 2],
      [three, two, 'call-2', 3],
      [orphan, null, null, 2],
    ] as typeof shown)
    expect((await store.subagents.find(subagentId(two)))[0]).toEqual(list[1])

    const tree = await store.subagents.tree(sessionId(session.id))
    expect(tree?.children.map((node) => node.subagent?.id)).toEqual([one, orphan].map(subagentId))
    const second = tree?.children[0]?.children[0]
    expect(second?.subagent).toEqual(list[1])
    expect(second?.runningTools).toMatchObject([{ toolUseId: 'bash', name: 'Bash' }])
    expect(second?.subagent?.counts.toolCalls).toBe(2)
    expect(second?.children.map((node) => node.subagent?.id)).toEqual([subagentId(three)])
    expect(await store.subagents.tree(sessionId('no-such-session'))).toBeUndefined()

    // A session that is silent for long is over, and so is what ran in it.
    const activity = { state: 'working', at: Date.now() - 7 * 86_400_000, evidence: 'test', reason: null } as const
    const silent = await store.write(async (tx) => {
      const made = await sampleSession(tx)
      await tx.record.mergeSession([sessionChange(made.key, { activity })])
      await tx.record.mergeSubagents([sampleSubagent(made, freshId('left'), { startedAt: activity.at })])
      return made
    })
    const [left] = await store.subagents.list(sessionId(silent.id))
    expect(left).toMatchObject({ status: 'lost', statusEvidence: 'session silent, no end seen' })
  })

  test('what a sub-agent used of whose lines none is recorded is not known; it is not zero', async () => {
    const { store } = database
    const [unseen, silent, shell] = ['unseen', 'silent', 'shell'].map(freshId) as [string, string, string]
    const session = await store.write(async (tx) => {
      const made = await sampleSession(tx)
      await tx.record.mergeSubagents([
        sampleSubagent(made, unseen),
        sampleSubagent(made, silent),
        sampleSubagent(made, shell, { kind: 'shell' }),
      ])
      const node = await subagentKeyOf(tx.record, made, silent)
      await tx.record.insertEvents([sampleEvent(made, { at: 1, type: 'prompt', role: 'user', subagentKey: node })])
      return made
    })
    const used = [
      [unseen, null, null],
      [silent, NO_USAGE, 0],
      [shell, NO_USAGE, 0],
    ] as const
    const list = await store.subagents.list(sessionId(session.id))
    expect(list.map(({ id, usage, costUsd }): unknown => [id, usage, costUsd])).toEqual(used as unknown as unknown[])
    const tree = await store.subagents.tree(sessionId(session.id))
    expect(tree?.children.map(({ usage }) => usage)).toEqual(used.map(([, usage]) => usage))
    expect(tree?.usage).toEqual(NO_USAGE)
  })

  test('sub-agents that name each other as parents are shown as orphans, each once', async () => {
    const { store } = database
    const session = await store.write(async (tx) => {
      const made = await sampleSession(tx)
      await tx.record.mergeSubagents([
        sampleSubagent(made, 'a', { parentNativeId: 'c' }),
        sampleSubagent(made, 'b', { parentNativeId: 'a' }),
        sampleSubagent(made, 'c', { parentNativeId: 'b' }),
        sampleSubagent(made, 'self', { parentNativeId: 'self' }),
        sampleSubagent(made, 'below', { parentNativeId: 'b' }),
      ])
      return made
    })
    const tree = await store.subagents.tree(sessionId(session.id))
    const seen: (string | undefined)[] = []
    const open = [...(tree?.children ?? [])]
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      seen.push(node.subagent?.id)
      open.push(...node.children)
    }
    expect(seen.toSorted()).toEqual(['a', 'b', 'below', 'c', 'self'])
  })

  test('to-dos come in the order of their list, removed ones only when asked for', async () => {
    const { store } = database
    const session = await store.write(async (tx) => {
      const made = await sampleSession(tx)
      const row = { sessionKey: made.key, listName: 'todo', subagentKey: null, source: 1 as const }
      await tx.record.applyTodoChanges([
        {
          ...row,
          toolUseId: 't1',
          at: 1,
          change: {
            op: 'snapshot',
            items: [
              { content: 'first', status: 'completed' },
              { content: 'second', activeForm: 'doing the second', status: 'in_progress' },
              { content: 'third', status: 'pending' },
            ],
          },
        },
        {
          ...row,
          toolUseId: 't2',
          at: 2,
          change: {
            op: 'snapshot',
            items: [
              { content: 'first', status: 'completed' },
              { content: 'second', activeForm: 'doing the second', status: 'in_progress' },
            ],
          },
        },
      ])
      return made
    })
    const id = sessionId(session.id)
    const shown = await store.todos.list({ sessionId: id })
    expect(shown.map((todo) => [todo.content, todo.status])).toEqual([
      ['first', 'completed'],
      ['second', 'in_progress'],
    ])
    const all = await store.todos.list({ sessionId: id, includeRemoved: true })
    expect(all.map((todo) => todo.content).toSorted()).toEqual(['first', 'second', 'third'])
    expect((await store.subagents.tree(id))?.todos).toEqual({ completed: 1, total: 2, current: 'doing the second' })
  })

  test('a journal is given back byte for byte, whole and in part', async () => {
    const { store } = database
    const lines = Array.from({ length: 25 }, (_, i) => JSON.stringify({ i, pad: 'é'.repeat(i * 3) }))
    const session = await store.write((tx) => sampleSession(tx, { lines, chunkLines: 4 }))
    const [journal] = await store.journals.listBySession(sessionId(session.id))
    const incarnation = journal?.incarnations[0]
    const bytes = Buffer.from(`${lines.join('\n')}\n`)
    expect(incarnation?.size).toBe(bytes.length)
    const read = async (from?: number, length?: number): Promise<string> => {
      const parts: Uint8Array[] = []
      for await (const part of store.journals.read(incarnation?.id ?? 0, from, length)) parts.push(part)
      return Buffer.concat(parts).toString('hex')
    }
    expect(await read()).toBe(bytes.toString('hex'))
    for (const [from, length] of [
      [0, 1],
      [1, 500],
      [333, 77],
      [bytes.length - 1, 10],
      [bytes.length, 5],
      [-5, 3],
    ] as const) {
      const start = Math.max(0, from)
      expect(await read(from, length)).toBe(bytes.subarray(start, start + length).toString('hex'))
    }
    expect(await store.journals.listOpen('installation-1')).toContainEqual(
      expect.objectContaining({ path: journal?.path, size: bytes.length, parsed: bytes.length, inode: 2 }),
    )
    const everything: string[] = []
    for await (const found of store.journals.listAll()) everything.push(found.journal.path)
    expect(everything).toContain(journal?.path ?? '')
  })

  test('a journal can grow while it is read', async () => {
    const { store } = database
    const session = await store.write((tx) =>
      sampleSession(tx, { lines: Array(40).fill('x'.repeat(50)), chunkLines: 2 }),
    )
    const [journal] = await store.journals.listBySession(sessionId(session.id))
    let size = journal?.incarnations[0]?.size ?? 0
    const before = size
    let readBytes = 0
    for await (const part of store.journals.read(session.incarnation)) {
      readBytes += part.length
      size = await store.write((tx) => appendBytes(tx.record, session.incarnation, size, Buffer.from('more\n')))
    }
    expect(readBytes).toBe(before)
  })

  test('sessions are found by a prefix of their id and by the folder they ran in', async () => {
    const { store } = database
    const prefix = freshId('prefix')
    await store.write(async (tx) => {
      for (const name of ['b', 'a']) await sampleSession(tx, { id: `${prefix}-${name}` })
    })
    expect(await store.sessions.matchPrefix(prefix)).toEqual([`${prefix}-a`, `${prefix}-b`].map(sessionId))
    expect(await store.sessions.matchPrefix(prefix.slice(0, 3))).toEqual([])
    expect(await store.sessions.matchPrefix('%___')).toEqual([])
  })

  test('diagnostics count what there is', async () => {
    const { store, kind } = database
    await store.write(async (tx) => {
      const session = await sampleSession(tx)
      await tx.record.addMalformed(session.incarnation, [{ offset: 3, length: 4, reason: 'no JSON' }])
      await tx.record.countKinds([
        { agent: 'claude-code', journalKind: 'transcript', name: 'odd', isKnown: false, count: 2, version: '2.1' },
      ])
    })
    expect(await store.diagnostics.malformedLines(10)).toMatchObject([{ offset: 3, length: 4, reason: 'no JSON' }])
    expect(await store.diagnostics.recordKinds()).toMatchObject([{ name: 'odd', isKnown: false, count: 2 }])
    // The session names no version; the records of its CLI do.
    expect(await store.diagnostics.agentVersions()).toEqual([{ agent: 'claude-code', version: '2.1' }])
    const storage = await store.diagnostics.storage()
    expect(storage).toMatchObject({ kind, schemaVersion: SCHEMA_VERSION, rows: { malformed_lines: 1, hosts: 1 } })
    expect(storage.bytes).toBeGreaterThan(0)
  })
})
