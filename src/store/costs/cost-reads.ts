import { type RawBuilder, sql } from 'kysely'
import type { CostReads, CostRequest, CostRow, CostSums, Costs } from '../../domain/cost/cost'
import { type Cost, isStatedCost } from '../../domain/cost/price'
import { modelUsage } from '../record/model-usage'
import { checkLimit } from '../sql/cursor'
import { isoTime, type ReadContext } from '../sql/read-context'
import { type Projects, readProjects } from '../tree-levels/projects'
import { IS_UNSEEN } from '../unseen-agents'
import { type MessageConditions, messagesOf } from './conditions'
import { groupByHours, groupByTask, keyOf } from './groups'
import { GrowingCosts, type MessageSums } from './message-sums'
import { NO_NAME, readNames } from './names'
import { readCostsOverTime } from './over-time'
import { type ModelTotal, rankSessions, rankTasks } from './ranked'
import { readReplay } from './replay'
import { readCostsOf } from './task-costs'

/** Names of models that an answer tells: they are strangers' words. */
const MOST_UNPRICED = 100

/** Sums up usage, mostly by sums that are kept: on SQLite in the thread for long reads. */
export function costReads(context: ReadContext): CostReads {
  return {
    sum: (request) => sumCosts(context, request),
    overTime: (request) => readCostsOverTime(context, request),
    ofTasks: (ids) => readCostsOf(context, ids),
    replay: (session) => readReplay(context, session),
  }
}

/** What rows are made of. */
class Growing {
  readonly rows = new Map<string | number | null, GrowingCosts>()
  readonly total = new GrowingCosts()
  readonly models = { unpriced: new Set<string>(), estimated: new Set<string>(), stated: new Set<string>() }

  add(of: string | number | null, row: MessageSums, cost: Cost): void {
    const own = this.rows.get(of) ?? new GrowingCosts()
    this.rows.set(of, own)
    own.add(row, cost)
  }

  addTotal({ sums, cost, isUnpriced, isStated }: ModelTotal): void {
    this.total.add(sums, cost)
    if (isUnpriced) this.models.unpriced.add(sums.model)
    if (cost.isEstimate && !isUnpriced) this.models.estimated.add(sums.model)
    if (isStated) this.models.stated.add(sums.model)
  }
}

async function readGrowing(
  context: ReadContext,
  request: CostRequest,
  conditions: MessageConditions,
  projects: Projects,
): Promise<Growing> {
  const { by, since, until, taskId, limit } = request
  const { costOf } = context
  const growing = new Growing()
  const isOfAllTime = since === undefined && until === undefined && taskId === undefined
  if (by === 'session' || (by === 'task' && isOfAllTime)) {
    const { rows, totals } =
      by === 'session'
        ? await rankSessions(context, conditions, isOfAllTime, limit)
        : await rankTasks(context, conditions, limit)
    for (const row of rows) growing.add(row.of, row, costOf(modelUsage(row)))
    for (const total of totals) growing.addTotal(total)
    return growing
  }
  const grouped =
    by === 'task'
      ? await groupByTask(context, conditions)
      : await groupByHours(context, { ...request, by }, conditions, projects)
  for (const row of grouped) {
    const usage = modelUsage(row)
    const cost = costOf(usage)
    growing.add(row.of, row, cost)
    growing.addTotal({ sums: row, cost, isUnpriced: cost.costUsd === null, isStated: isStatedCost(usage) })
  }
  return growing
}

async function sumCosts(context: ReadContext, request: CostRequest): Promise<Costs> {
  const { by, key } = request
  const limit = checkLimit(request.limit)
  const projects = await readProjects(context)
  const conditions = await messagesOf(context, request, projects)
  const { rows: growing, total, models } = await readGrowing(context, { ...request, limit }, conditions, projects)
  const { unpriced, estimated, stated } = models
  const wanted = key === undefined ? [...growing] : [...growing].filter(([of]) => keyOf(by, of) === key)
  const sorted = wanted.map(([of, costs]) => ({ of, costs, sums: costs.sums() }))
  sorted.sort(by === 'day' ? newestFirst : dearestFirst)
  const shown = sorted.slice(0, limit)
  const names = await readNames(
    context,
    by,
    shown.map(({ of }) => of),
    projects,
  )
  return {
    by,
    rows: shown.map(({ of, costs, sums }): CostRow => {
      const name = names.get(of)
      const key = name?.sessionId ?? name?.taskId ?? keyOf(by, of)
      return {
        key,
        label: name?.label ?? NO_NAME[by],
        sessionId: name?.sessionId ?? null,
        taskId: name?.taskId ?? null,
        agentCli: name?.agentCli ?? null,
        lastAt: isoTime(costs.lastAt),
        ...sums,
      }
    }),
    total: total.sums(),
    unknownAgents: await countUnknown(context, sql`${conditions.where} and ${conditions.inTime}`),
    unpriced: [...unpriced].sort().slice(0, MOST_UNPRICED),
    estimated: [...estimated].sort().slice(0, MOST_UNPRICED),
    stated: [...stated].sort().slice(0, MOST_UNPRICED),
    isCut: sorted.length > limit,
  }
}

/** Sub-agents that ask for themselves as messages would: by their session, their beginning, and their model where it is known. */
async function countUnknown({ db }: ReadContext, where: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select a.session_id, a.model, coalesce(a.first_started_at, a.hook_started_at, a.end_at, a.hook_end_at) as at
        from subagents a where ${sql.raw(IS_UNSEEN)}) u
     where ${where}
  `.execute(db)
  return Number(rows[0]?.count ?? 0)
}

type Sorted = { of: string | number | null; costs: GrowingCosts; sums: CostSums }

const dearestFirst = (a: Sorted, b: Sorted): number =>
  (b.sums.costUsd ?? -1) - (a.sums.costUsd ?? -1) ||
  b.costs.tokens - a.costs.tokens ||
  (String(a.of) < String(b.of) ? -1 : 1)

/** Days beyond the year 9999 are written with a sign. */
const newestFirst = (a: Sorted, b: Sorted): number => dayNumber(b.of) - dayNumber(a.of)
const dayNumber = (day: Sorted['of']): number => (day === null ? Number.NEGATIVE_INFINITY : Date.parse(String(day)))
