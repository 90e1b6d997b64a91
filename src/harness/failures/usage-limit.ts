import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/time-units'

/**
 * Words by which providers tell that a limit of the account was met. A limit of requests in a minute is none: CLIs try again by themselves.
 *
 *     You have hit your ChatGPT usage limit (plus plan). Try again in ~90 min.
 *     429: {"message":"You exceeded your current quota","code":"insufficient_quota"}
 *     Monthly usage limit reached
 */
const LIMIT =
  /usage.?limit|(?:Go|Free)UsageLimitError|insufficient_quota|exceeded your (?:current|monthly) quota|quota[ _](?:has been )?exceeded|out of budget|credit balance is too low|insufficient (?:balance|credits|funds)|out of credits|spend(?:ing)? limit|premium request|limit of .{0,40}credits|AI credits?\b.{0,40}(?:exhausted|exceeded|used)/i

/** A limit of a month is the longest. */
const LONGEST_MS = 40 * DAY_MS

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

/** Whether a text says that a limit of the account was met. */
export const isUsageLimit = (text: string): boolean => LIMIT.test(text)

/**
 * When a limit ends by what a text says, in milliseconds since the epoch: `resets_at` with seconds, or a span from now on. `null` = it does
 * not say, or names a time that has passed or lies beyond any limit.
 */
export function resetAtIn(text: string, now: number): number | null {
  const epoch = /"?resets?_at"?\s*[:=]\s*"?(\d{10})(?:\d{3})?\b/i.exec(text)?.[1]
  const wait = /(?:try again|resets?|retry) in\s*~?\s*(\d{1,7}(?:\.\d+)?)\s*(s|m|h|d)/i.exec(text)
  const at =
    epoch !== undefined
      ? Number(epoch) * 1_000
      : wait === null
        ? null
        : now + Number(wait[1]) * (UNITS[wait[2]?.toLowerCase() ?? ''] ?? 0)
  return at !== null && isInReach(at, now) ? Math.round(at) : null
}

/** Whether a limit may end then. */
export const isInReach = (at: number, now: number): boolean => at > now && at < now + LONGEST_MS
