import type { Inputs } from '#api/contract/operations/index'
import { COST_STACKS, type CostStack } from '#domain/cost/cost'
import { COST_STEPS, type CostStep, MOST_COST_PERIODS, STEP_MS } from '#domain/cost/periods'
import { type Day, dayOfNumber, numberOfDay, type TimeZone, ZoneDays } from '#domain/cost/zone-days'
import { COST_GROUPS, type CostGroup } from '#domain/overview/tree-entry'
import { DAY_MS } from '#domain/time-units'
import { oneOf, type Search, textOf, writeSearch } from '../../lib/search'

/** Time spans up to now, in days; `all` is unlimited. */
export const COST_SPANS = { '24h': 1, '7d': 7, '30d': 30, all: null } as const
export type CostSpan = keyof typeof COST_SPANS
/** Names of the spans, the shortest first. */
export const COST_SPAN_NAMES = Object.keys(COST_SPANS) as CostSpan[]
/** The span if the address names none. */
export const DEFAULT_COST_SPAN: CostSpan = '30d'

export interface CostsSearch {
  /** Default: by project. */
  by?: CostGroup
  /** A span up to now, or the first day in the person's time zone. Default: `DEFAULT_COST_SPAN`, or all days up to `until`. */
  since?: CostSpan | Day
  /** The last day, inclusive. */
  until?: Day
  /** The ID of a project's entry in the tree, or a project's folder or name. */
  project?: string
  model?: string
  /** The name of an agent CLI. */
  agent?: string
  session?: string
  task?: string
  /** How the chart splits its bars. Default: by model. */
  stack?: CostStack
  /** How long the chart's periods are. Default: by the span. */
  step?: CostStep
  /** A part of the chart that the rows are narrowed to: ISO 8601. */
  from?: string
  to?: string
}

/** Parses the search part of the costs page. */
export function parseCostsSearch(search: Search): CostsSearch {
  const found: CostsSearch = {}
  const by = oneOf(COST_GROUPS, search.by)
  const since = oneOf(COST_SPAN_NAMES, search.since) ?? dayOf(search.since)
  const until = dayOf(search.until)
  if (by !== undefined) found.by = by
  if (since !== undefined) found.since = since
  if (until !== undefined) found.until = until
  const [stack, step] = [oneOf(COST_STACKS, search.stack), oneOf(COST_STEPS, search.step)]
  if (stack !== undefined) found.stack = stack
  if (step !== undefined) found.step = step
  const [from, to] = [instantOf(search.from), instantOf(search.to)]
  if (from !== undefined && to !== undefined && from < to) Object.assign(found, { from, to })
  for (const name of ['project', 'model', 'agent', 'session', 'task'] as const) {
    const value = textOf(search[name])
    if (value !== undefined) found[name] = value
  }
  return found
}

/** Path of the costs page. */
export const costsPath = (search: CostsSearch): string => `/costs${writeSearch({ ...search })}`

function dayOf(value: string | undefined): Day | undefined {
  if (value === undefined || !/^\d{4}-\d\d-\d\d$/.test(value)) return undefined
  const number = numberOfDay(value)
  return !Number.isNaN(number) && dayOfNumber(number) === value ? value : undefined
}

