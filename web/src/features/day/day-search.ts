import { type Day, dayOfNumber, numberOfDay, type ZoneDays } from '#domain/cost/zone-days'
import { type Search, textOf, writeSearch } from '../../lib/search'

/** What the page of a day shows. */
export interface DaySearch {
  /** Default: today, in the person's time zone. */
  day?: Day
  /** A moment of it, ISO 8601. Default: its first work. */
  t?: string
  /** A project's entry in the tree, its folder or its name. */
  project?: string
  /** The name of an agent CLI. */
  agent?: string
}

/** Parses the search part of the page of a day. */
export function parseDaySearch(search: Search): DaySearch {
  const [day, t] = [dayOf(search.day), instantOf(search.t)]
  const [project, agent] = [textOf(search.project), textOf(search.agent)]
  return { ...(day && { day }), ...(t && { t }), ...(project && { project }), ...(agent && { agent }) }
}

export const dayPath = (search: DaySearch): string => `/day${writeSearch({ ...search })}`

function dayOf(value: string | undefined): Day | undefined {
  if (value === undefined || !/^\d{4}-\d\d-\d\d$/.test(value)) return undefined
  const number = numberOfDay(value)
  return !Number.isNaN(number) && dayOfNumber(number) === value ? value : undefined
}

function instantOf(value: string | undefined): string | undefined {
  const at = value === undefined ? Number.NaN : Date.parse(value)
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

/** The day `count` days later. */
export const dayAfter = (day: Day, count: number): Day => dayOfNumber(numberOfDay(day) + count)

/** When a day begins and when the next one does, in milliseconds: 23 or 25 hours apart where clocks are put forward or back. */
export function boundsOf(day: Day, days: ZoneDays): { from: number; to: number } {
  const from = days.beginOf(day)
  // A day that the zone left out begins with the next one, and has no time of its own.
  return { from, to: Math.max(days.beginOf(dayAfter(day, 1)), from + 1_000) }
}
