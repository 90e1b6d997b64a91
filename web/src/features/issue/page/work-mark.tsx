import { Activity, Hand, Unplug, UserRound } from 'lucide-react'
import { relativeTime, useNow } from '../../../lib/time'
import { visibleText } from '../../../lib/visible-text'
import type { ListedIssue } from '../issue-query'

/** The holder of the issue now; otherwise its assignee. */
export function WorkMark({ issue }: { issue: Pick<ListedIssue, 'claim' | 'assignee' | 'taskAtWork'> }) {
  const { claim, assignee, taskAtWork: task } = issue
  if (claim !== null) return <ClaimMark claim={claim} />
  if (task !== null)
    return (
      <span title={`Task ${task.id} is working on it.`} className="flex min-w-0 items-center gap-1 text-xs text-run">
        <Activity aria-hidden size={12} className="shrink-0" />
        <span className="truncate">{visibleText(task.agentName ?? task.id)}</span>
        <span className="sr-only">, working on it in {task.id}</span>
      </span>
    )
  if (assignee === null || assignee === '') return null
  return (
    <span title={`Assigned to ${visibleText(assignee)}`} className="flex min-w-0 items-center gap-1 text-xs text-ink-3">
      <UserRound aria-hidden size={12} className="shrink-0" />
      <span className="truncate">{visibleText(assignee)}</span>
    </span>
  )
}

/** The holder of a claim, with evidence that it is still active. */
export function ClaimMark({ claim }: { claim: NonNullable<ListedIssue['claim']> }) {
  const now = useNow()
  const isGone = claim.state === 'gone'
  const Icon = isGone ? Unplug : Hand
  const evidence = evidenceOf(claim, now)
  return (
    <span
      title={visibleText(evidence)}
      className={`flex min-w-0 items-center gap-1 text-xs ${isGone ? 'text-lost' : 'text-run'}`}
    >
      <Icon aria-hidden size={12} className="shrink-0" />
      <span className="truncate">{visibleText(claim.holder)}</span>
      <span className="sr-only">, {evidence}</span>
    </span>
  )
}

/** Describes a claim and whether its holder is active. @param now  milliseconds since the epoch */
export function evidenceOf(
  { since, aliveAt, state, lapsesAt }: NonNullable<ListedIssue['claim']>,
  now: number,
): string {
  const held = `claimed ${relativeTime(since, now)}`
  switch (state) {
    case 'gone':
      return `${held}; the holder is gone${lapsesAt === null ? '' : `, and the claim expires ${relativeTime(lapsesAt, now)}`}`
    case 'alive':
      return `${held}${aliveAt === null ? '' : `; last active ${relativeTime(aliveAt, now)}`}`
    case 'unknown':
      return `${held}; no sign of activity is available, so it counts as active`
  }
}