function instantOf(value: string | undefined): string | undefined {
  const at = value === undefined ? Number.NaN : Date.parse(value)
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

/** The chosen span; `null` if the person chose days. */
export function spanOf({ since, until }: CostsSearch): CostSpan | null {
  if (until !== undefined) return null
  return since === undefined ? DEFAULT_COST_SPAN : (oneOf(COST_SPAN_NAMES, since) ?? null)
}

/** Characters of a model's name that the API takes. */
const MAX_MODEL_CHARACTERS = 200
/** Rows of one response at most; enough for more than a year of days. */
export const MAX_COST_ROWS = 500

/**
 * The request for the rows of a search.
 *
 * @param now       milliseconds since the epoch
 * @param timeZone  the person's time zone
 */
export function costsInput(search: CostsSearch, now: number, timeZone: TimeZone): Inputs['costs'] {
  const { by = 'project', from, to } = search
  return {
    by,
    limit: MAX_COST_ROWS,
    ...spanInput(search, now, timeZone),
    ...filterInput(search, timeZone),
    ...(from !== undefined && to !== undefined && { since: from, until: to }),
  }
}

/** The chart begins this many weeks before its end at the earliest. */
const MOST_WEEKS = 1_400

/** The request for the chart of a search. */
export function chartInput(search: CostsSearch, now: number, timeZone: TimeZone) {
  const { since, until } = spanInput(search, now, timeZone)
  const end = until === undefined ? now : Date.parse(until)
  const earliest = end - MOST_WEEKS * STEP_MS.week
  const begin = since === undefined ? earliest : Math.max(earliest, Date.parse(since))
  const spanMs = end - begin
  const steps = COST_STEPS.filter((step) => spanMs / STEP_MS[step] <= MOST_COST_PERIODS)
  const usual = spanMs <= MOST_DAYS_OF_HOURS * DAY_MS ? 'hour' : spanMs <= MOST_DAYS * DAY_MS ? 'day' : 'week'
  const step = search.step !== undefined && steps.includes(search.step) ? search.step : usual
  return {
    steps,
    input: {
      ...{
        step,
        stack: search.stack ?? 'model',
        since: new Date(begin).toISOString(),
        ...(until !== undefined && { until }),
      },
      ...filterInput(search, timeZone),
    } satisfies Inputs['costsOverTime'],
  }
}

/** Longer spans are drawn by day, and longer ones than `MOST_DAYS` by week, unless the person chooses. */
const MOST_DAYS_OF_HOURS = 2
const MOST_DAYS = 92

/** Whether the search has a beginning, so that the time before it can be compared. */
export const hasBegin = (search: CostsSearch): boolean =>
  spanOf(search) !== 'all' && (search.since !== undefined || search.until === undefined)

function spanInput(search: CostsSearch, now: number, timeZone: TimeZone): { since?: string; until?: string } {
  const days = new ZoneDays(timeZone)
  const since = beginOf(search, now, days)
  const { until } = search
  return {
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    ...(until !== undefined && { until: new Date(days.beginOf(dayAfter(until, 1))).toISOString() }),
  }
}

const filterInput = ({ project, model, agent, session, task }: CostsSearch, timeZone: TimeZone) => ({
  timeZone,
  ...(project !== undefined && { project }),
  ...(model !== undefined && { model: model.slice(0, MAX_MODEL_CHARACTERS) }),
  ...(agent !== undefined && { agent }),
  ...(session !== undefined && { sessionId: session }),
  ...(task !== undefined && { taskId: task }),
})

function beginOf(search: CostsSearch, now: number, days: ZoneDays): number | undefined {
  const span = spanOf(search)
  if (span === null) return search.since === undefined || isSpan(search.since) ? undefined : days.beginOf(search.since)
  const count = COST_SPANS[span]
  if (count === null) return undefined
  // Whole days, except for the last 24 hours: half a first day would look like a quiet one.
  if (count === 1) return now - DAY_MS
  return days.beginOf(dayAfter(days.dayAt(now), 1 - count))
}

const isSpan = (since: string): since is CostSpan => since in COST_SPANS

/** The day `count` days later. */
const dayAfter = (day: Day, count: number): Day => dayOfNumber(numberOfDay(day) + count)

/** The path that a row links to: its session or task, or a breakdown. `null` if there is none. */
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
    case 'agent':
      return row.key === '' ? null : costsPath({ ...search, by: 'day', agent: row.key })
    case 'day': {
      if (dayOf(row.key) === undefined) return null
      const { since: _since, until: _until, from: _from, to: _to, ...rest } = search
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
