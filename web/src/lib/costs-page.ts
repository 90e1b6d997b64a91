import type { RequestInput } from '../../../src/api/contract/requests'
import { COST_GROUPS, type CostGroup } from '../../../src/domain/tree-entry'
import { type Day, dayOfNumber, numberOfDay, ownTimeZone, type TimeZone, ZoneDays } from '../../../src/domain/zone-days'
import { oneOf, type Search, textOf, writeSearch } from './search'

/** Stretches up to now, in days; `all` has no beginning. */
export const COST_SPANS = { '24h': 1, '7d': 7, '30d': 30, all: null } as const
export type CostSpan = keyof typeof COST_SPANS
export const COST_SPAN_NAMES = Object.keys(COST_SPANS) as CostSpan[]
/** Without a choice. */
export const DEFAULT_COST_SPAN: CostSpan = '30d'

export interface CostsSearch {
  /** Left out: by project. */
  by?: CostGroup
  /** A stretch up to now, or the first day, in the person's own zone. Left out: `DEFAULT_COST_SPAN`, or all before `until`. */
  since?: CostSpan | Day
  /** The last day, which counts. */
  until?: Day
  /** An entry's id of a project in the tree, or a project's folder or name. */
  project?: string
  model?: string
  session?: string
  task?: string
}

export function parseCostsSearch(search: Search): CostsSearch {
  const found: CostsSearch = {}
  const by = oneOf(COST_GROUPS, search.by)
  const since = oneOf(COST_SPAN_NAMES, search.since) ?? dayOf(search.since)
  const until = dayOf(search.until)
  if (by !== undefined) found.by = by
  if (since !== undefined) found.since = since
  if (until !== undefined) found.until = until
  for (const name of ['project', 'model', 'session', 'task'] as const) {
    const value = textOf(search[name])
    if (value !== undefined) found[name] = value
  }
  return found
}

export const costsPath = (search: CostsSearch): string => `/costs${writeSearch({ ...search })}`

function dayOf(value: string | undefined): Day | undefined {
  if (value === undefined || !/^\d{4}-\d\d-\d\d$/.test(value)) return undefined
  const number = numberOfDay(value)
  return !Number.isNaN(number) && dayOfNumber(number) === value ? value : undefined
}

/** Which stretch is chosen; `null` = days of the person's own. */
export function spanOf({ since, until }: CostsSearch): CostSpan | null {
  if (until !== undefined) return null
  return since === undefined ? DEFAULT_COST_SPAN : (oneOf(COST_SPAN_NAMES, since) ?? null)
}

/** Rows of one answer at the most; more days than these are more than a year. */
export const COST_ROWS = 500

/**
 * The server's question.
 *
 * @param now       milliseconds since the epoch
 * @param timeZone  where the person is
 */
export function costsInput(search: CostsSearch, now: number, timeZone: TimeZone): RequestInput<'costs'> {
  const { by = 'project', until, project, model, session, task } = search
  const days = new ZoneDays(timeZone)
  const since = beginOf(search, now, days)
  return {
    by,
    timeZone,
    limit: COST_ROWS,
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    ...(until !== undefined && { until: new Date(days.beginOf(dayAfter(until, 1))).toISOString() }),
    ...(project !== undefined && { project }),
    ...(model !== undefined && { model: model.slice(0, 200) }),
    ...(session !== undefined && { sessionId: session }),
    ...(task !== undefined && { taskId: task }),
  }
}

const DAY_MS = 86_400_000

function beginOf(search: CostsSearch, now: number, days: ZoneDays): number | undefined {
  const span = spanOf(search)
  if (span === null) return search.since === undefined || isSpan(search.since) ? undefined : days.beginOf(search.since)
  const count = COST_SPANS[span]
  if (count === null) return undefined
  // Whole days, but for the last 24 hours: half a first day would look like a quiet one.
  if (count === 1) return now - DAY_MS
  return days.beginOf(dayAfter(days.dayAt(now), 1 - count))
}

const isSpan = (since: string): since is CostSpan => since in COST_SPANS

/** So many days later. */
const dayAfter = (day: Day, count: number): Day => dayOfNumber(numberOfDay(day) + count)

/** Days without anything as well, oldest first, from the first to the last that is known. */
export function everyDay(days: readonly Day[]): Day[] {
  const numbers = days.map(numberOfDay).filter((number) => !Number.isNaN(number))
  if (numbers.length === 0) return []
  const last = numbers.reduce((a, b) => Math.max(a, b))
  const first = Math.max(
    numbers.reduce((a, b) => Math.min(a, b)),
    last - (MOST_DAYS - 1),
  )
  return Array.from({ length: last - first + 1 }, (_, at) => dayOfNumber(first + at))
}

/** The first and last day that are to be drawn, where the person chose them. */
export function chartBounds(search: CostsSearch, now = Date.now(), timeZone = ownTimeZone()): Day[] {
  const { since, until } = costsInput(search, now, timeZone)
  if (since === undefined) return []
  const days = new ZoneDays(timeZone)
  return [days.dayAt(Date.parse(since)), days.dayAt(until === undefined ? now : Date.parse(until) - 1)]
}

/** Bars beside one another; one old day must not make the picture endless. */
const MOST_DAYS = 400

/** Where a row leads: to what it is of, or to how that came about. `null` = nowhere. */
export function costRowPath(
  search: CostsSearch,
  row: { key: string; sessionId: string | null; taskId: string | null },
  paths: { session(id: string): string; task(id: string): string },
): string | null {
  const { by = 'project' } = search
  if (row.sessionId !== null) return paths.session(row.sessionId)
  if (row.taskId !== null) return paths.task(row.taskId)
  switch (by) {
    case 'project':
      return row.key.startsWith('project:') ? costsPath({ ...search, by: 'day', project: row.key }) : null
    case 'model':
      return row.key === '' ? null : costsPath({ ...search, by: 'day', model: row.key })
    case 'day': {
      if (dayOf(row.key) === undefined) return null
      const { since: _since, until: _until, ...rest } = search
      return costsPath({
        ...rest,
        by: search.project === undefined ? 'project' : 'session',
        since: row.key,
        until: row.key,
      })
    }
    default:
      return null
  }
}
