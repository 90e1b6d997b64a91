import { sql } from 'kysely'
import type { CostPart, CostStack, CostsOverTime, CostTimeRequest } from '../../domain/cost/cost'
import { beginOfPeriod } from '../../domain/cost/periods'
import { addCosts, type Cost, NO_COST } from '../../domain/cost/price'
import { ZoneDays } from '../../domain/cost/zone-days'
import { modelUsage } from '../record/model-usage'
import { isoTime, type ReadContext } from '../sql/read-context'
import { type Projects, readProjects } from '../tree-levels/projects'
import { isBetween, type MessageConditions, messagesOf } from './conditions'
import { GROUPINGS, keyOf, messagesBy, QUARTER_HOUR, QUARTER_HOUR_MS } from './groups'
import { HOUR_MS, selectByHours } from './hour-sums'
import { GrowingCosts, type MessageSums } from './message-sums'
import { NO_NAME, readNames } from './names'

/** Stacks that an answer tells apart: more colours than these nobody tells apart. */
const MOST_STACKS = 7

/** Sums of one model within a part of the time, of one stack. */
interface TimedSums {
  /** Milliseconds since the epoch; the whole part is of one period. */
  at: number
  stack: string | null
  sums: MessageSums
}

/** Costs by period and stack, by the sums that are kept of hours. */
export async function readCostsOverTime(context: ReadContext, request: CostTimeRequest): Promise<CostsOverTime> {
  const projects = await readProjects(context)
  const conditions = await messagesOf(context, request, projects)
  const beginOf = periodsOf(request)
  const byStack = new Map<string | null, GrowingCosts>()
  const byPeriod = new Map<number, Map<string | null, { cost: Cost; tokens: number }>>()
  for (const { at, stack, sums } of await readTimed(context, request, conditions, projects)) {
    const cost = context.costOf(modelUsage(sums))
    const whole = byStack.get(stack) ?? new GrowingCosts()
    byStack.set(stack, whole)
    whole.add(sums, cost)
    const begin = beginOf(at)
    const parts = byPeriod.get(begin) ?? new Map()
    byPeriod.set(begin, parts)
    const part = parts.get(stack) ?? { cost: NO_COST, tokens: 0 }
    parts.set(stack, { cost: addCosts(part.cost, cost), tokens: part.tokens + tokensOf(sums) })
  }
  const ranked = [...byStack].sort(
    ([, a], [, b]) => (b.sums().costUsd ?? -1) - (a.sums().costUsd ?? -1) || b.tokens - a.tokens,
  )
  const shown = ranked.slice(0, ranked.length > MOST_STACKS + 1 ? MOST_STACKS : ranked.length)
  const rest = ranked.slice(shown.length)
  const names = await readNames(
    context,
    request.stack,
    shown.map(([key]) => key),
    projects,
  )
  const stacks: CostsOverTime['stacks'] = shown.map(([of, costs]) => ({
    key: keyOf(request.stack, of),
    label: names.get(of)?.label ?? NO_NAME[request.stack],
    ...summary(costs.sums(), costs.tokens),
  }))
  if (rest.length > 0) {
    const cost = rest.reduce((sum, [, costs]) => addCosts(sum, costs.sums()), NO_COST)
    const tokens = rest.reduce((sum, [, costs]) => sum + costs.tokens, 0)
    stacks.push({ key: null, label: `${rest.length} others`, ...summary(cost, tokens) })
  }
  const place = new Map(ranked.map(([of], at) => [of, Math.min(at, shown.length)]))
  return {
    stacks,
    periods: [...byPeriod]
      .sort(([a], [b]) => a - b)
      .map(([begin, parts]) => ({ begin: isoTime(begin), parts: partsOf(parts, place) })),
    made: isNarrowed(request) ? null : await readMade(context, request),
  }
}

const summary = ({ costUsd, isEstimate }: Cost, tokens: number) => ({ costUsd, isEstimate, tokens })

