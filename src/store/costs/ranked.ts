import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { addCosts, type Cost, type Rates, ratesOf, UNKNOWN_COST, WEB_SEARCH_USD } from '../../domain/cost/price'
import { modelUsage, USAGE_COUNTS } from '../record/model-usage'
import type { ReadContext } from '../sql/read-context'
import type { MessageConditions } from './conditions'
import { HOUR_SUMS, type MessageSums } from './message-sums'

/** Many sessions or tasks are priced by the database, which tells the dearest. Rows behind the limit may change places with them by fractions. */
const MARGIN = 20

/** Sums of a model with what they cost. */
export interface ModelTotal {
  sums: MessageSums
  cost: Cost
  isUnpriced: boolean
  isStated: boolean
}

export interface Ranked {
  /** The dearest, each with a row for each of its models; a few more than asked for. */
  rows: (MessageSums & { of: number | null })[]
  /** By model, of all there are. */
  totals: ModelTotal[]
}

/** Rows `u` of sums by model, and what they are of. */
interface Source {
  from: RawBuilder<unknown>
  of: string
  where: RawBuilder<SqlBool>
}

const sessionSums = ({ where }: MessageConditions): Source => ({ from: sql`usage_sessions`, of: 'u.session_id', where })

/** The dearest sessions. */
export async function rankSessions(
  context: ReadContext,
  conditions: MessageConditions,
  isOfAllTime: boolean,
  limit: number,
): Promise<Ranked> {
  const { where, inTime } = conditions
  const counts = sql.raw(USAGE_COUNTS.map((name) => `cast(sum(u.${name}) as bigint) as ${name}`).join(', '))
  return await rank(
    context,
    isOfAllTime
      ? sessionSums(conditions)
      : {
          from: sql`(select u.session_id, u.model, count(*) as messages, max(u.at) as last_at, ${counts} from usage_messages u
            where ${where} and ${inTime} group by u.session_id, u.model)`,
          of: 'u.session_id',
          where: sql`1 = 1`,
        },
    limit,
  )
}

/** The dearest tasks, and all sessions that no task ever had as the row of none. */
export async function rankTasks(context: ReadContext, conditions: MessageConditions, limit: number): Promise<Ranked> {
  const { where } = conditions
  const ranked = await rank(context, { from: sql`usage_tasks`, of: 'u.task_id', where }, limit)
  const isOfNone = sql<SqlBool>`${where} and not exists (select 1 from usage_tasks k where k.session_id = u.session_id)`
  const ofNone = { ...sessionSums(conditions), where: isOfNone }
  const none = await readTotals(context, ofNone, await readModels(context, ofNone))
  return {
    rows: [...ranked.rows, ...none.map(({ sums }) => ({ ...sums, of: null }))],
    totals: [...ranked.totals, ...none],
  }
}

async function rank(context: ReadContext, source: Source, limit: number): Promise<Ranked> {
  const { db, capabilities } = context
  const { from, of, where } = source
  const models = await readModels(context, source)
  const { rows: dearest } = await sql<{ of: number }>`
    with p(model, input, output, cache_read, write_5m, write_1h, is_listed) as (${pricesOf(models)})
    select ${sql.raw(of)} as of from ${from} u left join p on p.model = u.model where ${where} group by ${sql.raw(of)}
     order by case when ${ALL_COST} = 0 and max(${IS_UNPRICED}) = 1 then -1 else ${ALL_COST} end desc,
       sum(u.input + u.output + u.cache_read + u.cache_creation) desc, cast(${sql.raw(of)} as text)
     limit ${sql.lit(limit + 1 + MARGIN)}
  `.execute(db)
  const keys = dearest.map((row) => Number(row.of))
  const { rows } = await sql<MessageSums & { of: number }>`
    select ${sql.raw(`${of} as of, u.model, u.messages, u.last_at, ${USAGE_COUNTS.map((name) => `u.${name}`).join(', ')}`)} from ${from} u
     where ${where} and ${capabilities.inKeys(sql.ref<number>(of), keys)} order by ${sql.raw(of)}, u.model
  `.execute(db)
  return { rows, totals: await readTotals(context, source, models) }
}

/** Sums of a model: of most rows, or of those of which each has a price of its own. */
type ModelSums = MessageSums & { is_special: number }

