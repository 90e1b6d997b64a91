/** Sums of messages by period and stack, from sums of hours where those know what is asked for. */
import type { CostStack, CostTimeRequest } from '../../domain/cost/cost'
import { periodBegins } from '../../domain/cost/periods'
import { dayOfNumber, ZoneDays } from '../../domain/cost/zone-days'
import { readShare } from '../../domain/task/placement/placement'
import { HOUR_MS } from '../../domain/time-units'
import type { ReadContext } from '../sql/read-context'
import type { Projects } from '../tree-levels/projects'
import type { MessageConditions } from './conditions'
import { GROUPINGS, messagesBy, messagesOfHours, QUARTER_HOUR, QUARTER_HOUR_MS, SESSION_JOIN } from './groups'
import { daysOfHours } from './hour-days'
import { type HourGrouping, selectByHours } from './hour-sums'
import type { MessageSums } from './message-sums'

/** The share of the newest task whose conversation a session is, as the list of sessions has it. */
const OF_PERSON: HourGrouping = { ofHours: 'u.share', ofMessages: 's.share', joins: SESSION_JOIN }

/** Sums of one model within a part of the time that is of one period, of one stack. Times in milliseconds since the epoch. */
export interface TimedSums {
  begin: number
  stack: string | null
  sums: MessageSums
}

/** Between the week, day, hour or quarter hour and what the sums are of. */
const BETWEEN = ' '

/** By the database: a year has thousands of hours. By hours where a day begins within one, of which the quarter hours are read. */
export async function readTimed(
  context: ReadContext,
  request: CostTimeRequest,
  conditions: MessageConditions,
  projects: Projects,
): Promise<TimedSums[]> {
  const { ofHours } = conditions
  const { step, stack, timeZone } = request
  const { joins, ...of } = stack === 'person' ? OF_PERSON : GROUPINGS[stack]
  const zone = new ZoneDays(timeZone)
  const beginOf = periodBegins(step, zone)
  const ofQuarters = withTime(QUARTER_HOUR, of.ofMessages)
  const timed = ({ of: text, ...sums }: MessageSums & { of: string }, timeOf: (unit: number) => number) => {
    const cut = text.indexOf(BETWEEN)
    const at = timeOf(Number(text.slice(0, cut)))
    return { at, begin: beginOf(at), stack: stackOf(stack, text.slice(cut + 1), projects), sums }
  }
  const quarters = (rows: (MessageSums & { of: string })[]) =>
    rows.map((row) => timed(row, (quarter) => quarter * QUARTER_HOUR_MS))
  if (ofHours === null) return quarters(await messagesBy<string>(context, conditions, ofQuarters, joins))
  const byHours = async (unitOf: (hour: string) => string) =>
    await selectByHours<string>(
      context,
      request,
      { ...conditions, ofHours },
      {
        ofHours: withTime(unitOf('u.hour'), of.ofHours),
        ofMessages: withTime(unitOf(GROUPINGS.day.ofMessages), of.ofMessages),
        joins,
      },
    )
  const dayOf = step === 'hour' ? undefined : await daysOfHours(context, request, zone)
  if (dayOf !== undefined) {
    const begins = new Map<number, number>()
    const beginsWith = (number: number) => zone.beginOf(dayOfNumber(step === 'week' ? firstDayOf(number) : number))
    return (await byHours((hour) => (step === 'week' ? weekOf(dayOf(hour)) : dayOf(hour)))).map((row) =>
      timed(row, (number) => {
        const begin = begins.get(number) ?? beginsWith(number)
        begins.set(number, begin)
        return begin
      }),
    )
  }
  const hours = (await byHours((hour) => hour)).map((row) => timed(row, (hour) => hour * HOUR_MS))
  const [whole, cut] = [[] as TimedSums[], new Set<number>()]
  for (const hour of hours) {
    if (hour.begin === beginOf(hour.at + HOUR_MS - 1)) whole.push(hour)
    else cut.add(hour.at / HOUR_MS)
  }
  return [...whole, ...quarters(await messagesOfHours<string>(context, conditions, [...cut], ofQuarters, joins))]
}

/** Weeks are numbered from the one of 1970's first Monday, which was the fifth day. */
const weekOf = (day: string): string => `((${day} - 4) / 7)`
const firstDayOf = (week: number): number => 7 * week + 4

const withTime = (time: string, of: string): string =>
  `cast(${time} as text) || '${BETWEEN}' || coalesce(cast(${of} as text), '')`

function stackOf(stack: CostStack, text: string, projects: Projects): string | null {
  if (stack === 'project') return projects.ofRow(text === '' ? null : Number(text))
  if (stack === 'person') return readShare(text).user || null
  return text === '' ? null : text
}
