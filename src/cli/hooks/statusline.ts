/** The line that Lodeline adds to an agent CLI's status line. Loads next to nothing: the CLI draws it after every message. */
import { ownValue } from '../../domain/own-value'
import { type KeptWindows, keepWindows, readStatusline, type StatuslineFacts } from '../../util/statusline-file'

/** What the CLI reports of its session (seen with Claude Code 2.1.328). Any part may be missing. */
interface Told {
  session_id?: unknown
  cost?: { total_cost_usd?: unknown } | null
  context_window?: { used_percentage?: unknown } | null
  /** Subscriptions only, after the first answer; times are seconds. */
  rate_limits?: Partial<
    Record<keyof typeof WINDOW_MINUTES, { used_percentage?: unknown; resets_at?: unknown } | null>
  > | null
}

const WINDOW_MINUTES = { five_hour: 300, seven_day: 10_080 } as const
const WINDOWS = Object.keys(WINDOW_MINUTES) as (keyof typeof WINDOW_MINUTES)[]

/** @returns '' where no server runs: the line then is the CLI's own. Never throws */
export function statuslineText(home: string, payload: string): string {
  const facts = readStatusline(home)
  const told = parsed(payload)
  const windows = windowsOf(told)
  if (windows.length > 0) keepTold(home, windows)
  return facts === null ? '' : lineOf(facts, told)
}

function keepTold(home: string, windows: KeptWindows['windows']): void {
  try {
    keepWindows(home, { at: Date.now(), windows })
  } catch {
    // The line is drawn all the same.
  }
}

function windowsOf({ rate_limits: limits }: Told): KeptWindows['windows'] {
  return WINDOWS.flatMap((name) => {
    const { used_percentage: used, resets_at: resets } = limits?.[name] ?? {}
    if (typeof used !== 'number') return []
    return [
      {
        minutes: WINDOW_MINUTES[name],
        usedPercent: used,
        resetsAt: typeof resets === 'number' ? resets * 1_000 : null,
      },
    ]
  })
}

export function lineOf({ needs, sessions }: StatuslineFacts, told: Told): string {
  const { session_id: id, cost, context_window: context } = told
  const session = typeof id === 'string' ? ownValue(sessions, id) : undefined
  const usd = cost?.total_cost_usd
  const used = context?.used_percentage
  return [
    needs === 0 ? 'lode' : `lode: ${needs} ${needs === 1 ? 'needs' : 'need'} you`,
    ...(typeof session?.taskId === 'string' && /^[\w.-]{1,40}$/.test(session.taskId) ? [session.taskId] : []),
    ...(session !== undefined && session.total > 0 ? [`${Number(session.done)}/${Number(session.total)}`] : []),
    ...(typeof usd === 'number' && usd > 0 ? [`$${usd.toFixed(2)}`] : []),
    ...(typeof used === 'number' ? [`context ${Math.round(used)}%`] : []),
    ...windowsOf(told).map(
      ({ minutes, usedPercent }) =>
        `${minutes / 60 < 24 ? `${minutes / 60}h` : `${minutes / 1_440}d`} ${Math.round(usedPercent)}%`,
    ),
  ].join('  ')
}

function parsed(payload: string): Told {
  try {
    const value: unknown = JSON.parse(payload)
    return typeof value === 'object' && value !== null ? (value as Told) : {}
  } catch {
    return {}
  }
}
