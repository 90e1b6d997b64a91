import type { AppDeps, Limits } from './deps'
import type { FeedRing } from './feed-ring'
import type { MessageWatch } from './message-watch'
import type { WhoCalls } from './who-calls'
import type { WorkWatch } from './work-watch'

/** What a handler works with. */
export interface Context extends AppDeps {
  limits: Limits
  now: () => number
  /** When the app was made, in milliseconds since the epoch. */
  startedAt: number
  ring: FeedRing
  who: WhoCalls
  watch: WorkWatch
  /** Who waits at addresses. */
  mail: MessageWatch
  /** Answers another request as this app does, from its guard on; for handlers that are clients themselves. */
  fetch: (request: Request) => Promise<Response>
}
