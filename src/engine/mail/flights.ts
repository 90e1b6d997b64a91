import { AppError } from '../../domain/errors'
import type { Address, MessageId } from '../../domain/ids'
import type { MessageRoute } from '../../domain/message/message'
import type { HookAsking, OfferPlace } from '../../domain/message/message-offer'
import type { MessageRow } from '../../domain/message/message-store'
import { messagesText } from '../../domain/message/message-text'
import { isWaking } from '../../domain/message/route-choice'
import type { Unit } from '../unit/unit'
import { moveMessage } from './move-message'

export interface Flight {
  route: MessageRoute
  target: string
  /** Flights by a process only: where the arrival would show. */
  offer?: OfferPlace
}

/** Characters of text that one flight carries; a first message of any length flies alone. */
const FLIGHT_CHARACTERS = 40_000

/**
 * Gives what waits at an address to one carrier. At most one carrier has messages of an address at a time, so that they come in their
 * order and none twice; asked again by the same carrier, gives what it has.
 *
 * @param only  of these alone
 */
export async function takeOff(
  unit: Unit,
  at: Address,
  flight: Flight,
  limit: number,
  only?: readonly MessageId[],
): Promise<MessageRow[]> {
  const flying = await unit.messages.inFlight(at)
  if (flying.length > 0) return flying.filter(({ target }) => target === flight.target)
  const taken: MessageRow[] = []
  let characters = 0
  for (const row of await unit.messages.waiting(at, Math.max(limit, only?.length ?? 0))) {
    if (only !== undefined && !only.includes(row.id)) continue
    characters += row.text.length
    if (taken.length >= limit || (taken.length > 0 && characters > FLIGHT_CHARACTERS)) break
    const moved = await moveMessage(unit, row, { kind: 'queue', ...flight })
    if (moved !== null) taken.push(moved)
  }
  return taken
}

/** Messages that one hook is given. */
const MAX_OFFERED = 50

/**
 * Gives what waits at an address to a hook that says it at once, in order and as far as it fits: nothing while a call waits there, or while
 * something else is on its way.
 *
 * @param landed  of those on their way: lines of the receiver carry them, which only the record does not know yet
 */
export async function offerTo(
  unit: Unit,
  at: Address,
  flight: Flight,
  { room, onlyWaking }: Pick<HookAsking, 'room' | 'onlyWaking'>,
  landed: readonly MessageId[],
): Promise<MessageRow[]> {
  if (await unit.messages.isAwaited(at)) return []
  for (const row of await unit.messages.inFlight(at)) {
    if (!landed.includes(row.id)) return []
    await moveMessage(unit, row, { kind: 'deliver', evidence: 'the end of its transcript' })
  }
  const waiting = await unit.messages.waiting(at, MAX_OFFERED)
  if (onlyWaking && !waiting.some(isWaking)) return []
  const fit = waiting.slice(0, messagesText(waiting, room).shown.length)
  const given: MessageRow[] = []
  for (const row of fit) {
    const moved = await moveMessage(unit, row, { kind: 'queue', ...flight })
    if (moved !== null) given.push(moved)
  }
  return given
}

/** A client's word that it has them: they are consumed. @throws `not_found` one that is not for this address */
export async function acknowledged(unit: Unit, at: Address, ids: readonly MessageId[]): Promise<MessageRow[]> {
  const done: MessageRow[] = []
  await unit.messages.turn(at)
  for (const id of ids) {
    const row = await unit.messages.find(id)
    if (row === undefined || row.to !== at)
      throw new AppError('not_found', `There is no message ${id} for ${at}.`, { hint: 'Nothing was acknowledged.' })
    done.push((await moveMessage(unit, row, { kind: 'consume', evidence: 'acknowledged by a client' })) ?? row)
  }
  return done
}
