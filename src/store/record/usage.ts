import { addCosts, type Cost, costOf, NO_COST } from '../../domain/cost/price'
import { type SessionKey, sessionKey } from '../../domain/ids'
import type { UsageRow } from '../../domain/record/record-store'
import { changed, first, type Program, rows, run } from '../sql/program'
import { modelUsage, USAGE_COUNTS, type UsageOfModel } from './model-usage'

/** The columns that count, in the order of every statement here. */
const FIELDS = USAGE_COUNTS
type Counts = [number, number, number, number, number, number, number]

interface Stored extends Omit<UsageOfModel, 'messages'> {
  subagent_id: number
}

const countsOf = (row: UsageRow): Counts => [
  row.inputTokens,
  row.outputTokens,
  row.cacheReadTokens,
  row.cacheCreationTokens,
  row.cacheCreation1hTokens,
  row.webSearchCount,
  row.statedNanoUsd,
]

/** Sums to add, by node and model. */
type Totals = Map<string, Total>
interface Total {
  session: SessionKey
  node: number
  model: string
  messages: number
  counts: Counts
  /** Of the newest of its messages that are new. */
  lastAt: number | null
}

/**
 * Each message counts once, with the maximum of each field over its lines. Where a copy of a main-thread message stands in
 * a sub-agent's file, it is the main thread's.
 */
export function* mergeUsage(given: UsageRow[]): Program<void> {
  const totals: Totals = new Map()
  const changedSessions = new Set<SessionKey>()
  for (const row of combined(given)) yield* mergeMessage(row, totals)
  for (const total of totals.values()) {
    const { session, node, model, messages, counts, lastAt } = total
    if (messages === 0 && counts.every((count) => count === 0)) continue
    yield* run(ADD_TO_NODE, session, node, model, messages, ...counts)
    yield* run(ADD_TO_SESSION, session, node === 0 ? 0 : 1, model, messages, ...counts, lastAt)
    changedSessions.add(session)
  }
  for (const session of changedSessions) yield* countCost(session)
}

const SUMMED = ['messages', ...FIELDS]
const addSums = (table: string): string =>
  SUMMED.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ')

const ADD_TO_NODE = `insert into usage_totals (session_id, subagent_id, model, ${SUMMED.join(', ')})
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (session_id, subagent_id, model) do update set ${addSums('usage_totals')}`
const ADD_TO_SESSION = `insert into usage_sessions (session_id, is_agent, model, ${SUMMED.join(', ')}, last_at)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (session_id, is_agent, model) do update set ${addSums('usage_sessions')},
    last_at = case when usage_sessions.last_at >= excluded.last_at or excluded.last_at is null then usage_sessions.last_at else excluded.last_at end`

/** Counts anew what a session's tokens come to, by the prices of now. */
export function* countCost(session: SessionKey): Program<void> {
  const used = yield* rows<UsageOfModel>(
    `select model, messages, ${FIELDS.join(', ')} from usage_sessions where session_id = ? order by is_agent, model`,
    session,
  )
  let cost: Cost = NO_COST
  let tokens = 0
  for (const row of used) {
    tokens += row.input + row.output + row.cache_read + row.cache_creation
    cost = addCosts(cost, costOf(modelUsage(row)))
  }
  yield* run(
    'update sessions set token_count = ?, cost_usd = ?, is_cost_estimate = ? where id = ?',
    tokens,
    cost.costUsd,
    Number(cost.isEstimate),
    session,
  )
}

