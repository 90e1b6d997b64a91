/** What one look at the tree is judged by: the time, what is derived with it, and what needs a person. */

import { sql } from 'kysely'
import { type AgentName, type SessionId, type SubagentId, sessionKey, type TaskId } from '../../domain/ids'
import {
  isAlive,
  lastActivityAt,
  mayBeStuck,
  type StatusSettings,
  shownSession,
} from '../../domain/overview/shown-status'
import type { TreeRequest } from '../../domain/overview/tree-level'
import type { ShownSessionStatus } from '../../domain/session/session'
import { bareStatus } from '../../domain/session/session-status'
import type { SessionSignals } from '../../domain/session/session-store'
import { sessionWork } from '../overview/work'
import type { ReadContext } from '../sql/read-context'

/** Read once for each level. */
export interface Look {
  now: number
  settings: StatusSettings
  /** Tokens and costs are those of the messages since, in milliseconds; `undefined` = of all. */
  since: number | undefined
  /** And of sessions of this agent CLI; `undefined` = of all. */
  agent: AgentName | undefined
  /** Keys of sessions whose run asked a person and has no answer yet. */
  asking: ReadonlySet<number>
  /** How often a task needs somebody. */
  tasks: ReadonlyMap<TaskId, number>
  /** How often a session needs somebody where no task does, by key. */
  sessions: ReadonlyMap<number, { projectId: number | null; count: number }>
  /** Agents whose result nobody read, by their session's id. */
  agents: ReadonlyMap<SessionId, ReadonlySet<SubagentId>>
}

export async function readLook(
  context: ReadContext,
  { now, settings, needs, since, agent }: Pick<TreeRequest, 'now' | 'settings' | 'needs' | 'since' | 'agent'>,
): Promise<Look> {
  const agents = new Map<SessionId, Set<SubagentId>>()
  for (const { session, subagent } of needs.subagents) {
    const known = agents.get(session)
    if (known === undefined) agents.set(session, new Set([subagent]))
    else known.add(subagent)
  }
  return {
    now,
    settings,
    since,
    agent,
    asking: await askingSessions(context),
    tasks: new Map(needs.tasks.map(({ id, count }) => [id, count])),
    sessions: await needySessions(context, needs.sessions),
    agents,
  }
}

async function askingSessions({ db, capabilities }: ReadContext): Promise<Set<number>> {
  const conversation = sql.raw<string>(capabilities.jsonText('a.conversation', 'sessionId'))
  const { rows } = await sql<{ key: number }>`
    select distinct s.id as key from questions q join attempts a on a.id = q.attempt_id
      join sessions s on s.native_id = ${conversation} where q.status = 'open' and a.ended_at is null
  `.execute(db)
  return new Set(rows.map(({ key }) => Number(key)))
}

async function needySessions(
  { db, capabilities }: ReadContext,
  needs: TreeRequest['needs']['sessions'],
): Promise<Look['sessions']> {
  if (needs.length === 0) return new Map()
  const counts = new Map<string, number>(needs.map(({ id, count }) => [id, count]))
  const { rows } = await sql<{ key: number; id: string; project: number | null }>`
    select s.id as key, s.native_id as id, s.project_id as project from sessions s
     where ${capabilities.inTexts(sql.ref('s.native_id'), [...counts.keys()])}
  `.execute(db)
  return new Map(rows.map(({ key, id, project }) => [key, { projectId: project, count: counts.get(id) ?? 0 }]))
}

/** What sessions show as. Only of those that work and were silent for long it is read what runs in them. */
export async function shownStatuses(
  context: ReadContext,
  sessions: readonly { key: number; signals: SessionSignals }[],
  { now, settings, asking }: Look,
): Promise<Map<number, ShownSessionStatus>> {
  const judged = sessions.map(({ key, signals }) => ({ key, signals, status: bareStatus(signals, now) }))
  const silent = judged.filter(({ key, signals, status }) => {
    return !asking.has(key) && mayBeStuck(status, lastActivityAt(signals, now), now, settings)
  })
  const works = await sessionWork(
    context,
    silent.map(({ key, signals }) => ({ key: sessionKey(key), signals })),
  )
  return new Map(
    judged.map(({ key, status }) => [key, shownSession(status, asking.has(key), works.get(sessionKey(key)), settings)]),
  )
}

/** Whether the main thread of a session may be in a call: one that stands still left it open. */
export const isAtWork = (status: ShownSessionStatus): boolean => isAlive(status) && status !== 'idle'
