import { type RawBuilder, sql } from 'kysely'
import type { AgentKey, AttemptId } from '../../../domain/ids'
import type { AgentRow } from '../../../domain/task/task-store'
import { ADDRESS_OF_TASK } from '../../messages/writes/mail'
import type { ReadContext } from '../../sql/read-context'
import { IN_ITS_DIRS } from '../agent-dirs'
import { isCapable, OPEN_SETS, OWN_SETS } from '../capability-sets'
import { belowCeiling } from '../writes/claim'

/**
 * Whether a poll would bring this agent anything: one query, a few index look-ups.
 *
 * The claim's own way (`tasks/writes/claim.ts`): each set of capabilities that open tasks ask for, and whether one of its tasks is
 * to be had. What the agent can do is compared here.
 */
export async function hasWork(
  { db, capabilities }: ReadContext,
  agent: AgentRow,
  asked: { attempts: AttemptId[]; canClaim: boolean; isAssignedOnly: boolean; now: number },
): Promise<boolean> {
  const parts: RawBuilder<unknown>[] = []
  if (asked.canClaim)
    parts.push(sql`
      select c.capabilities as capabilities, c.clis as clis from open_sets s join capability_sets c on c.id = s.capability_set where exists (
        select 1 from tasks t where t.open_to = s.open_to and t.capability_set = s.capability_set
          and (t.not_before is null or t.not_before <= ${asked.now})
          and ${sql.raw(belowCeiling(agent.maxPermissionMode))}
          and ${inItsDirs(agent.key)}
          and not exists (select 1 from rejections r where r.task_id = t.id and r.agent_id = ${agent.key}))`)
  if (asked.attempts.length > 0)
    parts.push(sql`
      select null as capabilities, null as clis from attempts a
       where ${capabilities.inTexts(sql.ref('a.public_id'), asked.attempts)} and a.agent_id = ${agent.key}
         and a.ended_at is null and (a.wish is not null
           or exists (select 1 from questions q where q.attempt_id = a.id and q.is_taken = 0
                        and q.status in ('answered', 'expired'))
           or exists (select 1 from messages m where m.target = a.public_id and m.status = 'queued' and m.kind = 'input'
                        and m.route = 'input' and m.evidence is null)
           or (a.conversation is not null and ${hasMail(asked.now)}))`)
  if (parts.length === 0) return false
  const [before, after] = (asked.isAssignedOnly ? OWN_SETS : OPEN_SETS).split('?') as [string, string]
  const { rows } = await sql<{ capabilities: string | null; clis: string | null }>`
    with recursive ${sql.raw(before)}${agent.key}${sql.raw(after)} ${sql.join(parts, sql` union all `)}
  `.execute(db)
  return rows.some(
    (set) =>
      set.capabilities === null ||
      set.clis === null ||
      isCapable(agent, { capabilities: set.capabilities, clis: set.clis }, asked.now),
  )
}

function inItsDirs(key: AgentKey): RawBuilder<unknown> {
  const [before, after] = IN_ITS_DIRS.split('?') as [string, string]
  return sql`${sql.raw(before)}${key}${sql.raw(after)}`
}

const TO_IT = sql.raw(`m.to_address = ${ADDRESS_OF_TASK}`)

/** For an attempt `a`: messages wait for its task, which has none in flight and waits for none in a call. */
const hasMail = (now: number): RawBuilder<unknown> => sql`exists (select 1 from tasks t where t.id = a.task_id
  and exists (select 1 from messages m where ${TO_IT} and m.status = 'produced')
  and not exists (select 1 from messages m where ${TO_IT} and m.status = 'queued')
  and not exists (select 1 from message_waits w where w.address = ${sql.raw(ADDRESS_OF_TASK)} and w.until >= ${now}))`
