import { ownValue } from '../../../../domain/own-value'
import { clip } from '../../../json-lines/text'
import { nextTime } from './reset-time'

/** A limit of the account that was met, and when it is over, in milliseconds since the epoch; `null` = it doesn't say. */
export interface UsageLimit {
  resetAt: number | null
}

const WINDOWS: Readonly<Record<string, string>> = {
  five_hour: 'session limit',
  seven_day: 'weekly limit',
  seven_day_opus: 'weekly Opus limit',
  seven_day_sonnet: 'weekly Sonnet limit',
  overage: 'usage credit limit',
}

/** A refusal that the CLI reports beside the model's place, as a text that `readUsageLimit` reads. `resetsAt` in seconds. */
export function limitText(window: string, resetsAt: unknown): string {
  const name =
    ownValue(WINDOWS, window) ?? (window === '' ? 'usage limit' : `${clip(window, 60).replaceAll('_', ' ')} limit`)
  const isTime = typeof resetsAt === 'number' && Number.isFinite(resetsAt) && resetsAt > 0
  return `Claude AI usage limit reached (${name})${isTime ? `|${Math.floor(resetsAt)}` : ''}`
}

/**
 * Texts by which releases since 1.0 tell that a limit of the account was met:
 *
 *     Claude AI usage limit reached|1762952400
 *     Claude usage limit reached. Your limit will reset at 3pm (America/Santiago).
 *     5-hour limit reached ∙ resets 3am
 *     Opus weekly limit reached ∙ resets Oct 31, 9am
 *     Weekly limit reached · resets Dec 2, 7pm (Europe/Moscow)
 *     You've hit your limit · resets 4:50am (Europe/Rome)
 *     You've hit your weekly limit · resets Sep 15 at 7pm
 *     You're out of extra usage · resets May 2, 2pm (Asia/Jerusalem)
 *     You've hit your monthly spend limit · your session limit resets 2:40pm (Asia/Jakarta)
 */
const LIMIT =
  /usage limit reached|\blimit reached\s*[∙·|•-]|(?:hit|reached) your (?:[\w'’ -]{1,60} )?limit\b|out of (?:extra usage|usage credits|usage)\b|used (?:up )?(?:all )?your (?:extra usage|usage credits)|limit will reset at/i

/**
 * What a text says about a limit of the account; `null` when it is about something else.
 *
 * @param now  Milliseconds: times without a date mean the next such time.
 */
export function readUsageLimit(text: string, now: number): UsageLimit | null {
  const start = text.slice(0, 4_000)
  if (!LIMIT.test(start)) return null
  const epoch = /\|\s*(\d{9,13})\b/.exec(start)?.[1]
  if (epoch !== undefined) return { resetAt: Number(epoch) * (epoch.length > 10 ? 1 : 1_000) }
  const said = /resets?(?: at| on)?:?\s+([^\n·∙•|]{1,80})/i.exec(start)?.[1]
  return { resetAt: said === undefined ? null : nextTime(said, now) }
}
