import type { InboxId, SessionId } from '../../domain/ids'
import type { InboxSource } from '../../domain/inbox'
import type { Task } from '../../domain/task'
import type { Caller } from '../../domain/worker-protocol'

/** A request as its source tells it. */
export interface Received {
  sender: string
  text: string
  /** The source's own id: sent again, it is the same request. */
  externalId?: string | undefined
  threadKey?: string | undefined
}

/** The task that is to do what a request asks for. */
export interface Delegation {
  task: string
  title?: string | undefined
  /** The task whose conversation it goes on with; `null` = none, though the thread has one. */
  parentTaskId?: string | null | undefined
  agentId?: string | undefined
  requiredCapabilities?: string[] | undefined
  priority?: number | undefined
  tags?: string[] | undefined
  dir?: string | undefined
  model?: string | undefined
  /** Of an operator's command within a chat session: what the task comes to goes there. */
  sessionId?: SessionId | undefined
}

/** A reply on its way to a callback. */
export interface ReplyDelivery {
  replyId: string
  url: string
  secret: string
  /** JSON, as it is signed and sent. */
  body: string
}

/** A reply as the source is told. */
export interface ReplyToSource {
  id: string
  inboxId: InboxId
  externalId: string | null
  threadKey: string | null
  text: string
  createdAt: string
}

/**
 * Every use case of the inbox. Each is one unit of work; arguments and answers are JSON values. Who may read and answer what came from
 * outside: an operator, an agent with a lead's token, and a run of a task that an operator made to lead.
 *
 * Errors all methods may throw: `not_found`, `conflict`, `invalid`, `too_large`, `forbidden`, `lease_lost`.
 */
export interface InboxService {
  /**
   * Keeps a request of a source whose signature was checked, and tells a lead.
   *
   * @param signed  names the request when it has no id of its own
   * @throws `conflict` the id was used for another text · `too_large`
   */
  receive(source: string, input: Received, signed: string): Promise<{ id: InboxId; isRepeat: boolean }>
  /** @throws `conflict` it is closed, a task works on it, or its thread has a task and `parentTaskId` was left out */
  delegate(
    caller: Caller,
    id: InboxId,
    input: Delegation,
    key: string | null,
  ): Promise<{ task: Task; routed: string | null; isRepeat: boolean }>
  reply(
    caller: Caller,
    id: InboxId,
    input: { text: string; close?: boolean | undefined },
    key: string | null,
  ): Promise<{ replyId: string }>
  close(caller: Caller, id: InboxId): Promise<void>
  /** Again with the same name changes it; the secret is new where none was or `rotate` says so, and only then given. */
  putSource(
    caller: Caller,
    input: {
      name: string
      callback?: string | null | undefined
      lead?: string | null | undefined
      rotate?: boolean | undefined
    },
  ): Promise<{ source: InboxSource; secret: string | null }>
  removeSource(caller: Caller, name: string): Promise<void>
  /** Replies that wait to be fetched, and before that those of `ack` wait no longer. */
  fetchReplies(source: string, ack: string[], limit: number): Promise<ReplyToSource[]>
  /** Tells leads of what nobody was told of. @returns how many requests */
  announce(): Promise<number>
  /** Replies whose callback is to be tried now; nobody else is given them for a while. */
  takeReplies(limit: number): Promise<ReplyDelivery[]>
  /** @param error  `null` = its callback took it */
  settleReply(id: string, error: string | null): Promise<void>
}
