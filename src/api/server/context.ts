import type { SecretMask } from '../../domain/secrets/mask'
import type { Authenticator } from './callers/authenticate'
import type { WrongCodes } from './callers/wrong-codes'
import type { AppDeps, Limits } from './deps'
import type { RequestTimes } from './metrics/request-times'
import type { FeedRing } from './streams/feed-ring'
import type { MessageWatch } from './streams/message-watch'
import type { Seats } from './streams/seats'
import type { WorkWatch } from './streams/work-watch'

/** What a handler works with. */
export interface Context extends AppDeps {
  limits: Limits
  /** Hides secrets in all that leaves the server as text. */
  mask: SecretMask
  now: () => number
  /** How long its requests took. */
  times: RequestTimes
  /** When the app was made, in milliseconds since the epoch. */
  startedAt: number
  ring: FeedRing
  who: Authenticator
  watch: WorkWatch
  /** How many streams and waiting calls each caller has. */
  seats: Seats
  /** The waiters at addresses. */
  mail: MessageWatch
  wrongCodes: WrongCodes
  /** Answers another request as this app does, from its guard on; for handlers that are clients themselves. */
  fetch: (request: Request, info?: { remote?: string }) => Promise<Response>
}
