/** Links that show one session to anybody who has them. */
import type { SessionId, TokenId } from '../ids'
import { DAY_MS, MINUTE_MS } from '../time-units'
import type { TokenState } from './token'

/** The part of a session that a link shows. Nothing that was said after the link was made is in it. */
export interface SharedPart {
  sessionId: SessionId
  /** The first turn and the last one, by their numbers. */
  from: number
  until: number
  /** The session that is compared with it; then both are shown whole, and the numbers say nothing. `null` = none. */
  besideId: SessionId | null
}

/** A link that shows a session. Times are ISO 8601. */
export interface Share extends SharedPart {
  id: TokenId
  state: TokenState
  createdAt: string
  /** When the link was last opened, exact to the minute; `null` = never. */
  lastUsedAt: string | null
  expiresAt: string
}

/** How long a link may last, in milliseconds: a minute to 90 days. */
export const SHARE_SPAN_MS = Object.freeze({ least: MINUTE_MS, default: 7 * DAY_MS, most: 90 * DAY_MS })

export const SHARE_LIMITS = Object.freeze({
  /** Links that count at the same time. */
  open: 500,
  /** Rows of a list. */
  shown: 1_000,
  /** How long a link that ended stays in the list, in milliseconds. */
  keptMs: 30 * DAY_MS,
})