function* mergeMessage(row: UsageRow, totals: Totals): Program<void> {
  const node: number = row.subagentKey ?? 0
  const counts = countsOf(row)
  const added = yield* changed(
    `insert into usage_messages (session_id, message_id, subagent_id, model, ${FIELDS.join(', ')}, at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (session_id, message_id) do nothing`,
    row.sessionKey,
    row.messageId,
    node,
    row.model,
    ...counts,
    row.at,
  )
  if (added > 0) {
    const total = add(totals, row.sessionKey, node, row.model, 1, counts)
    if (row.at !== null) total.lastAt = Math.max(total.lastAt ?? row.at, row.at)
    return
  }
  const stored = yield* first<Stored>(
    `select subagent_id, model, ${FIELDS.join(', ')} from usage_messages where session_id = ? and message_id = ?`,
    row.sessionKey,
    row.messageId,
  )
  if (!stored) return
  const old: Counts = FIELDS.map((name) => stored[name]) as Counts
  const next: Counts = old.map((count, at) => Math.max(count, counts[at] ?? 0)) as Counts
  const nextNode = row.isMainFile && row.subagentKey === null ? 0 : stored.subagent_id
  if (nextNode === stored.subagent_id && next.every((count, at) => count === old[at])) return
  yield* run(
    `update usage_messages set subagent_id = ?, ${FIELDS.map((name) => `${name} = ?`).join(', ')} where session_id = ? and message_id = ?`,
    nextNode,
    ...next,
    row.sessionKey,
    row.messageId,
  )
  add(totals, row.sessionKey, stored.subagent_id, stored.model, -1, old.map((count) => -count) as Counts)
  add(totals, row.sessionKey, nextNode, stored.model, 1, next)
}

function add(
  totals: Totals,
  session: SessionKey,
  node: number,
  model: string,
  messages: number,
  counts: Counts,
): Total {
  const key = `${session} ${node} ${model}`
  const known = totals.get(key)
  if (known === undefined) {
    const made: Total = { session, node, model, messages, counts: [...counts], lastAt: null }
    totals.set(key, made)
    return made
  }
  known.messages += messages
  for (let at = 0; at < counts.length; at++) known.counts[at] = (known.counts[at] ?? 0) + (counts[at] ?? 0)
  return known
}

/** A message's lines mostly stand side by side: merged before the database sees them. */
function combined(rows: UsageRow[]): Iterable<UsageRow> {
  const byId = new Map<string, UsageRow>()
  for (const row of rows) {
    const key = `${row.sessionKey} ${row.messageId}`
    const so = byId.get(key)
    if (!so) {
      byId.set(key, { ...row })
      continue
    }
    so.inputTokens = Math.max(so.inputTokens, row.inputTokens)
    so.outputTokens = Math.max(so.outputTokens, row.outputTokens)
    so.cacheReadTokens = Math.max(so.cacheReadTokens, row.cacheReadTokens)
    so.cacheCreationTokens = Math.max(so.cacheCreationTokens, row.cacheCreationTokens)
    so.cacheCreation1hTokens = Math.max(so.cacheCreation1hTokens, row.cacheCreation1hTokens)
    so.webSearchCount = Math.max(so.webSearchCount, row.webSearchCount)
    so.statedNanoUsd = Math.max(so.statedNanoUsd, row.statedNanoUsd)
  }
  return byId.values()
}

/** Sessions whose costs are counted anew in one unit. */
const RECOUNTED = 200

/**
 * Counts the costs of sessions by the prices of now, some of them in each unit.
 *
 * @param prices  a digest of the prices
 * @param after  0 at first, then what the call before gave
 * @returns where the next call goes on; `null` = all are counted by these prices
 */
export function* recountCosts(prices: string, after: number): Program<SessionKey | null> {
  const known = yield* first<{ digest: string }>('select digest from summed_prices')
  if (after === 0 && known?.digest === prices) return null
  const next = yield* rows<{ id: number }>(`select id from sessions where id > ? order by id limit ${RECOUNTED}`, after)
  for (const { id } of next) yield* countCost(sessionKey(id))
  const last = next.at(-1)
  if (last !== undefined) return sessionKey(last.id)
  yield* run('delete from summed_prices')
  yield* run('insert into summed_prices (digest) values (?)', prices)
  return null
}
