import type { FeedEntry } from '../../../domain/feed'
import type { FeedRing } from './feed-ring'

/** How long the feed is listened to behind the last follower: most waits are followed by the next at once. */
const LINGER_MS = 5_000

/** Listens to the feed while somebody follows, and for a while behind the last one. */
export class LingeringFeed {
  readonly #ring: Pick<FeedRing, 'listen'>
  readonly #heard: (entries: readonly FeedEntry[]) => void
  #listening: ReturnType<FeedRing['listen']> | null = null
  #lingering: ReturnType<typeof setTimeout> | undefined

  constructor(ring: Pick<FeedRing, 'listen'>, heard: (entries: readonly FeedEntry[]) => void) {
    this.#ring = ring
    this.#heard = heard
  }

  /** Somebody follows. */
  listen(): ReturnType<FeedRing['listen']> {
    clearTimeout(this.#lingering)
    this.#listening ??= this.#ring.listen(this.#heard)
    return this.#listening
  }

  /** Nobody follows any more. @param isEnding  the server ends, so that nobody will */
  rest(isEnding: boolean): void {
    if (this.#listening === null) return
    clearTimeout(this.#lingering)
    const stop = (): void => {
      this.#listening?.stop()
      this.#listening = null
    }
    if (isEnding) stop()
    else {
      this.#lingering = setTimeout(stop, LINGER_MS)
      this.#lingering.unref()
    }
  }
}
