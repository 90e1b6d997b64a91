import type { Address, MessageId, SessionId, TaskId } from '../../domain/ids'
import type { Message, SentKind } from '../../domain/message'
import type { MessageFlight } from '../../domain/message-store'
import type { Caller } from '../../domain/worker-protocol'

/** What a caller says; who says it follows from the token, never from the words. */
export interface SendMessage {
  /** An address; or `parent`: who is to get what this run's task comes to; or a child's task id. */
  to: string
  text: string
  kind?: SentKind | 'result' | undefined
  replyTo?: string | undefined
  wantsReply?: boolean | undefined
  /** Of an operator's command within a chat session: that session's address. A run's is its task's. */
  sessionId?: SessionId | undefined
}

/** What the receiver of a wait is given, and what is known by now. */
export interface Awaited {
  messages: Message[]
  tasks: { taskId: TaskId; title: string; status: string; output: string | null; failureReason: string | null }[]
  /** Everything that was waited for is there. */
  isComplete: boolean
}

/**
 * Every use case of messages. Each is one unit of work: the message, its step and its feed entry commit together. Arguments and
 * answers are JSON values.
 *
 * What a task comes to is not sent by anybody: `moveTask` and the questions of runs produce it in their own unit of work
 * (`engine/messages/produce.ts`), so that no crash can part a result from its message.
 *
 * Errors all methods may throw: `not_found` (with the nearest ids), `conflict`, `invalid`, `too_large`, `forbidden`, `lease_lost`.
 */
export interface MessageService {
  /** @throws `forbidden` the caller is not who it says · `too_large` the text, the chain of answers, or too many wait there */
  send(caller: Caller, input: SendMessage, idempotencyKey: string | null): Promise<Message>
  /**
   * Gives what waits at the caller's own address to a call that asks for it: those messages are in flight by `await` from now on.
   * @param call  names the flight: the tool call, or a request
   */
  take(caller: Caller, at: Address, call: string, limit: number): Promise<Message[]>
  /**
   * A call waits at the address for so many milliseconds: meanwhile nothing is given to the receiver's input, which could not take
   * it. 0 = it waits no longer.
   */
  wait(caller: Caller, at: Address, call: string, ms: number): Promise<{ count: number }>
  /** A client's word that it has these: they are consumed. Again is no error. */
  acknowledge(caller: Caller, at: Address, ids: MessageId[]): Promise<Message[]>
  /** Sender or operator takes back what nobody got yet. */
  withdraw(caller: Caller, id: MessageId): Promise<Message>
  /**
   * A hook or driver that is about to hand these over: gives those that it may, in flight by that route.
   * @param target  what carries them; when that is gone and its file holds no marker, they are offered again
   */
  launch(
    caller: Caller,
    at: Address,
    flight: { route: 'hook' | 'socket' | 'rewake' | 'client'; target: string },
    ids: MessageId[],
  ): Promise<Message[]>
  /** What carries messages at this moment. */
  flights(): Promise<MessageFlight[]>
  /**
   * Takes in what the record knows of lines that carry messages. A server calls it every second.
   *
   * @param readToEnd  carriers that are gone and whose files were read to the end since: what they leave behind comes back
   */
  settle(readToEnd: string[]): Promise<{ delivered: number; consumed: number; returned: number }>
}
