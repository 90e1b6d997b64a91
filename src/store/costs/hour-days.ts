/** Days of a time zone, told by the database of the hours that sums are kept of: a year has thousands of hours. */
import { sql } from 'kysely'
import type { ZoneDays } from '../../domain/cost/zone-days'
import { HOUR_MS } from '../../domain/time-units'
import { UNKNOWN_HOUR } from '../migrations/costs/usage-sums'
import type { ReadContext } from '../sql/read-context'

/** A year after 1970: whatever the zone, days of it have numbers above 0. */
const FIRST_HOUR = 366 * 24

/**
 * The number of the day that an hour is of, as an expression on the hour's number; null of the hour that is not known.
 *
 * @returns `undefined` = days begin within hours there, or hours may be from before 1971
 */
export async function daysOfHours(
  { db }: ReadContext,
  { since, until }: { since?: number | undefined; until?: number | undefined },
  zone: ZoneDays,
): Promise<((hour: string) => string) | undefined> {
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    select (select min(hour) from usage_hours where hour > ${UNKNOWN_HOUR}) as first, (select max(hour) from usage_hours) as last
  `.execute(db)
  const [{ first, last } = { first: null, last: null }] = rows
  const from = since === undefined ? Number(first ?? FIRST_HOUR) : Math.floor(since / HOUR_MS)
  const to = until === undefined ? Number(last ?? from) + 1 : Math.ceil(until / HOUR_MS)
  const spans = from < FIRST_HOUR ? undefined : zone.wholeHours(from, to)
  if (spans === undefined) return undefined
  const newest = spans.pop()?.east ?? 0
  const parts = (hour: string) => spans.map(({ upTo, east }) => `when ${hour} < ${upTo} then ${east}`).join(' ')
  const east = (hour: string) => (spans.length === 0 ? newest : `case ${parts(hour)} else ${newest} end`)
  return (hour) => `case when ${hour} > ${UNKNOWN_HOUR} then (${hour} + ${east(hour)}) / 24 end`
}
