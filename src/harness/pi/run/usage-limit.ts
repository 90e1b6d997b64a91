/**
 * Texts by which providers tell that a limit of the account was met. A limit of requests in a minute is none: the CLI tries again by
 * itself.
 *
 *     You have hit your ChatGPT usage limit (plus plan). Try again in ~90 min.
 *     429: {"message":"You exceeded your current quota","code":"insufficient_quota"}
 *     Monthly usage limit reached
 */
const LIMIT =
  /usage limit|usage_limit|GoUsageLimitError|FreeUsageLimitError|insufficient_quota|exceeded your current quota|quota (?:has been )?exceeded|out of budget|credit balance is too low|out of credits|spend(?:ing)? limit/i

/** A limit of a month is the longest. */
const LONGEST_MS = 40 * 86_400_000

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * What a text says about a limit of the account; `null` when it is about something else. Times are milliseconds since the epoch; a time
 * that has passed, or lies beyond any limit, tells nothing.
 */
export function readUsageLimit(text: string, now: number): { resetAt: number | null } | null {
  if (!LIMIT.test(text)) return null
  const epoch = /"?resets?_at"?\s*[:=]\s*"?(\d{10})(?:\d{3})?\b/i.exec(text)?.[1]
  const wait = /(?:try again|resets?|retry) in\s*~?\s*(\d{1,7}(?:\.\d+)?)\s*(s|m|h|d)/i.exec(text)
  const at =
    epoch !== undefined
      ? Number(epoch) * 1_000
      : wait === null
        ? null
        : now + Number(wait[1]) * (UNITS[wait[2]?.toLowerCase() ?? ''] ?? 0)
  return { resetAt: at !== null && at > now && at < now + LONGEST_MS ? Math.round(at) : null }
}
