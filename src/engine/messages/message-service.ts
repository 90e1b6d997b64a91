import { WITHDRAW_MESSAGE } from '../../domain/access/rules'
import { AppError } from '../../domain/errors'
import { type Address, type MessageId, messageId } from '../../domain/ids'
import type { Message } from '../../domain/message/message'
import type { HookAsking, OfferRoute } from '../../domain/message/message-offer'
import type { GoneCarrier, MessageFlight, MessageRow } from '../../domain/message/message-store'
import type { Store } from '../../domain/store'
import type { LeadPolicy } from '../../domain/task/lead-answers'
import type { Caller } from '../../domain/task/worker-protocol'
import { MINUTE_MS } from '../../domain/time-units'
import { randomBytes } from '../../util/crypto'
import { requireAccess } from '../access/require-access'
import { mayReadAt } from '../mail/address'
import { acknowledged, type Flight, offerTo, takeOff } from '../mail/flights'
import { moveMessage, nameRoute } from '../mail/move-message'
import { lapseLost, returnFlown, settleLines, unsettledByAddress } from '../mail/settle'
import { handleMail } from '../tasks/runs/handle-mail'
import { oncePerKey, repeatKey } from '../unit/repeat'
import { inUnit, SYSTEM, type TaskParts, type Unit } from '../unit/unit'
import type { SendMessage } from './message-inputs'
import { askReceiver, sendMessage } from './send'

export interface MessageServiceOptions {
  store: Store
  /** Milliseconds; default the unit's own time (the database's on PostgreSQL). */
  now?: () => number
  random?: (bytes: number) => Uint8Array
  /** What leads may answer; default nothing. */
  leads?: LeadPolicy
}

/** Messages that one call gives. */
const MAX_AT_ONCE = 200
/** Carriers that are looked at in one go. */
const MAX_FLIGHTS = 1_000
/** How long a wait may last; a call that waits longer asks again. */
const LONGEST_WAIT_MS = 11 * MINUTE_MS

/** The use cases of messages over a store. It holds no state: several may run over one database. */
export function createMessageService(options: MessageServiceOptions): MessageService {
  const parts: TaskParts = {
    store: options.store,
    now: options.now,
    random: options.random ?? randomBytes,
    followedRoots: () => ({ hostName: '', roots: [] }),
    handleMail,
    leads: options.leads,
  }
  return new MessageUseCases(parts)
}

class MessageUseCases {
  private readonly parts: TaskParts

  constructor(parts: TaskParts) {
    this.parts = parts
  }

  /** @throws `forbidden` the caller is not who it says · `too_large` the text, the chain of answers, or too many wait there */
  async send(caller: Caller, input: SendMessage, key: string | null): Promise<Message> {
    const repeat = repeatKey(key, input)
    const id = crypto.randomUUID()
    const work = async (unit: Unit): Promise<Message> => {
      let sent: MessageRow | undefined
      const asked = askReceiver(unit, input)
      const { answer } = await oncePerKey(unit, 'messages.send', repeat, async () => {
        sent = await sendMessage(unit, input, id, asked)
        return sent.id
      })
      return shown(sent ?? (await get(unit, messageId(answer))))
    }
    return await inUnit(this.parts, caller, work, { isLong: true })
  }

  /**
   * Gives what waits at the caller's own address to a call that asks for it: those messages are in flight by `await` from now on.
   * @param call  names the flight: the tool call, or a request
   */
  take(caller: Caller, at: Address, call: string, limit: number): Promise<Message[]> {
    return this.unit(caller, async (unit) => {
      await mayReadAt(unit, at)
      await unit.messages.removeWait(at, call)
      return (await takeOff(unit, at, { route: 'await', target: targetOf(caller, call) }, most(limit))).map(shown)
    })
  }

  /**
   * A call waits at the address for this many milliseconds: meanwhile nothing is given to the receiver's input, which could not take
   * it. 0 = it waits no longer.
   */
  wait(caller: Caller, at: Address, call: string, ms: number): Promise<{ count: number }> {
    return this.unit(caller, async (unit) => {
      await mayReadAt(unit, at)
      if (ms > 0) await unit.messages.putWait(at, call, unit.now + Math.min(ms, LONGEST_WAIT_MS))
      else await unit.messages.removeWait(at, call)
      return { count: await unit.messages.countWaiting(at) }
    })
  }

  /** A client's word that it has these: they are consumed. Again is no error. */
  acknowledge(caller: Caller, at: Address, ids: MessageId[]): Promise<Message[]> {
    return this.unit(caller, async (unit) => {
      await mayReadAt(unit, at)
      return (await acknowledged(unit, at, ids.slice(0, MAX_AT_ONCE))).map(shown)
    })
  }

