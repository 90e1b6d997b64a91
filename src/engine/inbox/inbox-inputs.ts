import type { InboxId, SessionId } from '../../domain/ids'

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
  /** An operator's command within a chat session only: the task's result goes there. */
  sessionId?: SessionId | undefined
}

/** A reply on its way to a callback. */
export interface ReplyDelivery {
  replyId: string
  source: string
  url: string
  secret: string
  /** JSON, as it is signed and sent. */
  body: string
}

/** A reply as the source gets it. */
export interface ReplyToSource {
  id: string
  inboxId: InboxId
  externalId: string | null
  threadKey: string | null
  text: string
  createdAt: string
}

/** A source of messages, made or changed. */
export interface PutSource {
  name: string
  callback?: string | null | undefined
  lead?: string | null | undefined
  autoDelegate?: boolean | undefined
  rotate?: boolean | undefined
}
