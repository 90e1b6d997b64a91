/**
 * One session of each release, recorded by all three paths at once: agents in the foreground (two at once, one of which launched
 * another), a background shell, a background agent that was continued by a message. Whatever order its pieces come in, and whichever
 * path is missing, no edge is wrong.
 */
import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { toolUseId } from '../../src/domain/ids'
import { openStore } from '../../src/store/open'
import { byText, gist, type Known, LINEAGE, nodesOf, recorded, tablesOf } from './lineage-files'

for (const version of ['2.1.197', '2.1.328']) {
  describe(version, () => {
    const folder = join(LINEAGE, version)
    let whole: Map<string, Known>
    let tables: string[][]
    beforeAll(async () => {
      await recorded(folder, {}, async (place) => {
        tables = await tablesOf(place)
        whole = await nodesOf(folder, place)
      })
    })

    test('the whole of it: who launched whom, each run, and what was read', () => {
      const nodes = [...whole.values()]
      const by = (description: string) => nodes.find(({ subagent }) => subagent.description === description)
      const [left, right, deep] = [by('Left side'), by('Right side'), by('Deep look')]
      expect(nodes).toHaveLength(5)
      expect(deep?.subagent).toMatchObject({ parentId: left?.subagent.id, depth: 2, background: false })
      for (const side of [left, right, deep])
        expect(side?.runs).toMatchObject([
          { number: 1, trigger: 'launch', status: 'completed', readEvidence: 'content' },
        ])
      expect(left?.subagent).toMatchObject({ parentId: null, depth: 1 })
      expect(by('Count in the background')?.subagent).toMatchObject({ kind: 'shell', background: true })
      expect(by('Count in the background')?.runs).toMatchObject([{ status: 'completed', readEvidence: 'notice' }])
      const continued = by('Background work')
      expect(continued?.subagent).toMatchObject({ depth: 1, background: true, status: 'completed' })
      expect(continued?.runs).toMatchObject([
        { number: 1, trigger: 'launch', toolUseId: continued?.subagent.toolUseId, readEvidence: 'notice' },
        { number: 2, trigger: 'message', status: 'completed', readEvidence: 'notice' },
      ])
      expect(continued?.runs[1]?.toolUseId).not.toBe(continued?.subagent.toolUseId ?? null)
      // The message's call is in the notices and the stream's task lines, and is no evidence of a launch.
      for (const { subagent } of nodes)
        expect(new Set(subagent.evidence.map(({ toolUseId }) => toolUseId as string))).toEqual(
          new Set([subagent.toolUseId as string]),
        )
    })

    test('a call is found with its sub-agent, one that continued an agent with that agent', async () => {
      await recorded(folder, { paths: ['transcript'] }, async (place) => {
        const store = await openStore({ ...place, mode: 'read-only' })
        const call = (known: Known | undefined, run: number) => toolUseId(known?.runs[run]?.toolUseId ?? '')
        const nodes = [...whole.values()]
        const deep = nodes.find(({ subagent }) => subagent.description === 'Deep look')
        const continued = nodes.find(({ runs }) => runs.length === 2)
        try {
          expect(await store.toolUses.find(call(deep, 0))).toMatchObject([
            {
              name: 'Agent',
              subagentId: deep?.subagent.parentId,
              launched: deep?.subagent.id,
              continued: null,
              isError: false,
            },
          ])
          expect(await store.toolUses.find(call(continued, 1))).toMatchObject([
            { name: 'SendMessage', subagentId: null, launched: null, continued: continued?.subagent.id },
          ])
          expect(await store.toolUses.find(toolUseId('toolu_none'))).toEqual([])
          const { work, total } = await store.runs.recover(continued?.subagent.sessionId ?? '', 1)
          expect({ total, work }).toMatchObject({ total: 2, work: [{ state: 'read', run: { number: 2 } }] })
          expect(work[0]?.prompt).toBe('WORK: in the background')
        } finally {
          await store.close()
        }
      })
    })

    for (let seed = 2; seed <= 13; seed++)
      test(`in pieces and in another order it is the same (${seed})`, async () => {
        expect(await recorded(folder, { seed, isDoubled: seed % 3 === 0 }, tablesOf)).toEqual(tables)
      })

    test('and on the other database', async () => {
      await recorded(folder, { seed: 14, kind: 'postgres' }, async (place) => {
        expect(await tablesOf(place)).toEqual(tables)
        const nodes = await nodesOf(folder, place)
        expect([...nodes.values()].map(gist).sort(byText)).toEqual([...whole.values()].map(gist).sort(byText))
        const store = await openStore({ ...place, mode: 'read-only' })
        const { work, total } = await store.runs.recover([...nodes.values()][0]?.subagent.sessionId ?? '', 10)
        expect(work.map(({ state }) => state)).toEqual(['read', 'read'])
        expect([total, (await store.toolUses.find(toolUseId('toolu_000001'))).length]).toEqual([2, 1])
        await store.close()
      })
    })

    test('the transcript alone tells all of it', async () => {
      const alone = await recorded(folder, { paths: ['transcript'] }, (place) => nodesOf(folder, place))
      expect([...alone.values()].map(gist).sort(byText)).toEqual([...whole.values()].map(gist).sort(byText))
    })

    for (const path of ['stream', 'hooks'] as const)
      test(`${path} alone tells part of it, and no wrong edge`, async () => {
        const alone = await recorded(folder, { paths: [path], seed: 3 }, (place) => nodesOf(folder, place))
        expect(alone.size).toBeGreaterThan(1)
        for (const [id, { subagent, runs }] of alone) {
          const known = whole.get(id)
          expect(known).toBeDefined()
          expect([null, known?.subagent.toolUseId]).toContain(subagent.toolUseId)
          expect([null, known?.subagent.parentId]).toContain(subagent.parentId)
          expect(runs.length).toBeLessThanOrEqual(known?.runs.length ?? 0)
          for (const run of runs) {
            expect([null, ...(known?.runs.map(({ toolUseId }) => toolUseId) ?? [])]).toContain(run.toolUseId)
            expect(run.readAt).toBeNull()
          }
        }
      })
  })
}
