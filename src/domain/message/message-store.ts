import type { Address, AgentName, MessageId, SessionId, TaskId } from '../ids'
import type { Awaitable, Page, PageRequest, Sparse } from '../port'
import type { MailTx } from './mail-store'
import type { Message, MessageKind, MessageRoute, MessageStatus, MessageStep } from './message'
import type { Offered, OfferPlace } from './message-offer'

/** A message as it is stored. Times in milliseconds. */
export interface MessageRow extends Omit<Message, 'createdAt' | 'queuedAt' | 'deliveredAt' | 'consumedAt'> {
  /** How many `replyTo` stand before it. */
  chain: number
  /** The carrier of the flight: an attempt's id, a tool call, `<pid> <start>`. */
  target: string | null
  /** Flights by a process only: where its arrival would show. */
  offer: OfferPlace | null
  createdAt: number
  queuedAt: number | null
  deliveredAt: number | null
  consumedAt: number | null
}

/** What comes of its way is not said of a new one. */
export type NewMessage = Sparse<
  Omit<
    MessageRow,
    | 'seq'
    | 'status'
    | 'route'
    | 'target'
    | 'offer'
    | 'evidence'
    | 'createdAt'
    | 'queuedAt'
    | 'deliveredAt'
    | 'consumedAt'
  >
>

/** A line that carries a message, as the record path found it. */
export interface CarriedMessage {
  id: MessageId
  /** The address that the message is for. */
  to: Address
  session: SessionId
  /** uuid of the line. */
  line: string
  at: number
  /** When a line of the model followed on that branch; `null` = not yet. */
  followedAt: number | null
  /** Nothing followed, and nothing will: a compaction took it out of sight, or the conversation went on without it. */
  isLost: boolean
}

/** What carries messages at this moment. */
export interface MessageFlight {
  target: string
  route: MessageRoute
  to: Address
  /** When the last of its messages was given to it, in milliseconds. */
  since: number
}

/** A carrier that will bring nothing any more: to one address, or to all that it served. */
export interface GoneCarrier {
  target: string
  to?: Address
}

/** The write port of messages, inside a unit of work. It stores and finds; every rule is the engine's. */
export interface MessageTx extends MailTx {
  /** @returns `undefined` when the address has a message of this cause already */
  insert(row: NewMessage): Awaitable<MessageRow | undefined>
  /**
   * Units that move messages of an address go on one after the other from here. Taken before any of its rows, or two units would wait
   * for one another; a unit that settles several addresses is one for each.
   */
  turn(to: Address): Awaitable<void>
  find(id: MessageId): Awaitable<MessageRow | undefined>
  byCause(to: Address, cause: string): Awaitable<MessageRow | undefined>
  update(
    id: MessageId,
    patch: Partial<
      Pick<MessageRow, 'status' | 'route' | 'target' | 'offer' | 'evidence' | 'queuedAt' | 'deliveredAt' | 'consumedAt'>
    >,
  ): Awaitable<void>
  addStep(
    id: MessageId,
    step: { at: number; status: MessageStatus; route: MessageRoute | null; text: string },
  ): Awaitable<void>
  /** Messages at this address that wait for a route, oldest first. */
  waiting(to: Address, limit: number): Awaitable<MessageRow[]>
  countWaiting(to: Address): Awaitable<number>
  /** In flight at this address. */
  inFlight(to: Address): Awaitable<MessageRow[]>
  /** Delivered to this address, and not known to be read. */
  deliveredTo(to: Address): Awaitable<MessageRow[]>
  /** In flight by these targets (attempts that ended, processes that are gone). */
  flownBy(targets: readonly string[]): Awaitable<MessageRow[]>
  /** What flies: one entry for each target and address. */
  flights(limit: number): Awaitable<MessageFlight[]>
  /** Lines that carry messages and that `settle` has not looked at since they changed. */
  unsettled(limit: number, to?: Address): Awaitable<CarriedMessage[]>
  /** The message knows the line as it was read. */
  settleLine(line: CarriedMessage): Awaitable<void>
  /** Delivered messages of which every line is lost. */
  lapsed(limit: number): Awaitable<MessageRow[]>
  /** Lines that carry the message, in whatever session. */
  linesOf(id: MessageId): Awaitable<CarriedMessage[]>
  /** Conversations in which attempts of the task ran. */
  conversationsOf(task: TaskId): Awaitable<SessionId[]>

  /** The address that an id means: itself, or what it is an alias of. */
  addressOf(id: string): Awaitable<Address>
  /** Whether a message is from the address, or (`party`) from or to it. */
  isOf(id: MessageId, of: Address, as: 'sender' | 'party'): Awaitable<boolean>
  /** Whether a message went from the one to the other, whatever became of it. */
  hasWritten(from: Address, to: Address): Awaitable<boolean>
  /** Messages that this address chose to send since that time, in milliseconds; counted up to `limit`. */
  countSent(from: Address, since: number, limit: number): Awaitable<number>
  putAlias(alias: string, to: Address, evidence: string): Awaitable<void>
  /** Whether anything is known by this id: a session, recorded or registered, a task, an agent. */
  isKnown(of: Address): Awaitable<boolean>

  /** A call waits at the address until then, in milliseconds. */
  putWait(of: Address, call: string, until: number): Awaitable<void>
  removeWait(of: Address, call: string): Awaitable<void>
  /** Whether a call waits at the address now. */
  isAwaited(of: Address): Awaitable<boolean>
}

export interface MessageFilter {
  to?: Address
  from?: Address
  /** To it or from it. */
  party?: Address
  /** To or from a session or task of this agent CLI. */
  agent?: AgentName
  statuses?: MessageStatus[]
  kinds?: MessageKind[]
  taskId?: TaskId
  /** In flight by this carrier, or last so. */
  target?: string
  /** Only those after this position. */
  after?: number
  /** Otherwise the oldest come first. */
  newestFirst?: boolean
}

export interface MessageReads {
  find(id: MessageId): Promise<Message | undefined>
  list(filter: MessageFilter, page: PageRequest): Promise<Page<Message>>
  /** The newest of an address up to this position, oldest first. */
  newest(to: Address, upTo: number, limit: number): Promise<Message[]>
  countWaiting(to: Address): Promise<number>
  steps(id: MessageId): Promise<MessageStep[]>
  /** Whether anything is known by this id: a session, recorded or registered, a task, an agent. */
  isKnown(of: Address): Promise<boolean>
  /** Ids that are aliases of the address itself, at most 100. */
  aliasesOf(of: Address): Promise<string[]>
  /** What `MessageService.settle` would find to do: lines not looked at, or delivered messages that are lost. */
  hasUnsettled(): Promise<boolean>
  hasLapsed(): Promise<boolean>
  /** What carries messages at this moment: one entry for each carrier, those in flight for longest first. */
  flights(limit: number): Promise<MessageFlight[]>
  /** What flies to the address by processes, with where it would be seen that it arrived. */
  offers(to: Address): Promise<Offered[]>
  addressOf(id: string): Promise<Address>
  /** As of `MessageTx`. */
  isOf(id: MessageId, of: Address, as: 'sender' | 'party'): Promise<boolean>
  hasWritten(from: Address, to: Address): Promise<boolean>
}
