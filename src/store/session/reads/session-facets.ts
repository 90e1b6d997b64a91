import { type RawBuilder, sql } from 'kysely'
import {
  COUNTED_SPANS,
  type FacetValue,
  parseSpan,
  SESSION_FACETS,
  type SessionFacet,
  type SessionFacets,
} from '../../../domain/session/session-list'
import type { SessionFilter } from '../../../domain/session/session-store'
import { readShare } from '../../../domain/task/placement/placement'
import type { ReadContext } from '../../sql/read-context'
import { type Projects, readProjects } from '../../tree-levels/projects'
import { both, type Condition, type SessionConditions, SPAN_COLUMNS, sessionConditions } from './session-conditions'

/** Branches that are listed, those of most sessions. */
const MOST_BRANCHES = 50
/** Values of each other facet that are listed. */
const MOST_VALUES = 200

/** Facets by which the index has the rows in order, so that the database need not sort them. */
const ORDERED = ['agent', 'project', 'host', 'model'] as const
type Ordered = (typeof ORDERED)[number]
const SPANS = ['errors', 'cost', 'length'] as const
type Spanned = (typeof SPANS)[number]

/** Sessions that are alike in the ordered facets: how many of them fit the other filters. */
interface Alike {
  agent: string
  project: number | null
  host: string
  model: string | null
  /** The ordered facets of the filter that they do not fit: a bit for each. */
  missed: number
  count: number
  /** Under `errors0` and the like: those below the upper bound of a counted span, whatever the filter says of this facet. */
  [below: string]: number | string | null
}

/**
 * Counts sessions by what they are alike in: one pass over an index that holds it all, and another for branches, of which there may be as
 * many as sessions.
 */
export async function readFacets(context: ReadContext, filter: SessionFilter): Promise<SessionFacets> {
  const conditions = await sessionConditions(context, filter)
  const projects = await readProjects(context)
  const counts = new Map(SESSION_FACETS.map((facet) => [facet, new Map<string | null, number>()]))
  const add = (facet: SessionFacet, value: string | null, count: number) => {
    const of = counts.get(facet)
    of?.set(value, (of.get(value) ?? 0) + count)
  }
  let total = 0
  for (const row of await readAlike(context, conditions)) {
    const count = Number(row.count)
    for (const facet of ORDERED)
      if (count > 0 && (row.missed === 0 || row.missed === bitOf(facet)))
        add(facet, valueIn(facet, row, projects), count)
    if (row.missed !== 0) continue
    total += count
    for (const facet of SPANS) {
      let below = 0
      for (const [at, span] of COUNTED_SPANS[facet].entries()) {
        const upTo = Number(row[`${facet}${at}`] ?? 0)
        add(facet, span, upTo - below)
        below = upTo
      }
    }
  }
  for (const { branch, count } of await readBranches(context, conditions)) add('branch', branch, Number(count))
  for (const { share, count } of await readShares(context, conditions)) {
    const { user } = readShare(share)
    if (user !== '') add('person', user, Number(count))
  }
  const facets = Object.fromEntries(
    SESSION_FACETS.map((facet) => [facet, valuesOf(facet, counts.get(facet) ?? new Map(), projects)]),
  ) as SessionFacets['facets']
  return { total, facets }
}

const bitOf = (facet: Ordered): number => 2 ** ORDERED.indexOf(facet)

async function readAlike(context: ReadContext, { facets, rest }: SessionConditions): Promise<Alike[]> {
  const missed = ORDERED.flatMap((facet) => {
    const condition = facets.get(facet)
    return condition === undefined ? [] : [sql`case when ${condition} then 0 else ${sql.lit(bitOf(facet))} end`]
  })
  const others = (but?: Spanned): Condition[] =>
    [...facets].flatMap(([facet, condition]) => (facet !== but && isSpanned(facet) ? [condition] : []))
  // No value of another facet is counted without them.
  const always = [...facets].flatMap(([facet, condition]) => (isOrdered(facet) || isSpanned(facet) ? [] : [condition]))
  const below = SPANS.flatMap((facet) =>
    COUNTED_SPANS[facet].map((text, at) => {
      const most = parseSpan(text)?.below ?? null
      const column = sql.raw(SPAN_COLUMNS[facet])
      const isBelow: Condition = most === null ? sql`${column} is not null` : sql`${column} < ${sql.lit(most)}`
      return sql`${countIf([isBelow, ...others(facet)])} as ${sql.ref(`${facet}${at}`)}`
    }),
  )
  const { rows } = await sql<Alike>`
    select c.*, h.hostname as host from (
      select sessions.agent, sessions.project_id as project, sessions.host_id, sessions.model,
             ${sql.join([sql`0`, ...missed], sql` + `)} as missed, ${countIf(others())} as count, ${sql.join(below)}
        from sessions where ${both([...always, ...rest])} group by sessions.agent, sessions.project_id, sessions.host_id, sessions.model) c
      join hosts h on h.id = c.host_id
  `.execute(context.db)
  return rows
}

const isOrdered = (facet: SessionFacet): facet is Ordered => (ORDERED as readonly SessionFacet[]).includes(facet)

const isSpanned = (facet: SessionFacet): facet is Spanned => (SPANS as readonly SessionFacet[]).includes(facet)

const countIf = (conditions: readonly Condition[]): RawBuilder<number> =>
  conditions.length === 0 ? sql`count(*)` : sql`sum(case when ${both(conditions)} then 1 else 0 end)`

async function readBranches(context: ReadContext, { facets, rest }: SessionConditions) {
  const others = [...facets].flatMap(([facet, condition]) => (facet === 'branch' ? [] : [condition]))
  const { rows } = await sql<{ branch: string | null; count: number }>`
    select sessions.git_branch as branch, count(*) as count from sessions where ${both([...others, ...rest])}
     group by sessions.git_branch order by 2 desc, 1 limit ${sql.lit(MOST_BRANCHES)}
  `.execute(context.db)
  return rows
}

async function readShares(context: ReadContext, { facets, rest }: SessionConditions) {
  const others = [...facets].flatMap(([facet, condition]) => (facet === 'person' ? [] : [condition]))
  const { rows } = await sql<{ share: string; count: number }>`
    select sessions.share, count(*) as count from sessions where ${both([sql`sessions.share is not null`, ...others, ...rest])}
     group by sessions.share
  `.execute(context.db)
  return rows
}

const valueIn = (facet: Ordered, row: Alike, projects: Projects): string | null =>
  facet === 'project' ? projects.ofRow(row.project) : row[facet]

function valuesOf(facet: SessionFacet, counts: Map<string | null, number>, projects: Projects): FacetValue[] {
  const isSpan = facet === 'errors' || facet === 'cost' || facet === 'length'
  const spans: readonly (string | null)[] = isSpan ? COUNTED_SPANS[facet] : []
  const sorted = isSpan
    ? spans.flatMap((span): [string | null, number][] => [[span, counts.get(span) ?? 0]])
    : [...counts].sort(([a, of], [b, than]) => than - of || (String(a) < String(b) ? -1 : 1))
  return sorted.slice(0, MOST_VALUES).map(([value, sessions]) => ({
    value,
    label: facet === 'project' && value !== null ? (projects.groups.get(value)?.name ?? null) : null,
    sessions,
  }))
}
