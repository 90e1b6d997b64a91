import { AppError } from '../../domain/errors'
import type { Address, MessageId } from '../../domain/ids'
import type { MessageRoute } from '../../domain/message/message'
import type { MessageRow } from '../../domain/message/message-store'
import type { Unit } from '../unit/unit'
import { moveMessage } from './move-message'

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
  flight: { route: MessageRoute; target: string },
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
