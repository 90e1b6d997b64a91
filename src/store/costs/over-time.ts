import { sql } from 'kysely'
import type { CostsOverTime, CostTimeRequest } from '../../domain/cost/cost'
import { addCosts, NO_COST } from '../../domain/cost/price'
import { modelUsage } from '../record/model-usage'
import { readMerged } from '../session/reads/merged'
import { isoTime, type ReadContext } from '../sql/read-context'
import { readProjects } from '../tree-levels/projects'
import { messagesOf } from './conditions'
import { keyOf } from './groups'
import { GrowingCosts, HOUR_SUMS, type MessageSums } from './message-sums'
import { NO_NAME, readNames } from './names'
import { readTimed } from './timed-sums'

/** Stacks that an answer tells apart: more colours than these nobody tells apart. */
const MOST_STACKS = 7

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

const isNarrowed = ({ project, model, agent, sessionId, taskId }: CostTimeRequest): boolean =>
  [project, model, agent, sessionId, taskId].some((one) => one !== undefined)

/** What was made, and the usage of the completed tasks' recorded messages. */
async function readMade(context: ReadContext, { since, until }: CostTimeRequest): Promise<CostsOverTime['made']> {
  const { db, costOf } = context
  const end = until ?? Number.MAX_SAFE_INTEGER
  // As an expression: the index by the end has the status as well, that by the status does not have the end.
  const completed = sql`coalesce(t.status, '') = 'completed' and t.finished_at >= ${since} and t.finished_at < ${end}`
  const [tasks, sums, products, merged] = await Promise.all([
    sql<{ count: number }>`select count(*) as count from tasks t where ${completed}`.execute(db),
    sql<MessageSums>`
      select ${sql.raw(HOUR_SUMS)} from usage_tasks u join tasks t on t.id = u.task_id where ${completed} group by u.model
    `.execute(db),
    sql<{ kind: string; count: number }>`
      select p.kind, count(distinct p.name) as count from session_products p
       where p.at >= ${since} and p.at < ${end} group by p.kind
    `.execute(db),
    readMerged(context, sql`p.at < ${end}`),
  ])
  const cost = sums.rows.reduce((sum, row) => addCosts(sum, costOf(modelUsage(row))), NO_COST)
  const count = (kind: string) => Number(products.rows.find((row) => row.kind === kind)?.count ?? 0)
  return {
    completedTasks: Number(tasks.rows[0]?.count ?? 0),
    taskCostUsd: sums.rows.length === 0 ? null : cost.costUsd,
    pullRequests: count('pull_request'),
    mergedRequests: [...merged.values()].filter((at) => at >= since && at < end).length,
    commits: count('commit'),
  }
}
