import type { SessionKey } from '../../domain/ids'
import type { UsageRow } from '../../domain/record/record-store'
import { changed, first, type Program, run } from '../sql/program'

/** Columns that count, in the order of every statement here. */
const FIELDS = [
  'input',
  'output',
  'cache_read',
  'cache_creation',
  'cache_creation_1h',
  'web_searches',
  'stated_nano_usd',
] as const
type Counts = [number, number, number, number, number, number, number]

interface Stored {
  subagent_id: number
  model: string
  input: number
  output: number
  cache_read: number
  cache_creation: number
  cache_creation_1h: number
  web_searches: number
  stated_nano_usd: number
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
type Totals = Map<string, { session: SessionKey; node: number; model: string; messages: number; counts: Counts }>

/**
 * Each message counts once, with the maximum of each field over its lines. Where a copy of a main-thread message stands in
 * a sub-agent's file, it is the main thread's.
 */
export function* mergeUsage(rows: UsageRow[]): Program<void> {
  const totals: Totals = new Map()
  for (const row of combined(rows)) yield* mergeMessage(row, totals)
  for (const total of totals.values()) {
    const { session, node, model, messages, counts } = total
    if (messages === 0 && counts.every((count) => count === 0)) continue
    yield* run(
      `insert into usage_totals (session_id, subagent_id, model, messages, ${FIELDS.join(', ')}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (session_id, subagent_id, model) do update set messages = usage_totals.messages + excluded.messages,
       ${FIELDS.map((name) => `${name} = usage_totals.${name} + excluded.${name}`).join(', ')}`,
      session,
      node,
      model,
      messages,
      ...counts,
    )
  }
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
  if (added > 0) return add(totals, row.sessionKey, node, row.model, 1, counts)
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

function add(totals: Totals, session: SessionKey, node: number, model: string, messages: number, counts: Counts): void {
  const key = `${session} ${node} ${model}`
  const so = totals.get(key)
  if (!so) {
    totals.set(key, { session, node, model, messages, counts: [...counts] })
    return
  }
  so.messages += messages
  for (let at = 0; at < counts.length; at++) so.counts[at] = (so.counts[at] ?? 0) + (counts[at] ?? 0)
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