  /** Sender or operator takes back what nobody got yet. */
  withdraw(caller: Caller, id: MessageId): Promise<Message> {
    return this.unit(caller, async (unit) => {
      const row = await get(unit, id)
      await requireAccess(unit, WITHDRAW_MESSAGE, row.id)
      const moved = await moveMessage(unit, row, { kind: 'withdraw', why: 'withdrawn by its sender' })
      if (moved !== null) return shown(moved)
      if (row.status === 'withdrawn') return shown(row)
      throw new AppError('conflict', `The message is already ${row.status}.`, { details: { status: row.status } })
    })
  }

  /**
   * A hook or driver that is about to hand these over: gives those that it may, in flight by that route. What a hook gave may have been
   * read already.
   * @param target  what carries them; when that is gone and its file holds no marker, they are offered again
   */
  launch(
    caller: Caller,
    at: Address,
    flight: Flight & { route: 'hook' | 'socket' | 'rewake' | 'client' },
    ids: MessageId[],
  ): Promise<Message[]> {
    return this.unit(caller, async (unit) => {
      await mayReadAt(unit, at)
      for (const id of ids) {
        const row = await unit.messages.find(id)
        if (row?.to === at) await nameRoute(unit, row, flight.route)
      }
      return (await takeOff(unit, at, flight, MAX_AT_ONCE, ids)).map(shown)
    })
  }

  /**
   * Gives a hook what it may say of what waits at its session's address: those are in flight by it, whichever server is asked.
   *
   * @param flight  its `target` is this hook's alone
   * @param landed  on their way to the receiver, and in its transcript
   * @returns also how many wait beside them
   */
  offer(
    caller: Caller,
    at: Address,
    flight: Flight & { route: OfferRoute },
    asked: Pick<HookAsking, 'room' | 'onlyWaking'>,
    landed: readonly MessageId[],
  ): Promise<{ messages: Message[]; count: number }> {
    return this.unit(caller, async (unit) => {
      await mayReadAt(unit, at)
      const given = await offerTo(unit, at, flight, asked, landed)
      return { messages: given.map(shown), count: await unit.messages.countWaiting(at) }
    })
  }

  /** What carries messages at this moment. */
  flights(): Promise<MessageFlight[]> {
    return inUnit(this.parts, SYSTEM, async (unit) => await unit.messages.flights(MAX_FLIGHTS))
  }

  /**
   * Takes in what the record knows of lines that carry messages. A server calls it every second.
   *
   * @param readToEnd  carriers that are gone: what they leave behind comes back, where the files of the address were read to the end since.
   *   Without `to` that is so for each of their addresses
   */
  async settle(readToEnd: readonly GoneCarrier[]): Promise<{ delivered: number; consumed: number; returned: number }> {
    const total = { delivered: 0, consumed: 0, returned: 0 }
    for (let isMore = true; isMore; ) {
      const unsettled = await inUnit(this.parts, SYSTEM, unsettledByAddress)
      for (const lines of unsettled) {
        const settled = await inUnit(this.parts, SYSTEM, (unit) => settleLines(unit, lines))
        total.delivered += settled.delivered
        total.consumed += settled.consumed
      }
      isMore = unsettled.length > 0
    }
    total.returned += await inUnit(this.parts, SYSTEM, lapseLost)
    for (const carrier of readToEnd)
      total.returned += await inUnit(this.parts, SYSTEM, (unit) => returnFlown(unit, carrier))
    return total
  }

  private unit<T>(caller: Caller, work: (unit: Unit) => Promise<T>): Promise<T> {
    return inUnit(this.parts, caller, work)
  }
}

/** A call that belongs to a run or agent flies under its name: nobody else can ask for what it was given. */
function targetOf(caller: Caller, call: string): string {
  if (caller.kind === 'attempt') return `${caller.attemptId} ${call}`
  return caller.kind === 'agent' ? `${caller.agentId} ${call}` : call
}

const most = (limit: number): number => Math.min(Math.max(Math.trunc(limit), 1), MAX_AT_ONCE)

async function get(unit: Unit, id: MessageId): Promise<MessageRow> {
  const row = await unit.messages.find(id)
  if (row === undefined) throw new AppError('not_found', `There is no message ${id.slice(0, 100)}.`)
  return row
}

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

/** A message as the API gives it. */
function shown({ chain: _, target: __, offer: ___, ...row }: MessageRow): Message {
  return {
    ...row,
    createdAt: new Date(row.createdAt).toISOString(),
    queuedAt: iso(row.queuedAt),
    deliveredAt: iso(row.deliveredAt),
    consumedAt: iso(row.consumedAt),
  }
}

/**
 * Every use case of messages. Each is one unit of work: the message, its step and its feed entry commit together. Arguments and
 * answers are JSON values.
 *
 * Nobody sends a task's result: `moveTask` and the questions of runs produce it in their own unit of work
 * (`engine/mail/produce.ts`), so that no crash can part a result from its message.
 *
 * Errors all methods may throw: `not_found` (with the nearest ids), `conflict`, `invalid`, `too_large`, `forbidden`, `lease_lost`.
 */
export type MessageService = Pick<MessageUseCases, keyof MessageUseCases>
