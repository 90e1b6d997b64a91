import type { Address, MessageId, TaskId } from '../ids'

/**
 * What a message is. `result`: a task ended, in whatever way. `question`: a run or person wants an answer. `answer`: to such a one.
 * `status`: where somebody stands; a newer one replaces an older one that nobody got yet. `input`: said to a task's run by whoever
 * directs the task, as its user; nobody sends it as a message. `message`: anything else.
 */
export const MESSAGE_KINDS = ['result', 'question', 'answer', 'status', 'input', 'message'] as const
export type MessageKind = (typeof MESSAGE_KINDS)[number]
/** What is sent as a message; the others come about by themselves. */
export const SENT_KINDS = ['question', 'answer', 'status', 'message'] as const satisfies readonly MessageKind[]
export type SentKind = (typeof SENT_KINDS)[number]

/**
 * Where a message is on its way (`domain/message/message-machine.ts` has every move).
 *
 * - `produced`    it waits for a route
 * - `queued`      given to one route, in flight: offered by no other
 * - `delivered`   a line of the receiver's transcript carries it
 * - `consumed`    a line of the model follows on that branch (`domain/session/consumed.ts`), or a client acknowledged it
 * - `superseded`  a newer status replaced it before anybody got it
 * - `withdrawn`   its sender took it back, or its address was forgotten
 */
export const MESSAGE_STATUSES = ['produced', 'queued', 'delivered', 'consumed', 'superseded', 'withdrawn'] as const
export type MessageStatus = (typeof MESSAGE_STATUSES)[number]

/**
 * Ways by which a message reaches its receiver.
 *
 * - `await`   the answer of a tool call that waits for it
 * - `input`   the input of a run that we own
 * - `hook`    text of a hook that may add context
 * - `socket`  the CLI's own message socket
 * - `rewake`  a hook that waits and wakes an idle session
 * - `resume`  the first prompt of an attempt that goes on in the receiver's conversation
 * - `client`  a program that is attached to the address
 */
export const MESSAGE_ROUTES = ['await', 'input', 'hook', 'socket', 'rewake', 'resume', 'client'] as const
export type MessageRoute = (typeof MESSAGE_ROUTES)[number]

/** The sender, as a reader sees it. A name grants nothing. */
export interface MessageSender {
  kind: 'task' | 'session' | 'agent' | 'person' | 'outside'
  /** Their address, for an answer; `null` = they have none. */
  address: Address | null
  /** For a person, e.g. a task's title. */
  name: string
}

export const MESSAGE_LIMITS = Object.freeze({
  /** Characters of a text as it is delivered; the rest is where `fullAt` says. */
  shown: 8_000,
  /** Characters of a text as it is kept. */
  text: 200_000,
  /** Messages that wait at one address; more are refused, results are not. */
  waiting: 10_000,
  /** Messages that one run sends within a minute. */
  perMinute: 30,
  /** Answers in a chain of `replyTo`: two agents that thank one another for ever are stopped here. */
  chain: 50,
})

/** Something addressed to a task, agent or session, as the API gives it. Times are ISO 8601. */
export interface Message {
  id: MessageId
  /** Position among all messages: the cursor of an address's stream. */
  seq: number
  to: Address
  from: MessageSender
  kind: MessageKind
  /** Why it is there: with the address unique, so that one cause is one message, e.g. `t-7f3k9q2m finished 1`. */
  cause: string
  /** The task that it is about. */
  taskId: TaskId | null
  replyTo: MessageId | null
  wantsReply: boolean
  text: string
  /** The text was longer when it was given. */
  isCut: boolean
  /** A command that shows all of it; `null` = nothing more. */
  fullAt: string | null
  status: MessageStatus
  /** The route of the last flight. */
  route: MessageRoute | null
  /** What says so, e.g. `line 3f2a… of session 879a…`. */
  evidence: string | null
  createdAt: string
  queuedAt: string | null
  deliveredAt: string | null
  consumedAt: string | null
}

/** One step of a message's way, for people. */
export interface MessageStep {
  at: string
  status: MessageStatus
  route: MessageRoute | null
  /** With task, worker and attempt, where there are any. */
  text: string
}

/** The marker by which a text that carries a message is known again in a transcript. */
export const messageMarker = (id: MessageId): string => `[lodeline:${id}]`

const MARKER = /\[lodeline:([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\]/g

/** Ids of the markers in a text, each once, at most 1,000. */
export function markersIn(text: string): string[] {
  const found = new Set<string>()
  for (const [, id] of text.matchAll(MARKER)) {
    if (id !== undefined) found.add(id)
    if (found.size >= 1_000) break
  }
  return [...found]
}

/** What kind of receiver an address is. Ids of tasks and agents have forms of their own; everything else is a session's. */
export function addressKind(of: Address): 'task' | 'agent' | 'session' {
  if (/^t-[0-9a-z]{8,}$/.test(of)) return 'task'
  return /^a-[0-9a-z]{8,}$/.test(of) ? 'agent' : 'session'
}