const tokensOf = ({ input, output, cache_read, cache_creation }: MessageSums): number =>
  input + output + cache_read + cache_creation

function partsOf(
  parts: ReadonlyMap<string | null, { cost: Cost; tokens: number }>,
  place: ReadonlyMap<string | null, number>,
): CostPart[] {
  const found = new Map<number, { cost: Cost; tokens: number }>()
  for (const [of, part] of parts) {
    const stack = place.get(of) ?? 0
    const before = found.get(stack) ?? { cost: NO_COST, tokens: 0 }
    found.set(stack, { cost: addCosts(before.cost, part.cost), tokens: before.tokens + part.tokens })
  }
  return [...found]
    .sort(([a], [b]) => a - b)
    .map(([stack, { cost, tokens }]) => ({ stack, costUsd: cost.costUsd, tokens }))
}

/** Tells when the period of a time begins; remembers it, since to ask a zone takes microseconds. */
function periodsOf({ step, timeZone }: CostTimeRequest): (at: number) => number {
  const days = new ZoneDays(timeZone)
  const begins = new Map<number, number>()
  return (at) => {
    const begin = begins.get(at) ?? beginOfPeriod(step, at, days)
    begins.set(at, begin)
    return begin
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
  const { stack } = request
  const of = GROUPINGS[stack]
  const quarters = async (inTime: MessageConditions['inTime']) =>
    timed(
      await messagesBy<string>(context, { ...conditions, inTime }, withTime(QUARTER_HOUR, of.ofMessages), of.joins),
      QUARTER_HOUR_MS,
    )
  const timed = (rows: (MessageSums & { of: string })[], unitMs: number): TimedSums[] =>
    rows.map((sums) => {
      const cut = sums.of.indexOf(BETWEEN)
      return {
        at: Number(sums.of.slice(0, cut)) * unitMs,
        stack: stackOf(stack, sums.of.slice(cut + 1), projects),
        sums,
      }
    })
  if (ofHours === null) return await quarters(conditions.inTime)
  const rows = timed(
    await selectByHours<string>(
      context,
      request,
      { ...conditions, ofHours },
      {
        ofHours: withTime('u.hour', of.ofHours),
        ofMessages: withTime(GROUPINGS.day.ofMessages, of.ofMessages),
        joins: of.joins,
      },
    ),
    HOUR_MS,
  )
  const beginOf = periodsOf(request)
  const isWhole = ({ at }: TimedSums) => beginOf(at) === beginOf(at + HOUR_MS - 1)
  const cut = [...new Set(rows.filter((row) => !isWhole(row)).map(({ at }) => at))]
  if (cut.length === 0) return rows
  const parts = cut.map((at) => isBetween(at, at + HOUR_MS))
  return [...rows.filter(isWhole), ...(await quarters(sql`${conditions.inTime} and (${sql.join(parts, sql` or `)})`))]
}

const withTime = (time: string, of: string): string =>
  `cast(${time} as text) || '${BETWEEN}' || coalesce(cast(${of} as text), '')`

function stackOf(stack: CostStack, text: string, projects: Projects): string | null {
  if (stack === 'project') return projects.ofRow(text === '' ? null : Number(text))
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
      select u.model, cast(sum(u.messages) as bigint) as messages, max(u.last_at) as last_at,
             cast(sum(u.input) as bigint) as input, cast(sum(u.output) as bigint) as output,
             cast(sum(u.cache_read) as bigint) as cache_read, cast(sum(u.cache_creation) as bigint) as cache_creation,
             cast(sum(u.cache_creation_1h) as bigint) as cache_creation_1h,
             cast(sum(u.web_searches) as bigint) as web_searches,
             cast(sum(u.stated_nano_usd) as bigint) as stated_nano_usd
        from usage_tasks u join tasks t on t.id = u.task_id where ${completed} group by u.model
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
