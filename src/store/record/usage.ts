import { addCosts, type Cost, costOf, NO_COST } from '../../domain/cost/price'
import { type SessionKey, sessionKey } from '../../domain/ids'
import type { UsageRow } from '../../domain/record/record-store'
import {
  type BulkProgram,
  first,
  type Insertion,
  insertEach,
  type Program,
  rows,
  run,
  type Value,
} from '../sql/program'
import { modelUsage, USAGE_COUNTS, type UsageOfModel } from './model-usage'
import { addSpan, type TaskSpan, taskAt } from './task-spans'
import { addToHour, hourOf } from './usage-hours'

/** The columns that count, in the order of every statement here. */
const FIELDS = USAGE_COUNTS
type Counts = [number, number, number, number, number, number, number]

interface Stored extends Omit<UsageOfModel, 'messages'> {
  subagent_id: number
  at: number | null
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

/** A message joins a node (1), or leaves it (-1). */
interface Change {
  session: SessionKey
  node: number
  model: string
  messages: 1 | -1
  counts: Counts
  at: number | null
  /** It does not come back to the same node. */
  isGone: boolean
}

/** The sum of changes of one key. */
interface Total extends Pick<Change, 'session' | 'node' | 'model' | 'at'> {
  messages: number
  counts: Counts
  /** When the newest message came. */
  lastAt: number | null
  isWorn: boolean
}

/**
 * Each message counts once, with the maximum of each field over its lines. Where a copy of a main-thread message stands in
 * a sub-agent's file, it is the main thread's.
 *
 * @param tasksOf  statement that gives the attempts of a session
 */
export function* mergeUsage(tasksOf: string, given: UsageRow[]): BulkProgram<void> {
  const changes: Change[] = []
  const messages = combined(given)
  const added = yield* insertEach(MESSAGES, messages.map(messageValues))
  for (const [at, row] of messages.entries()) {
    if (added[at] === null) yield* mergeMessage(row, changes)
    else changes.push(newMessage(row))
  }
  for (const { session, node, model, messages, counts, lastAt } of totals(changes, ({ node }) => node)) {
    yield* run(ADD_TO_NODE, session, node, model, messages, ...counts)
    yield* run(ADD_TO_SESSION, session, node === 0 ? 0 : 1, model, messages, ...counts, lastAt)
  }
  for (const session of new Set(changes.map((change) => change.session))) {
    yield* countCost(session)
    yield* addToTasks(
      tasksOf,
      session,
      changes.filter((change) => change.session === session),
    )
  }
  for (const total of totals(changes, ({ node, at }) => `${node} ${hourOf(at)}`))
    yield* addToHour({ ...total, hour: hourOf(total.at) })
}

/** For `mergeUsage`. */
export const attemptsOf = (jsonText: (column: string, key: string) => string): string =>
  `select a.task_id as task, a.started_at as at from sessions s join attempts a on ${jsonText('a.conversation', 'sessionId')} = s.native_id
    where s.id = ? order by a.started_at, a.id`

function* addToTasks(tasksOf: string, session: SessionKey, changes: readonly Change[]): Program<void> {
  const spans: TaskSpan[] = []
  for (const { task, at } of yield* rows<{ task: number; at: number }>(tasksOf, session)) addSpan(spans, task, at)
  if (spans.length === 0) return
  const taskOf = ({ at }: Pick<Change, 'at'>) => taskAt(spans, at) ?? 0
  for (const total of totals(changes, taskOf)) {
    const { model, messages, counts, lastAt } = total
    yield* run(ADD_TO_TASK, taskOf(total), session, model, messages, ...counts, lastAt)
  }
}

const SUMMED = ['messages', ...FIELDS]
const addSums = (table: string): string =>
  SUMMED.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ')
const newest = (table: string): string =>
  `last_at = case when ${table}.last_at >= excluded.last_at or excluded.last_at is null then ${table}.last_at else excluded.last_at end`

const ADD_TO_NODE = `insert into usage_totals (session_id, subagent_id, model, ${SUMMED.join(', ')})
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (session_id, subagent_id, model) do update set ${addSums('usage_totals')}`
const ADD_TO_TASK = `insert into usage_tasks (task_id, session_id, model, ${SUMMED.join(', ')}, last_at)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (task_id, session_id, model) do update set ${addSums('usage_tasks')}, ${newest('usage_tasks')}`
const ADD_TO_SESSION = `insert into usage_sessions (session_id, is_agent, model, ${SUMMED.join(', ')}, last_at)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (session_id, is_agent, model) do update set ${addSums('usage_sessions')}, ${newest('usage_sessions')}`

/** Counts a session's tokens and costs anew, by the prices of now. */
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

const MESSAGES: Insertion = {
  table: 'usage_messages',
  columns: {
    ...{ session_id: 'bigint', message_id: 'text', subagent_id: 'bigint', model: 'text' },
    ...Object.fromEntries(FIELDS.map((name) => [name, 'bigint'] as const)),
    at: 'bigint',
  },
  key: ['session_id', 'message_id'],
  hasId: false,
}

const newMessage = (row: UsageRow): Change => ({
  ...{ session: row.sessionKey, node: nodeOfRow(row), model: row.model, at: row.at },
  ...{ messages: 1, counts: countsOf(row), isGone: false },
})

const nodeOfRow = ({ subagentKey }: UsageRow): number => subagentKey ?? 0

const messageValues = (row: UsageRow): Value[] => [
  ...[row.sessionKey, row.messageId, nodeOfRow(row), row.model],
  ...countsOf(row),
  row.at,
]

/** A message that is there already: what it counts more than was known, and whose it is. */
function* mergeMessage(row: UsageRow, changes: Change[]): Program<void> {
  const counts = countsOf(row)
  const stored = yield* first<Stored>(
    `select subagent_id, model, at, ${FIELDS.join(', ')} from usage_messages where session_id = ? and message_id = ?`,
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
  const same = { session: row.sessionKey, model: stored.model, at: stored.at }
  const left: Change = {
    ...same,
    node: stored.subagent_id,
    messages: -1,
    counts: old.map((count) => -count) as Counts,
    isGone: nextNode !== stored.subagent_id,
  }
  changes.push(left, { ...same, node: nextNode, messages: 1, counts: next, isGone: false })
}

/** Sums of changes by session, model and more, without empty ones. */
function totals(changes: readonly Change[], keyOf: (change: Change) => string | number): Total[] {
  const byKey = new Map<string, Total>()
  for (const change of changes) {
    const { session, node, model, messages, counts, at, isGone } = change
    const key = `${session} ${keyOf(change)} ${model}`
    let total = byKey.get(key)
    if (total === undefined) {
      total = { session, node, model, at, messages: 0, counts: [0, 0, 0, 0, 0, 0, 0], lastAt: null, isWorn: false }
      byKey.set(key, total)
    }
    total.messages += messages
    for (let at = 0; at < counts.length; at++) total.counts[at] = (total.counts[at] ?? 0) + (counts[at] ?? 0)
    if (messages > 0 && at !== null) total.lastAt = Math.max(total.lastAt ?? at, at)
    total.isWorn ||= isGone
  }
  return [...byKey.values()].filter(({ messages, counts }) => messages !== 0 || counts.some((count) => count !== 0))
}

/** A message's lines mostly stand side by side: merged before the database sees them. */
function combined(rows: UsageRow[]): UsageRow[] {
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
  return [...byId.values()]
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
