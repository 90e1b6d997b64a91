import { carrierOf } from '../../domain/message/carrier'
import type { Message } from '../../domain/message/message'
import type { MessageFlight } from '../../domain/message/message-store'
import type { Store } from '../../domain/store'
import type { HostIdentity } from '../files/home'
import { isOvertaken } from './transcript-end'

/** A living process that does not read what it was given is looked at this much later, and then as often. Milliseconds. */
export const OVERTAKEN_MS = 10_000
/** Messages of one address that are looked at. */
const MAX_MESSAGES = 50
const ROUTES: readonly MessageFlight['route'][] = ['hook', 'socket', 'rewake']

/** Flights by processes of this machine that were spoken to again since, and answered: they have lost what they were given. */
export async function overtakenFlights(
  flights: readonly MessageFlight[],
  { store, host }: { store: Store; host: HostIdentity },
  now: number,
): Promise<MessageFlight[]> {
  const lost: MessageFlight[] = []
  for (const flight of flights) {
    const carrier = carrierOf(flight.target)
    if (!ROUTES.includes(flight.route) || now - flight.since < OVERTAKEN_MS) continue
    if (carrier.kind !== 'process' || carrier.host !== host.name) continue
    if (await isLost(flight, store)) lost.push(flight)
  }
  return lost
}

async function isLost({ to, since }: MessageFlight, store: Store): Promise<boolean> {
  const flying = (await store.messages.list({ to, statuses: ['queued'] }, { limit: MAX_MESSAGES })).rows
  const offers = new Map((await store.messages.offers(to)).map((offer) => [offer.message, offer]))
  const isOne = ({ id }: Message): boolean => {
    const offer = offers.get(id)
    return offer !== undefined && isOvertaken(offer, since)
  }
  return flying.length > 0 && flying.every(isOne)
}
