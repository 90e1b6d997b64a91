import type { AgentName } from '../ids'
import { MINUTE_MS } from '../time-units'

/** How much of a subscription's window is used, by what an agent CLI said last. Times are ISO 8601. */
export interface UsageWindow {
  agentCli: AgentName
  /** Its length, for example `5 h` or `7 d`. */
  window: string
  /** 0 to 100, and more where it was overdrawn. */
  usedPercent: number
  /** When it begins anew; `null` = not said. */
  resetsAt: string | null
  /** When that was said. */
  at: string
}

/** A window as a CLI reports it. Times are milliseconds. */
export interface ToldWindow {
  minutes: number
  usedPercent: number
  resetsAt: number | null
}

/** Windows as they are shown. One that has begun anew since says nothing any more. */
export function shownWindows(agentCli: AgentName, told: readonly ToldWindow[], at: number, now: number): UsageWindow[] {
  return told
    .filter(({ minutes, resetsAt }) => (resetsAt ?? at + minutes * MINUTE_MS) > now)
    .sort((a, b) => a.minutes - b.minutes)
    .map(({ minutes, usedPercent, resetsAt }) => ({
      agentCli,
      window: lengthOf(minutes),
      usedPercent: Math.round(usedPercent * 10) / 10,
      resetsAt: resetsAt === null ? null : new Date(resetsAt).toISOString(),
      at: new Date(at).toISOString(),
    }))
}

const lengthOf = (minutes: number): string =>
  minutes % 1_440 === 0 ? `${minutes / 1_440} d` : minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`

/** Whether these are a window's facts and no nonsense of a file. */
export const isToldWindow = ({ minutes, usedPercent, resetsAt }: ToldWindow): boolean =>
  Number.isSafeInteger(minutes) &&
  minutes > 0 &&
  minutes <= 366 * 1_440 &&
  Number.isFinite(usedPercent) &&
  usedPercent >= 0 &&
  usedPercent <= 10_000 &&
  (resetsAt === null || (Number.isFinite(resetsAt) && resetsAt > 0 && resetsAt < 8e15))
