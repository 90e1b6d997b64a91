import type { FeedEntry } from '../../../domain/feed'
import { type MessageId, messageId } from '../../../domain/ids'
import type { MessageStatus } from '../../../domain/message/message'
import type { FeedRing } from './feed-ring'
import { LingeringFeed } from './lingering-feed'

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

export function createMessageWatch(ring: FeedRing): MessageWatch {
  const followers = new Map<string, Set<MessageFollower>>()
  let count = 0
  const feed = new LingeringFeed(ring, handleEntries)
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
    if (count > 0) return
    lastLeft?.()
    feed.rest(isEnding)
  }

  return {
    join(at, follower) {
      const { ready } = feed.listen()
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
