/** The line that Lodeline adds to an agent CLI's status line. Loads next to nothing: the CLI draws it after every message. */
import { readStatusline, type StatuslineFacts } from '../../util/statusline-file'

/** What the CLI tells of its session (seen with Claude Code 2.1.328). Any part may be missing. */
interface Told {
  session_id?: unknown
  cost?: { total_cost_usd?: unknown } | null
  context_window?: { used_percentage?: unknown } | null
}

/** @returns '' where no server runs: the line then is the CLI's own. Never throws */
export function statuslineText(home: string, payload: string): string {
  const facts = readStatusline(home)
  return facts === null ? '' : lineOf(facts, parsed(payload))
}

export function lineOf({ needs, sessions }: StatuslineFacts, told: Told): string {
  const { session_id: id, cost, context_window: context } = told
  const session = typeof id === 'string' && Object.hasOwn(sessions, id) ? sessions[id] : undefined
  const usd = cost?.total_cost_usd
  const used = context?.used_percentage
  return [
    needs === 0 ? 'lode' : `lode: ${needs} ${needs === 1 ? 'needs' : 'need'} you`,
    ...(typeof session?.taskId === 'string' && /^[\w.-]{1,40}$/.test(session.taskId) ? [session.taskId] : []),
    ...(session !== undefined && session.total > 0 ? [`${Number(session.done)}/${Number(session.total)}`] : []),
    ...(typeof usd === 'number' && usd > 0 ? [`$${usd.toFixed(2)}`] : []),
    ...(typeof used === 'number' ? [`context ${Math.round(used)}%`] : []),
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
