import type { AppDeps, Limits } from './deps'
import type { FeedRing } from './feed-ring'

/** What a handler works with. */
export interface Context extends AppDeps {
  limits: Limits
  now: () => number
  /** When the app was made, in milliseconds since the epoch. */
  startedAt: number
  ring: FeedRing
}
