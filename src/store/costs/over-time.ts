import { sql } from 'kysely'
import type { CostStack, CostsOverTime, CostTimeRequest } from '../../domain/cost/cost'
import { periodBegins } from '../../domain/cost/periods'
import { addCosts, NO_COST } from '../../domain/cost/price'
import { ZoneDays } from '../../domain/cost/zone-days'
import { readShare } from '../../domain/task/placement'
import { modelUsage } from '../record/model-usage'
import { isoTime, type ReadContext } from '../sql/read-context'
import { type Projects, readProjects } from '../tree-levels/projects'
import { type MessageConditions, messagesOf } from './conditions'
import { GROUPINGS, keyOf, messagesBy, messagesOfHours, QUARTER_HOUR, QUARTER_HOUR_MS } from './groups'
import { HOUR_MS, selectByHours } from './hour-sums'
import { GrowingCosts, HOUR_SUMS, type MessageSums } from './message-sums'
import { NO_NAME, readNames } from './names'

/** Stacks that an answer tells apart: more colours than these nobody tells apart. */
const MOST_STACKS = 7

/**
 * For whom the newest task was done whose conversation a session is, as the list of sessions has it. Sums of hours do not know it: a task
 * gets its conversation later than the first messages of it.
 */
const OF_PERSON = {
  ofMessages: 'done.share',
  joins: `join sessions s on s.id = u.session_id
    left join (select t.last_session_native_id as native_id, max(t.id) as id from tasks t
                where t.last_session_native_id is not null and t.share is not null
                group by t.last_session_native_id) newest on newest.native_id = s.native_id
    left join tasks done on done.id = newest.id`,
}

/** Sums of one model within a part of the time that is of one period, of one stack. Times in milliseconds since the epoch. */
interface TimedSums {
  begin: number
  stack: string | null
  sums: MessageSums
}

/** Costs by period and stack, by the sums that are kept of hours. */
export async function readCostsOverTime(context: ReadContext, request: CostTimeRequest): Promise<CostsOverTime> {
  const projects = await readProjects(context)
  const conditions = await messagesOf(context, request, projects)
  const timed = (await readTimed(context, request, conditions, projects)).map((part) => ({
    ...part,
    cost: context.costOf(modelUsage(part.sums)),
  }))
  const byStack = new SumsBy<string | null>()
  for (const { stack, sums, cost } of timed) byStack.of(stack).add(sums, cost)
  const ranked = [...byStack].sort(
    ([, a], [, b]) => (b.sums().costUsd ?? -1) - (a.sums().costUsd ?? -1) || b.tokens - a.tokens,
  )
  const shown = ranked.length > MOST_STACKS + 1 ? MOST_STACKS : ranked.length
  const placeOf = new Map(ranked.map(([of], at) => [of, Math.min(at, shown)]))
  const byPlace = new SumsBy<number>()
  const byPeriod = new Map<number, SumsBy<number>>()
  for (const { begin, stack, sums, cost } of timed) {
    const place = placeOf.get(stack) ?? shown
    const parts = byPeriod.get(begin) ?? new SumsBy<number>()
    byPeriod.set(begin, parts)
    for (const growing of [byPlace, parts]) growing.of(place).add(sums, cost)
  }
  const { stack } = request
  const keys = ranked.slice(0, shown).map(([of]) => of)
  const names = await readNames(context, stack, keys, projects)
  const nameOf = (of: string | null) => ({ key: keyOf(stack, of), label: names.get(of)?.label ?? NO_NAME[stack] })
  const rest = { key: null, label: `${ranked.length - shown} others` }
  return {
    stacks: byPlace.inOrder().map(([place, costs]) => {
      const { costUsd, isEstimate } = costs.sums()
      const of = keys[place]
      return { ...(of === undefined ? rest : nameOf(of)), costUsd, isEstimate, tokens: costs.tokens }
    }),
    periods: [...byPeriod]
      .sort(([a], [b]) => a - b)
      .map(([begin, parts]) => ({
        begin: isoTime(begin),
        parts: parts
          .inOrder()
          .map(([place, costs]) => ({ stack: place, costUsd: costs.sums().costUsd, tokens: costs.tokens })),
      })),
    made: isNarrowed(request) ? null : await readMade(context, request),
  }
}

