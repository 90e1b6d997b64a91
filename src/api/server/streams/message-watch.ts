import type { FeedEntry } from '../../../domain/feed'
import { type MessageId, messageId } from '../../../domain/ids'
import type { MessageStatus } from '../../../domain/message/message'
import type { FeedRing } from './feed-ring'

/** A message of an address came, or is somewhere else on its way. */
export interface MessageChange {
  id: MessageId
  status: MessageStatus
}

export interface MessageFollower {
  changed(change: MessageChange): void
  /** The server ends. */
  end(): void
}

/** Tells those who wait at addresses what is committed there: the feed is read once for all of them. */
export interface MessageWatch {
  /** `ready`: nothing that is committed from then on is missed. @throws `unavailable` the feed can't be read */
  join(at: string, follower: MessageFollower): { ready(): Promise<void>; leave(): void }
  /** Everyone is to end. Resolves when all have left, or after `graceMs`. */
  endAll(graceMs: number): Promise<void>
  waiterCount(): number
}

/** How long the feed is listened to behind the last one: most waits are followed by the next at once. */
const LINGER_MS = 5_000

export function createMessageWatch(ring: FeedRing): MessageWatch {
  const followers = new Map<string, Set<MessageFollower>>()
  let count = 0
  let listening: ReturnType<FeedRing['listen']> | null = null
  let lingering: ReturnType<typeof setTimeout> | undefined
  let isEnding = false
  let lastLeft: (() => void) | null = null

  function handleEntries(entries: readonly FeedEntry[]): void {
    for (const { kind, data } of entries) {
      if (kind !== 'message.updated') continue
      // What is in the feed was written by `engine/mail/move-message.ts`.
      const { messageId: id, to, status } = data as { messageId: string; to: string; status: MessageStatus }
      for (const one of [...(followers.get(to) ?? [])]) one.changed({ id: messageId(id), status })
    }
  }

  function rest(): void {
    if (count > 0 || listening === null) return
    lastLeft?.()
    clearTimeout(lingering)
    const stop = () => {
      listening?.stop()
      listening = null
    }
    if (isEnding) {
      stop()
      return
    }
    lingering = setTimeout(stop, LINGER_MS)
    lingering.unref()
  }

  return {
    join(at, follower) {
      clearTimeout(lingering)
      listening ??= ring.listen(handleEntries)
      const { ready } = listening
      const present = followers.get(at) ?? new Set()
      followers.set(at, present.add(follower))
      count++
      if (isEnding) follower.end()
      return {
        ready,
        leave() {
          if (!present.delete(follower)) return
          if (present.size === 0 && followers.get(at) === present) followers.delete(at)
          count--
          rest()
        },
      }
    },
    async endAll(graceMs) {
      isEnding = true
      if (count === 0) {
        rest()
        return
      }
      const all = Promise.withResolvers<void>()
      lastLeft = all.resolve
      const timer = setTimeout(all.resolve, graceMs)
      for (const one of [...followers.values()].flatMap((there) => [...there])) one.end()
      await all.promise
      clearTimeout(timer)
    },
    waiterCount: () => count,
  }
}
