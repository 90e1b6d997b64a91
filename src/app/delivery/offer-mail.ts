import type { OfferPlace } from '../../domain/message/message-offer'
import type { Store } from '../../domain/store'
import type { MessageService } from '../../engine/messages/message-service'
import type { Services } from '../../engine/services'
import { isSameProcess, startOf } from '../../util/process/process-tree'
import type { HostIdentity } from '../files/home'
import { hasMarker } from './transcript-end'

export interface OfferMailOptions {
  store: Store
  messages: MessageService
  /** This machine. */
  host: HostIdentity
}

const NOTHING = { messages: [], count: 0 }

/** Messages that hooks of this machine ask this server for. The database gives each to one of all hooks, calls and servers. */
export function offerMail({ store, messages, host }: OfferMailOptions): Services['offerMail'] {
  return async (caller, at, { route, cli, agent, transcript, size, room, onlyWaking }, signal) => {
    // Most hooks find nothing: no unit of work for them.
    if ((await store.messages.countWaiting(at)) === 0) return NOTHING
    const carrier = processTarget(host.name, cli)
    if (carrier?.isAlive === false) return NOTHING
    const offer: OfferPlace = { ...(agent !== undefined && { agent }), transcript, size }
    const landed = (await store.messages.offers(at)).filter(hasMarker).map(({ message }) => message)
    // Where no start is known, nobody sees its end: it is then as a call that says nothing of itself.
    const target = `${carrier?.target ?? cli} ${route} ${crypto.randomUUID()}`
    const given = await messages.offer(caller, at, { route, target, offer }, { room, onlyWaking }, landed)
    // The hook waited no longer, so nobody says them.
    if (signal.aborted && given.messages.length > 0) {
      await messages.settle([{ target, to: at }])
      return NOTHING
    }
    return given
  }
}

/** @param by  `<pid>@<start>` @returns as `domain/message/carrier.ts` reads it; `null` = no process of this machine */
export function processTarget(host: string, by: string): { target: string; isAlive: boolean } | null {
  const [id, ticks] = by.split('@')
  if (id === undefined || ticks === undefined) return null
  // For a process that is gone, only the machine's own part is unknown, which is the same for every process here.
  const boot = startOf(process.pid)?.split('@')[1]
  if (boot === undefined) return null
  const pid = Number(id)
  const startedAt = `${ticks}@${boot}`
  return { target: `${host} ${id} ${startedAt}`, isAlive: isSameProcess({ pid, startedAt }) }
}