/** Sums that grow, by what they are of. */
class SumsBy<Of extends string | number | null> extends Map<Of, GrowingCosts> {
  of(key: Of): GrowingCosts {
    const costs = this.get(key) ?? new GrowingCosts()
    this.set(key, costs)
    return costs
  }

  inOrder(): [Of, GrowingCosts][] {
    return [...this].sort(([a], [b]) => Number(a) - Number(b))
  }
}

/** Between the hour or quarter hour and what the sums are of. */
const BETWEEN = ' '

/** By hours where the sums of hours know what is asked for; of hours in which a period begins, by quarter hours. */
async function readTimed(
  context: ReadContext,
  request: CostTimeRequest,
  conditions: MessageConditions,
  projects: Projects,
): Promise<TimedSums[]> {
  const { ofHours } = conditions
  const { step, stack, timeZone } = request
  const { joins, ...of } = stack === 'person' ? { ...OF_PERSON, ofHours: null } : GROUPINGS[stack]
  const beginOf = periodBegins(step, new ZoneDays(timeZone))
  const ofQuarters = withTime(QUARTER_HOUR, of.ofMessages)
  const timed = ({ of: text, ...sums }: MessageSums & { of: string }, unitMs: number) => {
    const cut = text.indexOf(BETWEEN)
    const at = Number(text.slice(0, cut)) * unitMs
    return { at, begin: beginOf(at), stack: stackOf(stack, text.slice(cut + 1), projects), sums }
  }
  const quarters = (rows: (MessageSums & { of: string })[]) => rows.map((row) => timed(row, QUARTER_HOUR_MS))
  if (ofHours === null || of.ofHours === null)
    return quarters(await messagesBy<string>(context, conditions, ofQuarters, joins))
  const rows = await selectByHours<string>(
    context,
    request,
    { ...conditions, ofHours },
    { ofHours: withTime('u.hour', of.ofHours), ofMessages: withTime(GROUPINGS.day.ofMessages, of.ofMessages), joins },
  )
  const hours = rows.map((row) => timed(row, HOUR_MS))
  const [whole, cut] = [[] as TimedSums[], new Set<number>()]
  for (const hour of hours) {
    if (hour.begin === beginOf(hour.at + HOUR_MS - 1)) whole.push(hour)
    else cut.add(hour.at / HOUR_MS)
  }
  return [...whole, ...quarters(await messagesOfHours<string>(context, conditions, [...cut], ofQuarters, joins))]
}

const withTime = (time: string, of: string): string =>
  `cast(${time} as text) || '${BETWEEN}' || coalesce(cast(${of} as text), '')`

function stackOf(stack: CostStack, text: string, projects: Projects): string | null {
  if (stack === 'project') return projects.ofRow(text === '' ? null : Number(text))
  if (stack === 'person') return readShare(text).user || null
  return text === '' ? null : text
}

const isNarrowed = ({ project, model, agent, sessionId, taskId }: CostTimeRequest): boolean =>
  [project, model, agent, sessionId, taskId].some((one) => one !== undefined)

/** What was made, and what the recorded messages of the completed tasks come to. */
async function readMade(context: ReadContext, { since, until }: CostTimeRequest): Promise<CostsOverTime['made']> {
  const { db, costOf } = context
  const end = until ?? Number.MAX_SAFE_INTEGER
  const completed = sql`t.status = 'completed' and t.finished_at >= ${since} and t.finished_at < ${end}`
  const [tasks, sums, products] = await Promise.all([
    sql<{ count: number }>`select count(*) as count from tasks t where ${completed}`.execute(db),
    sql<MessageSums>`
      select ${sql.raw(HOUR_SUMS)} from usage_tasks u join tasks t on t.id = u.task_id where ${completed} group by u.model
    `.execute(db),
    sql<{ kind: string; count: number }>`
      select p.kind, count(distinct p.name) as count from session_products p
       where p.at >= ${since} and p.at < ${end} group by p.kind
    `.execute(db),
  ])
  const cost = sums.rows.reduce((sum, row) => addCosts(sum, costOf(modelUsage(row))), NO_COST)
  const count = (kind: string) => Number(products.rows.find((row) => row.kind === kind)?.count ?? 0)
  return {
    completedTasks: Number(tasks.rows[0]?.count ?? 0),
    taskCostUsd: sums.rows.length === 0 ? null : cost.costUsd,
    pullRequests: count('pull_request'),
    commits: count('commit'),
  }
}
