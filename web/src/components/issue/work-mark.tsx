import { Activity, Hand, Unplug, UserRound } from 'lucide-react'
import type { ListedIssue } from '../../lib/issue-query'
import { relativeTime, useNow } from '../../lib/time'
import { visibleText } from '../../lib/visible-text'

/** Who works on it now, else whose it is. */
export function WorkMark({ issue }: { issue: Pick<ListedIssue, 'claim' | 'assignee' | 'taskAtWork'> }) {
  const { claim, assignee, taskAtWork: task } = issue
  if (claim !== null) return <ClaimMark claim={claim} />
  if (task !== null)
    return (
      <span title={`the task ${task.id} is at work on it`} className="flex min-w-0 items-center gap-1 text-xs text-run">
        <Activity aria-hidden size={12} className="shrink-0" />
        <span className="truncate">{visibleText(task.agentName ?? task.id)}</span>
        <span className="sr-only">, at work on it in {task.id}</span>
      </span>
    )
  if (assignee === null || assignee === '') return null
  return (
    <span title={`assigned to ${visibleText(assignee)}`} className="flex min-w-0 items-center gap-1 text-xs text-ink-3">
      <UserRound aria-hidden size={12} className="shrink-0" />
      <span className="truncate">{visibleText(assignee)}</span>
    </span>
  )
}

/** A claim with how it is known that its holder is still there. */
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

export function evidenceOf(
  { since, aliveAt, state, lapsesAt }: NonNullable<ListedIssue['claim']>,
  now: number,
): string {
  const held = `holds it, claimed ${relativeTime(since, now)}`
  switch (state) {
    case 'gone':
      return `${held}; is gone${lapsesAt === null ? '' : `, and the claim lapses ${relativeTime(lapsesAt, now)}`}`
    case 'alive':
      return `${held}${aliveAt === null ? '' : `; last heard of ${relativeTime(aliveAt, now)}`}`
    case 'unknown':
      return `${held}; nothing tells whether it still works, which counts as alive`
  }
}
