/**
 * Which messages were given to conversations on this machine, as files: hooks give them, and hooks write no database. A file is made by
 * a hard link, so that of hooks, tool calls and the server one gives a message. Loaded by hooks: node's own and leaves alone.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Address, address, type MessageId, messageId } from '../../domain/ids'
import { MESSAGE_ROUTES } from '../../domain/message/message'
import type { Offer, OfferState } from '../../domain/message/message-offer'
import { DAY_MS } from '../../domain/time-units'
import { claimFile } from '../../util/files/claim-file'
import { startOf } from '../../util/process/process-tree'
import { hasMarker } from './transcript-end'

/** A folder that has not changed for this long is seen to change by its time. */
const SETTLED_MS = 1_000
/** Offers are of no use once their messages are consumed. */
const OFFER_KEPT_MS = 14 * DAY_MS

export interface KnownOffer extends Offer, OfferState {
  number: number
}

export interface MessageOffers {
  /** The newest offer of each message at an address. */
  at(of: Address): Map<MessageId, KnownOffer>
  /** @returns whether this call made it: another one with the number may be there. @throws the system's error */
  take(offer: Offer, number: number): boolean
  /** The database has it now. */
  setTakenIn(offer: Pick<KnownOffer, 'at' | 'message' | 'number'>): void
  /** Offers at all addresses that the database does not have yet. */
  open(): KnownOffer[]
  /** Removes those of long ago. */
  sweep(): void
}

const NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([1-9]\d{0,8})(\.in)?$/

/** @param home  Lodeline's folder */
export function messageOffers(home: string): MessageOffers {
  const all = join(home, 'offers')
  // Folders without an open offer, by the time of their last change.
  const quiet = new Map<string, number>()
  // Ids come from outside and could be paths.
  const folderOf = (of: Address): string => join(all, Bun.hash(of).toString(36))

  return {
    at: (of) => newestIn(folderOf(of)),

    take(offer, number) {
      const folder = folderOf(offer.at)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      return claimFile(join(folder, `${offer.message}.${number}`), JSON.stringify(offer))
    },

    setTakenIn({ at, message, number }) {
      writeFileSync(join(folderOf(at), `${message}.${number}.in`), '', { mode: 0o600 })
    },

    open() {
      const found: KnownOffer[] = []
      for (const name of namesIn(all)) {
        const folder = join(all, name)
        const { mtimeMs } = statSync(folder, { throwIfNoEntry: false }) ?? { mtimeMs: 0 }
        if (quiet.get(name) === mtimeMs) continue
        const open = [...newestIn(folder, true).values()]
        found.push(...open)
        // A folder that changed just now may change again without a later time.
        if (open.length === 0 && Date.now() - mtimeMs > SETTLED_MS) quiet.set(name, mtimeMs)
      }
      return found
    },

    sweep() {
      for (const name of namesIn(all)) {
        const folder = join(all, name)
        for (const file of namesIn(folder)) {
          const path = join(folder, file)
          const stat = statSync(path, { throwIfNoEntry: false })
          if (stat !== undefined && Date.now() - stat.mtimeMs > OFFER_KEPT_MS) rmSync(path, { force: true })
        }
      }
    },
  }
}

/** @param isOpen  those alone that the database does not have */
function newestIn(folder: string, isOpen = false): Map<MessageId, KnownOffer> {
  const numbers = new Map<string, number>()
  const taken = new Set<string>()
  for (const name of namesIn(folder)) {
    const [, id, digits, isIn] = NAME.exec(name) ?? []
    if (id === undefined || digits === undefined) continue
    if (isIn !== undefined) taken.add(`${id}.${digits}`)
    else numbers.set(id, Math.max(numbers.get(id) ?? 0, Number(digits)))
  }
  const newest = new Map<MessageId, KnownOffer>()
  for (const [id, number] of numbers) {
    if (isOpen && taken.has(`${id}.${number}`)) continue
    const offer = read(join(folder, `${id}.${number}`), messageId(id))
    if (offer === null) continue
    newest.set(offer.message, {
      ...offer,
      number,
      isTakenIn: taken.has(`${id}.${number}`),
      hasLanded: () => hasMarker(offer),
      isGone: () => isGone(offer.by),
    })
  }
  return newest
}

/** `null` = it was swept, or is none of ours. */
function read(path: string, message: MessageId): Offer | null {
  try {
    const { route, by, at, agent, transcript, size } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
    const way = MESSAGE_ROUTES.find((one) => one === route)
    if (way === undefined || typeof by !== 'string' || typeof at !== 'string') return null
    return {
      route: way,
      by,
      at: address(at),
      message,
      ...(typeof agent === 'string' && { agent }),
      transcript: typeof transcript === 'string' ? transcript : null,
      size: typeof size === 'number' && size >= 0 ? size : 0,
    }
  } catch {
    return null
  }
}

const PROCESS = /^(\d{1,10})@(\d+)$/

/** What is no process, a call, is over when the database says so. */
function isGone(by: string): boolean {
  const [, pid, ticks] = PROCESS.exec(by) ?? []
  if (pid === undefined || ticks === undefined) return false
  return startOf(Number(pid))?.split('@')[0] !== ticks
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
