import type { Address, AgentId, AttemptId, SessionId, TaskId } from './ids'
import type { Awaitable } from './port'
import { DAY_MS } from './time-units'

/**
 * What is at an address that a client registered. `chat`: a session of an agent's CLI, known by the id that its client has. `web`: a
 * client without a CLI, known by an id that Lodeline gave it.
 */
export const REGISTRATION_KINDS = ['chat', 'web'] as const
export type RegistrationKind = (typeof REGISTRATION_KINDS)[number]

export const REGISTRY_LIMITS = Object.freeze({
  /** Characters of a client's, host's or owner's name. */
  name: 200,
  /** Characters of a title. */
  title: 300,
  /** Characters of a project's path or name. */
  project: 4_096,
  /** Characters of metadata, as JSON. */
  metadata: 16_384,
  /** Clients that are attached to one address at a time. */
  attachments: 100,
  /** Messages that an attaching client is given; the rest is read page by page. */
  missed: 200,
})

/** How long a client that is not heard of counts as attached, in milliseconds. */
export const ATTACHED_MS = 7 * DAY_MS

/** An address with what its client says of itself. It persists over restarts of client, server and CLI. Times are ISO 8601. */
export interface Registration {
  address: Address
  kind: RegistrationKind
  /** What kind of client, e.g. `terminal`, `vscode`, `web`. */
  client: string | null
  /** The machine's own name. */
  host: string | null
  /** The project's folder or name. */
  project: string | null
  title: string | null
  owner: string | null
  capabilities: string[]
  /** The client's own, as it gave it. */
  metadata: Record<string, unknown>
  createdAt: string
  lastSeenAt: string
}

/** A client that takes an address's messages. A restarted one that names itself the same way is the same. */
export interface Attachment {
  /** `at-` and 8 of `0-9a-z`. */
  id: string
  client: string
  host: string
  attachedAt: string
  lastSeenAt: string
}

/** The attempt that runs the conversation, or ran it last. */
export interface SessionWorker {
  agentId: AgentId
  agentName: string
  taskId: TaskId
  attemptId: AttemptId
  isLive: boolean
}

/** The conversation of a live run. */
export interface WorkerSession {
  sessionId: SessionId
  taskId: TaskId
  attemptId: AttemptId
}

/** Another id of the same address, with what says so. */
export interface AddressAlias {
  id: string
  /** E.g. `cleared in the same process`. */
  evidence: string
}

/** A registration as it is stored. Times in milliseconds. */
export interface RegistrationRow extends Omit<Registration, 'createdAt' | 'lastSeenAt'> {
  createdAt: number
  lastSeenAt: number
}

/** An attachment as it is stored. Times in milliseconds. */
export interface AttachmentRow extends Omit<Attachment, 'attachedAt' | 'lastSeenAt'> {
  address: Address
  attachedAt: number
  lastSeenAt: number
}

/** The write port of the registry, inside a unit of work. It stores and finds; every rule is the engine's. */
export interface RegistryTx {
  registration(at: Address): Awaitable<RegistrationRow | undefined>
  /** Makes it or puts it in the place of the former one, whose `createdAt` stays. */
  putRegistration(row: RegistrationRow): Awaitable<void>
  /** Those that are not detached and were heard of since, the oldest first. */
  attachments(at: Address, seenSince: number): Awaitable<AttachmentRow[]>
  /** Makes it, or renews it when it has the id of one that is there. */
  putAttachment(row: AttachmentRow): Awaitable<void>
  /** @returns whether it was attached to this address */
  endAttachment(at: Address, id: string, now: number): Awaitable<boolean>
  /** The live run whose conversation it is. */
  liveRunIn(session: SessionId): Awaitable<{ taskId: TaskId; attemptId: AttemptId } | undefined>
  /** Whether the record or the registry has a session of this id. */
  isSession(id: string): Awaitable<boolean>
  /** The folder of the session of this id, or of the one in which its address goes on; of a client without a record its project. */
  folderOf(id: string): Awaitable<string | undefined>
}

/** Reads of the registry, on connections of their own. */
export interface RegistryReads {
  registration(at: Address): Promise<Registration | undefined>
  /** Sessions that are attached now, the oldest first. @param seenSince  in milliseconds */
  attachments(at: Address, seenSince: number): Promise<Attachment[]>
  /** Every other id of the address. */
  aliases(at: Address): Promise<AddressAlias[]>
  /** The recorded session in which the conversation of this address goes on: the one with the newest event. */
  newestSession(at: Address): Promise<SessionId | undefined>
  /** The live run in the conversation, else the last one that was in it. */
  workerOf(session: SessionId): Promise<SessionWorker | undefined>
  /** Conversations of the agent's live runs. */
  sessionsOf(agent: AgentId): Promise<WorkerSession[]>
}
