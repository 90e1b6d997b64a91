import { expect, test } from 'bun:test'
import { sessionId } from '../../src/domain/ids'
import type { MapKind } from '../../src/domain/session/minimap'
import { onEachDatabase } from './databases'
import { freshId, sampleEvent, sampleSession, sampleSubagent, sampleToolUse } from './sample'

onEachDatabase((database) => {
  test('a map tells where the main thread has prompts, errors, edits, sub-agents and compactions, and a moment ends it', async () => {
    const { store } = database
    const id = await store.write(async (tx) => {
      const made = await sampleSession(tx)
      const call = (at: number, toolUseId: string) => sampleEvent(made, { at, type: 'tool_call', toolUseId })
      await tx.record.mergeToolUses([
        sampleToolUse(made, 'c-failed', { name: 'Bash', isError: true }),
        sampleToolUse(made, 'c-wrote', { name: 'Edit', isError: false, files: ['/a.ts'] }),
        sampleToolUse(made, 'c-agent', { isError: false }),
        sampleToolUse(made, 'c-read', { name: 'Read', isError: false }),
      ])
      await tx.record.mergeSubagents([
        sampleSubagent(made, freshId('agent'), { link: { toolUseId: 'c-agent', evidence: 'meta' } }),
      ])
      await tx.record.insertEvents([
        sampleEvent(made, { at: 10, type: 'prompt', role: 'user' }),
        call(20, 'c-read'),
        call(30, 'c-failed'),
        call(40, 'c-wrote'),
        sampleEvent(made, { at: 50, type: 'text' }),
        call(60, 'c-agent'),
        sampleEvent(made, { at: 70, type: 'compaction' }),
        sampleEvent(made, { at: 80, type: 'error' }),
      ])
      return made.id
    })
    const session = await store.sessions.find(sessionId(id))
    if (session === undefined) throw new Error('not stored')
    const { marks, total } = await store.conversations.minimap(session.key, null)
    expect(total).toBe(8)
    expect(marks.map(({ kind, number, count }) => `${number} ${kind} ${count}`)).toEqual([
      '0 prompt 1',
      '2 error 1',
      '3 edit 1',
      '5 agent 1',
      '6 compaction 1',
      '7 error 1',
    ])
    const only = (kind: MapKind) => store.conversations.linesOfKind(session.key, null, kind)
    expect([await only('error'), await only('edit'), await only('prompt')]).toEqual([[2, 7], [3], [0]])
    const until = async (at: number) => {
      const window = await store.conversations.window(session.key, null, { kind: 'end', until: at }, 3)
      return [window.total, window.from, window.lines.map(({ position }) => position.at)]
    }
    expect([await until(45), await until(9), await until(99)]).toEqual([
      [4, 1, [20, 30, 40]],
      [0, 0, []],
      [8, 5, [60, 70, 80]],
    ])
  })
})
