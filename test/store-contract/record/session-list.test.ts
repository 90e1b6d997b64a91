import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { setOwnPrices } from '../../../src/domain/cost/price'
import { projectKey, sessionId } from '../../../src/domain/ids'
import {
  type FacetFilter,
  parseSpan,
  SESSION_FACETS,
  SESSION_SORTS,
  type SessionFacet,
  type SessionSort,
} from '../../../src/domain/session/session-list'
import type { StoredSession } from '../../../src/domain/session/session-store'
import { shareText } from '../../../src/domain/task/placement/placement'
import { onEachDatabase } from '../databases'
import { freshId, sampleSession, sampleToolUse, sampleUsage, sessionChange } from '../sample'
import { sampleTask } from '../tasks-sample'

const MODELS = ['claude-sonnet-4-5-20250929', 'claude-opus-4-8', 'no-price-for-this']
const BRANCHES = ['main', 'side', null]
const PEOPLE = ['ada%', 'ben']
const START = Date.UTC(2026, 0, 1)

onEachDatabase((database) => {
  /** Sessions of a project of their own, so that others in the database are out of sight. */
  async function fill(count: number): Promise<string> {
    const root = `/home/me/${freshId('project')}`
    await database.store.write(async (tx) => {
      const host = await tx.record.host('host', 'desk')
      const project = projectKey(await tx.record.project(host, root, null, 'listed'))
      for (let at = 0; at < count; at++) {
        const session = await sampleSession(tx)
        await tx.record.setSessionProject(session.key, project)
        await tx.record.mergeToolUses([
          sampleToolUse(session, 'a', { isError: at % 3 === 0, files: ['/a', `/${at % 2}`] }),
          sampleToolUse(session, 'b', { isError: at % 5 === 0, files: ['/a'] }),
        ])
        if (at % 4 !== 0)
          await tx.record.mergeUsage([sampleUsage(session, { model: MODELS[at % 3] ?? '', outputTokens: at * 10_000 })])
        // Among several tasks of a session, the newest with a share counts.
        const shares = at % 5 === 0 ? [PEOPLE[0], PEOPLE[at % 2], null] : []
        for (const user of shares)
          await tx.tasks.insertTask(
            sampleTask({
              lastSessionId: sessionId(session.id),
              share: user == null ? null : shareText({ user, project: root }),
            }),
          )
        const branch = BRANCHES[at % 3] ?? null
        await tx.record.mergeSession([
          sessionChange(session.key, {
            ...{ startedAt: START, lastEventAt: START + at * at * 1_000, eventCount: at % 7 },
            place: { cwd: root, gitBranch: branch, agentVersion: null, at: 1 },
            model: at % 4 === 0 ? null : { name: MODELS[at % 3] ?? '', at: 1 },
          }),
        ])
      }
    })
    return root
  }

  test('counts are those of the rows that the list shows, facet by facet', async () => {
    const root = await fill(40)
    const list = async (filter: FacetFilter) =>
      (await database.store.sessions.list({ ...filter, project: root }, { limit: 1_000 })).rows
    const narrowed = fc.record<FacetFilter>(
      {
        model: fc.constantFrom<string | null>(...MODELS, null),
        branch: fc.constantFrom<string | null>(...BRANCHES),
        person: fc.constantFrom(...PEOPLE),
        errors: fc.constantFrom('..1', '1..', '2..3').map((text) => parseSpan(text) ?? undefined),
        cost: fc.constantFrom('..0.1', '1..', '0.5..2').map((text) => parseSpan(text) ?? undefined),
        length: fc.constantFrom('..60', '100..900').map((text) => parseSpan(text) ?? undefined),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(narrowed, async (filter) => {
        const { total, facets } = await database.store.sessions.facets({ ...filter, project: root })
        expect(total).toBe((await list(filter)).length)
        for (const facet of SESSION_FACETS) {
          if (facet === 'project' || facet === 'host') continue
          for (const { value, sessions } of facets[facet])
            expect([facet, value, sessions]).toEqual([
              facet,
              value,
              (await list(withValue(filter, facet, value))).length,
            ])
        }
      }),
      { numRuns: 8 },
    )
  })

  test('each order is that of the values, and pages join without a gap', async () => {
    const project = await fill(23)
    for (const by of SESSION_SORTS)
      for (const isAscending of [false, true]) {
        const rows: StoredSession[] = []
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const request = cursor === undefined ? { limit: 5 } : { limit: 5, cursor }
          const page = await database.store.sessions.list({ project }, request, { by, isAscending })
          rows.push(...page.rows)
          cursor = page.nextCursor
        }
        expect([by, new Set(rows.map(({ id }) => id)).size]).toEqual([by, 23])
        const values = rows.map((row) => VALUES[by](row))
        const sorted = values.toSorted((a, b) => (isAscending ? a - b : b - a))
        expect([by, values]).toEqual([by, sorted])
      }
  })

  test('other prices change what every session cost, once', async () => {
    const project = await fill(6)
    const costs = async () => {
      const { facets } = await database.store.sessions.facets({ project, cost: { from: 1_000, below: null } })
      return facets.model.map(({ sessions }) => sessions)
    }
    const recount = (prices: string) =>
      database.store.write(async (tx) => {
        for (let after: number | null = 0; after !== null; ) after = await tx.record.recountCosts(prices, after)
      })
    await recount('listed')
    expect(await costs()).toEqual([])
    setOwnPrices({ asOf: '2026-01-01', models: { 'no-price-for-this': { input: 90_000, output: 90_000 } } })
    try {
      await recount('own')
      expect(await costs()).toEqual([2])
    } finally {
      setOwnPrices(null)
    }
    // Counted by these prices already: nothing is done, though the prices in use are others.
    await recount('own')
    expect(await costs()).toEqual([2])
    await recount('listed')
    expect(await costs()).toEqual([])
  })

  test('a failed call changed no file, whichever of its lines is read first', async () => {
    const ids = ['call first', 'answer first']
    const sessions = await database.store.write(async (tx) => {
      const made = []
      for (const order of ids) {
        const session = await sampleSession(tx)
        const call = (id: string) => sampleToolUse(session, id, { files: [`/${id}`, '/both'] })
        const answer = (id: string, isError: boolean) => sampleToolUse(session, id, { name: null, endedAt: 2, isError })
        const lines = [call('good'), answer('good', false), call('bad'), answer('bad', true), call('open')]
        for (const line of order === 'call first' ? lines : lines.toReversed()) {
          await tx.record.mergeToolUses([line])
          await tx.record.mergeToolUses([line])
        }
        made.push(session.id)
      }
      return made
    })
    for (const id of sessions) {
      const found = await database.store.sessions.find(sessionId(id))
      expect(found?.counts).toMatchObject({ toolCalls: 3, errors: 1, filesChanged: 2 })
      expect((await database.store.sessions.outcome(sessionId(id)))?.files.map(({ path }) => path)).toEqual([
        '/both',
        '/good',
      ])
      // One file only: by its whole name, in the case that it has.
      const calls = async (path: string) =>
        (await database.store.sessions.edits(sessionId(id), { limit: 5 }, path)).rows.map((row) => row.id as string)
      expect(await calls('/good')).toEqual(['good'])
      expect(await calls('/both')).toEqual(['good'])
      for (const other of ['/bad', 'good', '/goo', '/GOOD', '%']) expect(await calls(other)).toEqual([])
    }
  })
})

const VALUES: Record<SessionSort, (row: StoredSession) => number> = {
  active: ({ lastEventAt }) => Date.parse(lastEventAt ?? ''),
  started: ({ startedAt }) => Date.parse(startedAt ?? ''),
  length: ({ startedAt, lastEventAt }) => Date.parse(lastEventAt ?? '') - Date.parse(startedAt ?? ''),
  events: ({ counts }) => counts.events,
  calls: ({ counts }) => counts.toolCalls,
  errors: ({ counts }) => counts.errors,
  files: ({ counts }) => counts.filesChanged,
  tokens: ({ usage }) => usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheCreationTokens,
  cost: ({ costUsd }) => costUsd ?? -1,
}

function withValue(filter: FacetFilter, facet: SessionFacet, value: string | null): FacetFilter {
  const isSpan = facet === 'errors' || facet === 'cost' || facet === 'length'
  return { ...filter, [facet]: isSpan ? (parseSpan(value ?? '') ?? undefined) : value }
}
