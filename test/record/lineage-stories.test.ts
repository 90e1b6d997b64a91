/**
 * Sessions of each release in which something went wrong, recorded by all paths at once: agents that fail in front and behind, a
 * compaction while an agent works, a SIGKILL while some do. In any order and by whichever path, no edge and no end is wrong.
 */
import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openStore, type StorePlace } from '../../src/store/open'
import { byText, gist, type Known, nodesOf, recorded, STORIES, sessionOf, tablesOf } from './lineage-files'

/** What became of each launch, by its description: status, evidence, whether it was read and by what. */
const became = (nodes: Map<string, Known>) =>
  Object.fromEntries(
    [...nodes.values()].map(({ subagent, runs }) => [
      subagent.description ?? '',
      runs.map((run) => [run.status, run.statusEvidence, run.readEvidence].join(' ')).join(', '),
    ]),
  )

/** How each release's CLI reports the same events. */
const EXPECTED: Record<string, Record<string, { became: Record<string, string>; told: string[] }>> = {
  '2.1.197': {
    failing: {
      became: {
        // It hands the error to the parent as the agent's answer.
        'Fails in front': 'completed stream:task_updated content',
        'Goes well': 'completed stream:task_updated content',
        'Fails behind': 'completed stream:task_updated notice',
        'Fail a shell': 'failed transcript:notification notice',
      },
      told: ['Fail a shell: failed', 'Fails behind: read'],
    },
    compacted: {
      became: {
        'Quick work': 'completed stream:task_updated notice',
        'Slow work': 'completed stream:task_updated notice',
      },
      told: ['Quick work: read', 'Slow work: read'],
    },
    killed: {
      became: {
        'Back work': 'lost transcript:gone ',
        'Deep work': 'completed stream:task_updated content',
        'Left side': 'completed stream:task_updated content',
        'Slow side': 'lost hook:SessionEnd(other), no end seen ',
        'Count in the background': 'lost transcript:gone ',
      },
      told: ['Back work: lost', 'Count in the background: lost', 'Slow side: lost'],
    },
  },
  '2.1.328': {
    failing: {
      became: {
        'Fails in front': 'failed stream:task_updated ',
        'Goes well': 'completed stream:task_updated content',
        'Fails behind': 'failed stream:task_updated notice',
        'Fail a shell': 'failed transcript:notification notice',
      },
      told: ['Fail a shell: failed', 'Fails behind: failed'],
    },
    compacted: {
      became: {
        'Quick work': 'completed stream:task_updated notice',
        'Slow work': 'completed stream:task_updated notice',
      },
      told: ['Quick work: read', 'Slow work: read'],
    },
    killed: {
      became: {
        'Back work': 'lost transcript:gone ',
        'Deep work': 'completed stream:task_updated content',
        'Left side': 'completed stream:task_updated content',
        'Slow side': 'lost answer of its call: its session had ended ',
        'Count in the background': 'lost transcript:gone ',
      },
      told: ['Back work: lost', 'Count in the background: lost', 'Slow side: lost'],
    },
  },
}

for (const version of ['2.1.197', '2.1.328']) {
  for (const story of ['failing', 'compacted', 'killed']) {
    describe(`${version}, ${story}`, () => {
      const folder = join(STORIES, story, version)
      let whole: Map<string, Known>
      let tables: string[][]
      let told: string[]

      /** The reminder of a session that goes on from it, and what `recover` shows. */
      const toldOf = async (place: StorePlace) => {
        const store = await openStore({ ...place, mode: 'read-only' })
        try {
          const session = sessionOf(folder)
          const { work } = await store.runs.recover(session, 100)
          return work.map(({ subagent, state }) => `${subagent.description}: ${state}`).sort()
        } finally {
          await store.close()
        }
      }

      beforeAll(async () => {
        await recorded(folder, {}, async (place) => {
          tables = await tablesOf(place)
          whole = await nodesOf(folder, place)
          told = await toldOf(place)
        })
      })

      test('what became of each launch, and what says so', () => {
        expect({ became: became(whole), told }).toEqual(EXPECTED[version]?.[story] ?? { became: {}, told: [] })
      })

      for (let seed = 2; seed <= 9; seed++)
        test(`in pieces and in another order it is the same (${seed})`, async () => {
          expect(await recorded(folder, { seed, isDoubled: seed % 3 === 0 }, tablesOf)).toEqual(tables)
        })

      test('and on the other database', async () => {
        await recorded(folder, { seed: 14, kind: 'postgres' }, async (place) => {
          expect(await tablesOf(place)).toEqual(tables)
          const nodes = await nodesOf(folder, place)
          expect([...nodes.values()].map(gist).sort(byText)).toEqual([...whole.values()].map(gist).sort(byText))
          expect(await toldOf(place)).toEqual(told)
        })
      })

      for (const path of ['transcript', 'stream', 'hooks'] as const)
        test(`${path} alone tells no wrong edge, and no wrong end`, async () => {
          const alone = await recorded(folder, { paths: [path], seed: 3 }, (place) => nodesOf(folder, place))
          expect(alone.size).toBeGreaterThan(0)
          for (const [id, { subagent, runs }] of alone) {
            const known = whole.get(id)
            expect(known).toBeDefined()
            expect([null, known?.subagent.toolUseId]).toContain(subagent.toolUseId)
            expect([null, known?.subagent.parentId]).toContain(subagent.parentId)
            for (const [at, run] of runs.entries()) {
              const open = ['running', 'unknown', 'lost']
              expect([...open, known?.runs[at]?.status]).toContain(run.status)
              expect([null, known?.runs[at]?.readEvidence]).toContain(run.readEvidence)
            }
          }
        })
    })
  }
}
