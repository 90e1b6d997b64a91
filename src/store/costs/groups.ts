import { type RawBuilder, sql } from 'kysely'
import type { CostRequest } from '../../domain/cost/cost'
import { dayOfNumber, ZoneDays } from '../../domain/cost/zone-days'
import { treeId } from '../../domain/overview/tree-id'
import type { ReadContext } from '../sql/read-context'
import type { Projects } from '../tree-levels/projects'
import { addSums, MESSAGE_SUMS, type MessageSums, ONE_MESSAGE, SESSION_SUMS, selectMessages } from './message-sums'
import { type TaskSpan, taskAt } from './task-spans'

/** Sums with what they are of: a text, or the key of a session or task, which is named later; `null` = of none. */
export type Grouped = MessageSums & { of: string | number | null }

/** What groupings look things up in. */
export interface CostFacts {
  projects: Projects
  spans: ReadonlyMap<number, TaskSpan[]>
}

/** Each is of one day in any zone: offsets are multiples of it, and since 2016 clocks change between two of them. */
const QUARTER_HOUR_MS = 900_000

/** Sums of the messages by what is asked for. */
export async function groupMessages(
  context: ReadContext,
  request: Pick<CostRequest, 'by' | 'timeZone' | 'since' | 'until' | 'taskId'>,
  where: RawBuilder<unknown>,
  { projects, spans }: CostFacts,
): Promise<Grouped[]> {
  const select = async <Key>(of: string, joins = '') =>
    await selectMessages<{ of: Key }>(context, `${of} as of, ${MESSAGE_SUMS}`, { joins, where, groupBy: of })
  const { since, until, taskId } = request
  const isOfAllTime = since === undefined && until === undefined && taskId === undefined
  /** By what a session is, rather than a message. */
  const ofSessions = async <Key>(of: string, joins = '', condition = where) =>
    await selectMessages<{ of: Key }>(context, `${of} as of, ${isOfAllTime ? SESSION_SUMS : MESSAGE_SUMS}`, {
      ...{ joins, where: condition, groupBy: of },
      from: isOfAllTime ? 'usage_sessions' : 'usage_messages',
    })
  switch (request.by) {
    case 'project':
      return (await ofSessions<number | null>('s.project_id', 'join sessions s on s.id = u.session_id')).map((row) => ({
        ...row,
        of: projects.ofRow(row.of),
      }))
    case 'day':
      return byDay(await select<number | null>(QUARTER_HOUR), new ZoneDays(request.timeZone))
    case 'model':
      return await ofSessions<string>('u.model')
    case 'agent':
      return await ofSessions<string>('s.agent', 'join sessions s on s.id = u.session_id')
    case 'subagent':
      return await byAgent(context, await select<number>('u.subagent_id'))
    case 'session':
      return await ofSessions<number>('u.session_id')
    case 'task':
      return await byTask(
        context,
        where,
        spans,
        async (condition) => await ofSessions<number>('u.session_id', '', condition),
      )
  }
}

/** Rounded down before 1970 as well. */
const QUARTER_HOUR = `(u.at - case when u.at < 0 then ${QUARTER_HOUR_MS - 1} else 0 end) / ${QUARTER_HOUR_MS}`

/** When clocks change is known here and not to every database, so it tells quarter hours, of which days are made here. */
function byDay(rows: readonly (MessageSums & { of: number | null })[], days: ZoneDays): Grouped[] {
  const byModel = new Map<string, Map<number | null, MessageSums & { of: number | null }>>()
  for (const row of rows) {
    let ofModel = byModel.get(row.model)
    if (ofModel === undefined) {
      ofModel = new Map()
      byModel.set(row.model, ofModel)
    }
    const day = row.of === null ? null : days.numberAt(row.of * QUARTER_HOUR_MS)
    const sums = ofModel.get(day)
    if (sums === undefined) ofModel.set(day, { ...row, of: day })
    else addSums(sums, row)
  }
  return [...byModel.values()].flatMap((ofModel) =>
    [...ofModel.values()].map((row) => ({ ...row, of: row.of === null ? null : dayOfNumber(row.of) })),
  )
}

/** Under `main`, `internal` (the CLI's own), or `agent:` with the type that it was launched as. To join each message was slower. */
async function byAgent({ db, capabilities }: ReadContext, rows: readonly (MessageSums & { of: number })[]) {
  const agents = await db
    .selectFrom('subagents')
    .select(['id', 'kind', 'type'])
    .where((eb) => capabilities.inKeys(eb.ref('id'), [...new Set(rows.map(({ of }) => of))]))
    .execute()
  const keys = new Map(agents.map(({ id, kind, type }) => [id, kind === 'internal' ? kind : `${kind}:${type ?? ''}`]))
  return rows.map((row) => ({ ...row, of: row.of === 0 ? 'main' : (keys.get(row.of) ?? 'agent:') }))
}

/** Sessions of one task are added up whole; of those that went through several each message is looked at. */
async function byTask(
  context: ReadContext,
  where: RawBuilder<unknown>,
  spans: ReadonlyMap<number, TaskSpan[]>,
  ofSessions: (condition: RawBuilder<unknown>) => Promise<(MessageSums & { of: number })[]>,
): Promise<Grouped[]> {
  const shared = [...spans].filter(([, all]) => all.length > 1).map(([key]) => key)
  const isShared = context.capabilities.inKeys(sql.ref<number>('u.session_id'), shared)
  const whole = await ofSessions(shared.length === 0 ? where : sql`${where} and not ${isShared}`)
  const parts =
    shared.length === 0
      ? []
      : await selectMessages<{ of: number }>(context, `u.session_id as of, ${ONE_MESSAGE}`, {
          joins: '',
          where: sql`${where} and ${isShared}`,
          groupBy: null,
        })
  const taskOf = (session: number, at: number | null) => taskAt(spans.get(session) ?? [], at) ?? null
  return [
    ...whole.map((row) => ({ ...row, of: taskOf(row.of, null) })),
    ...parts.map((row) => ({ ...row, of: taskOf(row.of, row.last_at) })),
  ]
}

/** A row's key as it is told, where it needs no look-up. */
export function keyOf(by: CostRequest['by'], of: string | number | null): string {
  if (by === 'project') return treeId({ kind: 'project', key: of === null ? null : String(of) })
  return of === null ? '' : String(of)
}
