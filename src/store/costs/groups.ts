import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { CostRequest, CostStack } from '../../domain/cost/cost'
import { dayOfNumber, type TimeZone, ZoneDays } from '../../domain/cost/zone-days'
import { treeId } from '../../domain/overview/tree-id'
import { HOUR_MS, MINUTE_MS } from '../../domain/time-units'
import { HOUR_OF_MESSAGE, nodeOf, UNKNOWN_HOUR } from '../migrations/costs/usage-sums'
import { taskAt } from '../record/task-spans'
import type { ReadContext } from '../sql/read-context'
import type { Projects } from '../tree-levels/projects'
import { isBetween, type MessageConditions } from './conditions'
import { daysOfHours } from './hour-days'
import { type HourGrouping, selectByHours } from './hour-sums'
import { addSums, MESSAGE_SUMS, type MessageSums, ONE_MESSAGE, selectMessages } from './message-sums'
import { readSpansIn } from './task-spans'

/** Sums with what they are of: a text, or the key of a session or task, which is named later; `null` = of none. */
export type Grouped = MessageSums & { of: string | number | null }

type HourGroup = Exclude<CostRequest['by'], 'session' | 'task'>

/** Each is of one day in any zone: offsets are multiples of it, and since 2016 clocks change between two of them. */
export const QUARTER_HOUR_MS = 15 * MINUTE_MS

export const SESSION_JOIN = 'join sessions s on s.id = u.session_id'
const NODE = `case when u.subagent_id = 0 then 'main' else ${nodeOf('n')} end`

export const GROUPINGS: Readonly<Record<HourGroup, HourGrouping>> = {
  project: { ofHours: 'u.project_id', ofMessages: 's.project_id', joins: SESSION_JOIN },
  day: { ofHours: 'u.hour', ofMessages: HOUR_OF_MESSAGE, joins: '' },
  model: { ofHours: 'u.model', ofMessages: 'u.model', joins: '' },
  agent: { ofHours: 'u.agent', ofMessages: 's.agent', joins: SESSION_JOIN },
  subagent: { ofHours: 'u.node', ofMessages: NODE, joins: 'left join subagents n on n.id = u.subagent_id' },
}

/** Sums of the messages by what sums of hours know. */
export async function groupByHours(
  context: ReadContext,
  request: Pick<CostRequest, 'timeZone' | 'since' | 'until'> & { by: HourGroup },
  conditions: MessageConditions,
  projects: Projects,
): Promise<Grouped[]> {
  const { ofHours } = conditions
  const { ofMessages, joins, ...grouping } = GROUPINGS[request.by]
  const select = async () =>
    ofHours === null
      ? await messagesBy<string | number | null>(context, conditions, ofMessages, joins)
      : await selectByHours<string | number | null>(
          context,
          request,
          { ...conditions, ofHours },
          { ...grouping, ofMessages, joins },
        )
  switch (request.by) {
    case 'project':
      return (await select()).map((row) => ({ ...row, of: projects.ofRow(row.of === null ? null : Number(row.of)) }))
    case 'day': {
      if (ofHours === null)
        return byDay(await messagesBy<number | null>(context, conditions, QUARTER_HOUR), request.timeZone)
      const dayOf = await daysOfHours(context, request, new ZoneDays(request.timeZone))
      if (dayOf === undefined) return await hoursByDay(context, conditions, request.timeZone, await select())
      const rows = await selectByHours<number | null>(
        context,
        request,
        { ...conditions, ofHours },
        { ofHours: dayOf(grouping.ofHours), ofMessages: dayOf(ofMessages), joins },
      )
      return rows.map((row) => ({ ...row, of: row.of === null ? null : dayOfNumber(Number(row.of)) }))
    }
    default:
      return await select()
  }
}

export const messagesBy = async <Of>(
  context: ReadContext,
  { where, inTime }: Pick<MessageConditions, 'where' | 'inTime'>,
  of: string,
  joins = '',
): Promise<(MessageSums & { of: Of })[]> =>
  await selectMessages<{ of: Of }>(context, `${of} as of, ${MESSAGE_SUMS}`, {
    ...{ joins, groupBy: of },
    where: sql`${where} and ${inTime}`,
  })

/** Rounded down before 1970 as well. */
export const QUARTER_HOUR = `(u.at - case when u.at < 0 then ${QUARTER_HOUR_MS - 1} else 0 end) / ${QUARTER_HOUR_MS}`

/** When clocks change is known here and not to every database, so it tells quarter hours, of which days are made here. */
function byDay(rows: readonly (MessageSums & { of: number | null })[], timeZone: TimeZone): Grouped[] {
  const days = new ZoneDays(timeZone)
  return sumDays(
    rows.map((row) => ({ ...row, of: row.of === null ? null : days.numberAt(Number(row.of) * QUARTER_HOUR_MS) })),
  )
}

