import { issuePath, sessionPath, taskPath } from '../../../lib/links'
import type { Need } from '../needs'

/** Path that a need links to: its request, task, session or issue; the fleet for several tasks. */
export function pathOf(need: Need): string {
  if (need.inboxId !== null) return `/?request=${encodeURIComponent(need.inboxId)}`
  if (need.taskId !== null) return taskPath(need.taskId)
  // Several tasks.
  if (need.kind === 'untaken') return '/fleet'
  if (need.sessionId !== null)
    return (
      sessionPath(need.sessionId) + (need.subagentId === null ? '' : `?agent=${encodeURIComponent(need.subagentId)}`)
    )
  return need.issueId === null ? '/' : issuePath(need.issueId)
}