async function readModels({ db }: ReadContext, { from, where }: Source): Promise<ModelSums[]> {
  const { rows } = await sql<ModelSums>`
    select ${sql.raw(HOUR_SUMS)}, case when ${IS_SPECIAL} then 1 else 0 end as is_special from ${from} u where ${where}
     group by u.model, case when ${IS_SPECIAL} then 1 else 0 end
  `.execute(db)
  return rows
}

type SpecialSums = MessageSums & { cost: number | null; is_estimate: number; is_unpriced: number; is_stated: number }

/** The cost of most rows of a model is the sum of their messages' costs; each of the others has a price of its own. */
async function readTotals(
  { db, costOf }: ReadContext,
  { from, where }: Source,
  models: readonly ModelSums[],
): Promise<ModelTotal[]> {
  const usual = models.filter(({ is_special }) => Number(is_special) === 0)
  const special =
    usual.length === models.length
      ? []
      : (
          await sql<SpecialSums>`
    with p(model, input, output, cache_read, write_5m, write_1h, is_listed) as (${pricesOf(models)})
    select ${sql.raw(HOUR_SUMS)}, cast(sum(${COST}) as double precision) as cost, max(${IS_ESTIMATE}) as is_estimate, max(${IS_UNPRICED}) as is_unpriced,
           max(${IS_STATED}) as is_stated
      from ${from} u left join p on p.model = u.model where ${where} and ${IS_SPECIAL} group by u.model
  `.execute(db)
        ).rows
  return [
    ...usual.map(({ is_special: _, ...sums }) => {
      const cost = costOf(modelUsage(sums))
      return { sums, cost, isUnpriced: cost.costUsd === null, isStated: false }
    }),
    ...special.map(({ cost, is_estimate, is_unpriced, is_stated, ...sums }) => {
      const known: Cost = { costUsd: cost ?? 0, isEstimate: is_estimate > 0 }
      return {
        sums,
        cost: is_unpriced > 0 ? addCosts(known, UNKNOWN_COST) : known,
        isUnpriced: is_unpriced > 0,
        isStated: is_stated > 0,
      }
    }),
  ]
}

/** `costOf` a sum may be something else than the sum of costs. */
const IS_SPECIAL = sql.raw('(u.stated_nano_usd > 0 or u.cache_creation_1h > u.cache_creation)')

/** As `costOf` counts: by the list, else what is stated, else by the nearest version. */
const BY_RATES = `((u.input * p.input + u.output * p.output + u.cache_read * p.cache_read
    + case when u.cache_creation > u.cache_creation_1h then (u.cache_creation - u.cache_creation_1h) * p.write_5m else 0 end
    + u.cache_creation_1h * p.write_1h) / 1000000.0 + u.web_searches * ${WEB_SEARCH_USD})`
const STATED = 'u.stated_nano_usd > 0 and (p.model is null or p.is_listed = 0)'
const COST = sql.raw(
  `case when ${STATED} then u.stated_nano_usd / 1000000000.0 when p.model is not null then ${BY_RATES} end`,
)
const ALL_COST = sql`coalesce(sum(${COST}), 0)`
const IS_STATED = sql.raw(`case when ${STATED} then 1 else 0 end`)
const IS_UNPRICED = sql.raw('case when p.model is null and u.stated_nano_usd = 0 then 1 else 0 end')
const IS_ESTIMATE = sql.raw('case when p.is_listed = 0 and u.stated_nano_usd = 0 then 1 else 0 end')

/** The rates of these models, as rows. */
function pricesOf(models: readonly Pick<ModelSums, 'model'>[]): RawBuilder<unknown> {
  const known = [...new Set(models.map(({ model }) => model))].flatMap((model) => {
    const rates = ratesOf(model)
    return rates === null ? [] : [ratesRow(model, rates)]
  })
  return known.length === 0 ? sql`select '', 0.0, 0.0, 0.0, 0.0, 0.0, 0 where 1 = 0` : sql.join(known, sql` union all `)
}

const ratesRow = (model: string, { input, output, cacheRead, cacheWrite5m, cacheWrite1h, isListed }: Rates) => {
  const usd = (amount: number) => sql`cast(${sql.lit(amount)} as double precision)`
  return sql`select cast(${model} as text), ${usd(input)}, ${usd(output)}, ${usd(cacheRead)}, ${usd(cacheWrite5m)}, ${usd(cacheWrite1h)}, ${sql.lit(Number(isListed))}`
}