function sumDays(rows: readonly (MessageSums & { of: number | null })[]): Grouped[] {
  const byModel = new Map<string, Map<number | null, MessageSums & { of: number | null }>>()
  for (const row of rows) {
    let ofModel = byModel.get(row.model)
    if (ofModel === undefined) {
      ofModel = new Map()
      byModel.set(row.model, ofModel)
    }
    const sums = ofModel.get(row.of)
    if (sums === undefined) ofModel.set(row.of, row)
    else addSums(sums, row)
  }
  return [...byModel.values()].flatMap((ofModel) =>
    [...ofModel.values()].map((row) => ({ ...row, of: row.of === null ? null : dayOfNumber(row.of) })),
  )
}

/** Sums of whole hours: in some zones a day begins within one, of which the messages are read. */
async function hoursByDay(
  context: ReadContext,
  { where, inTime }: MessageConditions,
  timeZone: TimeZone,
  rows: readonly Grouped[],
): Promise<Grouped[]> {
  const days = new ZoneDays(timeZone)
  const cut = new Set<number>()
  const whole: (MessageSums & { of: number | null })[] = []
  for (const row of rows) {
    const hour = Number(row.of)
    if (hour === UNKNOWN_HOUR) {
      whole.push({ ...row, of: null })
      continue
    }
    const day = days.numberAt(hour * HOUR_MS)
    if (day === days.numberAt((hour + 1) * HOUR_MS - 1)) whole.push({ ...row, of: day })
    else cut.add(hour)
  }
  if (cut.size === 0) return sumDays(whole)
  const quarters = await messagesOfHours<number>(context, { where, inTime }, [...cut], QUARTER_HOUR)
  return sumDays([
    ...whole,
    ...quarters.map((row) => ({ ...row, of: days.numberAt(Number(row.of) * QUARTER_HOUR_MS) })),
  ])
}

/** Hours of which one statement reads the messages. */
const CUT_AT_ONCE = 100

/** The messages of some hours, which are numbered since 1970; a group may come in several rows. */
export async function messagesOfHours<Of>(
  context: ReadContext,
  { where, inTime }: Pick<MessageConditions, 'where' | 'inTime'>,
  hours: readonly number[],
  of: string,
  joins?: string,
): Promise<(MessageSums & { of: Of })[]> {
  const rows: (MessageSums & { of: Of })[] = []
  for (let at = 0; at < hours.length; at += CUT_AT_ONCE) {
    const parts = hours.slice(at, at + CUT_AT_ONCE).map((hour) => isBetween(hour * HOUR_MS, (hour + 1) * HOUR_MS))
    const isCut: RawBuilder<SqlBool> = sql`${inTime} and (${sql.join(parts, sql` or `)})`
    rows.push(...(await messagesBy<Of>(context, { where, inTime: isCut }, of, joins)))
  }
  return rows
}

/** By the task that had the session: sessions of one task are added up whole, of those of several each message is looked at. */
export async function groupByTask(context: ReadContext, { where, inTime }: MessageConditions): Promise<Grouped[]> {
  const meant = sql<SqlBool>`${where} and ${inTime}`
  const spans = await readSpansIn(context, meant)
  const shared = [...spans].filter(([, all]) => all.length > 1).map(([key]) => key)
  const { amongKeys, notInKeys } = context.capabilities
  const session = sql.ref<number>('u.session_id')
  const whole = await selectMessages<{ of: number }>(context, `u.session_id as of, ${MESSAGE_SUMS}`, {
    where: shared.length === 0 ? meant : sql`${meant} and ${notInKeys(session, shared)}`,
    groupBy: 'u.session_id',
  })
  const parts =
    shared.length === 0
      ? []
      : await selectMessages<{ of: number }>(context, `u.session_id as of, ${ONE_MESSAGE}`, {
          where: sql`${meant} and ${amongKeys(session, shared)}`,
          groupBy: null,
        })
  const taskOf = (session: number, at: number | null) => taskAt(spans.get(session) ?? [], at) ?? null
  return [
    ...whole.map((row) => ({ ...row, of: taskOf(row.of, null) })),
    ...parts.map((row) => ({ ...row, of: taskOf(row.of, row.last_at) })),
  ]
}

/** A row's key as it is shown, where it needs no look-up. */
export function keyOf(by: CostRequest['by'] | CostStack, of: string | number | null): string {
  if (by === 'project') return treeId({ kind: 'project', key: of === null ? null : String(of) })
  return of === null ? '' : String(of)
}
