/** Sums of messages since a time, for a tree that shows only what was heard of since. Times in milliseconds. */
import { type SqlBool, sql } from 'kysely'
import type { AgentName } from '../../../domain/ids'
import { isBetween } from '../../costs/conditions'
import { GROUPINGS } from '../../costs/groups'
import { selectByHours } from '../../costs/hour-sums'
import { MESSAGE_SUMS, type MessageSums, selectMessages } from '../../costs/message-sums'
import { USAGE_COUNTS, type UsageOfModel } from '../../record/model-usage'
import type { ReadContext } from '../../sql/read-context'

type Of<Key extends string> = MessageSums & Record<Key, number>

/** By session. Along the messages of each: of few sessions that are fewer than all of the time. */
export const sessionsSince = async (
  context: ReadContext,
  keys: readonly number[],
  since: number,
): Promise<Of<'session_id'>[]> =>
  keys.length === 0
    ? []
    : await selectMessages<{ session_id: number }>(context, `u.session_id, ${MESSAGE_SUMS}`, {
        where: sql`${context.capabilities.inKeys(sql.ref<number>('u.session_id'), keys)} and u.at >= ${since}`,
        groupBy: 'u.session_id',
      })

/** Sums of one session by sub-agent; 0 = its main thread. */
export const nodesSince = async (context: ReadContext, session: number, since: number): Promise<Of<'subagent_id'>[]> =>
  await selectMessages<{ subagent_id: number }>(context, `u.subagent_id, ${MESSAGE_SUMS}`, {
    where: sql`u.session_id = ${session} and u.at >= ${since}`,
    groupBy: 'u.subagent_id',
  })

/**
 * By the project of their session, without the messages of some sessions: sums of hours, less what those have.
 *
 * @param agent  only of sessions of this agent CLI
 */
export async function projectsSince(
  context: ReadContext,
  since: number,
  without: readonly number[],
  agent: AgentName | undefined,
): Promise<(UsageOfModel & { project: number | null })[]> {
  const { joins, ofMessages } = GROUPINGS.project
  const inTime = isBetween(since, undefined)
  const isOfAgent = agent === undefined ? sql<SqlBool>`1 = 1` : sql<SqlBool>`s.agent = ${agent}`
  const all = await selectByHours<number | null>(
    context,
    { since },
    { where: isOfAgent, inTime, ofHours: agent === undefined ? sql`1 = 1` : sql`u.agent = ${agent}` },
    GROUPINGS.project,
  )
  const others =
    without.length === 0
      ? []
      : await selectMessages<{ of: number | null }>(context, `${ofMessages} as of, ${MESSAGE_SUMS}`, {
          joins,
          where: sql`${context.capabilities.inKeys(sql.ref<number>('u.session_id'), without)} and ${isOfAgent} and ${inTime}`,
          groupBy: ofMessages,
        })
  const sums = new Map<string, UsageOfModel & { project: number | null }>()
  const add = (row: MessageSums & { of: number | null }, sign: 1 | -1): void => {
    const key = `${row.of} ${row.model}`
    const sum = sums.get(key) ?? { ...NOTHING, model: row.model, project: row.of === null ? null : Number(row.of) }
    for (const name of COUNTS) sum[name] += sign * row[name]
    sums.set(key, sum)
  }
  for (const row of all) add(row, 1)
  for (const row of others) add(row, -1)
  // A model that only those sessions have is none of the rest's.
  return [...sums.values()].filter(({ messages }) => messages !== 0)
}

const COUNTS = ['messages', ...USAGE_COUNTS] as const
const NOTHING = {
  messages: 0,
  input: 0,
  output: 0,
  cache_read: 0,
  cache_creation: 0,
  cache_creation_1h: 0,
  web_searches: 0,
  stated_nano_usd: 0,
} satisfies Omit<UsageOfModel, 'model'>
