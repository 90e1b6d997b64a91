/** Transcripts of four releases as files: imported, held against the oracle, imported again, written back, rebuilt. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { readOracle, sessionsIn } from './oracle'
import { exported, readRecord, sessionFiles, sorted } from './record'
import { dumpTables } from './tables'

const fixtures = resolve(import.meta.dir, '../../fixtures/claude-code/transcripts')
const VERSIONS = ['2.0.30', '2.1.10', '2.1.197', '2.1.328'] as const

interface ImportTotals {
  files: number
  bytes: number
  sessions: number
  events: number
  malformedLines: number
}

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(kind, () => {
    const lab = new Lab()
    const projects = join(lab.root, 'claude/projects')
    let lodeline: Lode
    let first: ImportTotals

    beforeAll(async () => {
      // One project for each release, its stories together: a fork stands beside its origin.
      for (const version of VERSIONS) {
        const project = join(projects, `-home-user-${version.replaceAll('.', '-')}`)
        mkdirSync(project, { recursive: true })
        for (const story of readdirSync(join(fixtures, version))) {
          cpSync(join(fixtures, version, story), project, { recursive: true })
        }
      }
      lodeline = lab.addLode('home', { databaseUrl: await lab.addDatabase(kind) })
      await lodeline.up(['serve'])
      first = await lodeline.json<ImportTotals>('import', projects)
    })

    afterAll(() => lab.stop(), 60_000)

    for (const version of VERSIONS) {
      test(`transcripts of ${version}: the record is what they say, and gives them back byte for byte`, async () => {
        const project = join(projects, `-home-user-${version.replaceAll('.', '-')}`)
        const origin = sessionsIn(join(fixtures, version, 'killed-and-resumed'))[0]
        const [fork] = sessionsIn(join(fixtures, version, 'forked'))
        const sessions = sessionsIn(project)
        expect(sessions.length).toBe(readdirSync(join(fixtures, version)).length)
        for (const id of sessions) {
          const options = id === fork && origin ? { forkedFrom: origin } : {}
          expect(sorted(await readRecord(lodeline.client, id))).toEqual(sorted(readOracle(project, id, options)))
          const { session } = await lodeline.client.sessions.get(id)
          expect(session.forkedFrom as string | null).toBe(options.forkedFrom ?? null)
          const files = await exported(lodeline.client, id)
          for (const [name, bytes] of sessionFiles(project, id)) expect(files.get(name)).toEqual(bytes)
        }
      })
    }

    test('importing the same folder again adds nothing', async () => {
      expect(first).toMatchObject({
        malformedLines: 0,
        sessions: VERSIONS.flatMap((v) => readdirSync(join(fixtures, v))).length,
      })
      const before = await dumpTables(lodeline)
      expect(await lodeline.json<ImportTotals>('import', projects)).toMatchObject({ sessions: 0, events: 0 })
      expect(await dumpTables(lodeline)).toEqual(before)
    })

    test('rebuild derives the same rows from the journals', async () => {
      const before = await dumpTables(lodeline)
      await lodeline.json('rebuild')
      expect(await dumpTables(lodeline)).toEqual(before)
    })

    test('another order of import gives the same rows', async () => {
      const reversed = lab.addLode('reversed', { databaseUrl: await lab.addDatabase(kind) })
      await reversed.up(['serve'])
      for (const path of readdirSync(projects, { recursive: true, encoding: 'utf8' }).sort().reverse()) {
        if (/\.jsonl?$/.test(path)) await reversed.client.import({ paths: [join(projects, path)] })
      }
      expect(withoutPlaces(await dumpTables(reversed))).toEqual(withoutPlaces(await dumpTables(lodeline)))
    })
  })
}

/** Without what the order of import decides and nothing counts: numbers of incarnations, and which release a kind was seen from last. */
function withoutPlaces(dump: Record<string, string[]>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(dump).map(([table, rows]) => [
      table,
      rows.map((row) => row.replace(/"incarnation_id":"?\d+"?,|(?<="count":"?\d+"?,)"version":.*/g, '')).sort(),
    ]),
  )
}
