import type { Address, AgentId, AttemptId, SessionId, TaskId } from '../ids'
import type { Awaitable } from '../port'

/** What rights to a task go by. */
export interface TaskKin {
  id: TaskId
  /** The agent or attempt that has it. */
  agentId: AgentId | null
  creatorId: AgentId | null
  parentTaskId: TaskId | null
  /** The conversation out of which it was made. */
  spawnedSessionId: SessionId | null
  /** The conversation of its newest attempt. */
  lastSessionId: SessionId | null
  taskType: string | null
  /** The address that gets its result. */
  replyTo: Address | null
  dir: string | null
}

export interface AttemptOwner {
  agentId: AgentId
  /** sha-256 of the key by which that agent's machine proved itself. */
  hostKeyHash: Uint8Array | null
}

/** The machine that an agent joined from. */
export interface AgentHost {
  /** `hosts.name`; `null` = it did not say. */
  hostName: string | null
  hostKeyHash: Uint8Array | null
}

export interface AttemptPlace {
  sessionId: SessionId | null
  cwd: string | null
  /** `hosts.name` of the machine that it runs on. */
  hostName: string | null
}

/** What rights go by, inside a unit of work and outside. Reads without locks. */
export interface Kinship {
  kinOf(id: TaskId): Awaitable<TaskKin | undefined>
  /** The task and all above it: the tasks whose child it is, and those that it reports to. */
  above(id: TaskId): Awaitable<TaskId[]>
  /**
   * What is kin to a task: all that stands below anything above it, the tasks of its plan, and those that it depends on; itself too. At
   * most 10,000.
   */
  familyOf(id: TaskId): Awaitable<TaskId[]>
  ownerOfAttempt(id: AttemptId): Awaitable<AttemptOwner | undefined>
  placeOfAttempt(id: AttemptId): Awaitable<AttemptPlace | undefined>
  hostOfAgent(id: AgentId): Awaitable<AgentHost | undefined>
  /** `hosts.name` of the machines on which a session is at home: where it was first seen, and where attempts were in it. */
  hostsOf(session: SessionId): Awaitable<string[]>
  /** Whether that machine may have the session: at home there, to be continued there by a live attempt, or known to nobody. */
  isOfHost(host: string, session: SessionId): Awaitable<boolean>
}
