import { useState } from 'react'
import { Link } from '../../../components/link'
import { Empty, Loading } from '../../../components/ui/empty'
import { ErrorCard } from '../../../components/ui/error-card'
import { issuePathIn } from '../../../lib/links'
import { type BlockedIssue, type ListedIssue, useBlockedIssues, useExplanation, useReadyIssues } from '../issue-query'
import type { IssueAct } from '../use-issue-dialogs'
import { type GridRow, IssueGrid } from './issue-grid'
import { type IssuesSearch, issuesPath } from './issue-search'

interface ReadyViewProps {
  search: IssuesSearch
  onTargets(issues: readonly ListedIssue[]): void
  /** Called with what is to be done with the selected issues. */
  onAct(act: IssueAct): void
}

/** Issues that can be started now, best first, and below them blocked issues with their blockers. */
export function ReadyView({ search, onTargets, onAct }: ReadyViewProps) {
  const ready = useReadyIssues(search)
  const blocked = useBlockedIssues(search.project)
  const error = ready.error ?? blocked.error
  if (ready.data === undefined || blocked.data === undefined)
    return error === null ? (
      <Loading what="Finding ready issues" />
    ) : (
      <ErrorCard error={error} onRetry={() => void Promise.all([ready.refetch(), blocked.refetch()])} />
    )
  const held = blocked.data.issues.filter((issue) => isWanted(issue, search))
  const rows: GridRow[] = [
    { kind: 'head', text: 'Ready, best first', count: ready.data.total },
    ...ready.data.issues.map((issue): GridRow => ({ kind: 'issue', issue })),
    { kind: 'head', text: 'Blocked', count: blocked.data.isTruncated ? blocked.data.total : held.length },
    ...held.map(
      (issue): GridRow => ({ kind: 'issue', issue, note: <HeldUp issue={issue} project={search.project} /> }),
    ),
  ]
  if (ready.data.issues.length === 0 && held.length === 0)
    return (
      <Empty title="No issues are ready or blocked.">
        <p>Open issues that are not claimed, deferred or blocked appear here. The list has all others.</p>
      </Empty>
    )
  return (
    <IssueGrid
      label="Ready and blocked issues"
      rows={rows}
      total={rows.length}
      project={search.project}
      list={issuesPath(search)}
      onTargets={onTargets}
      onAct={onAct}
    />
  )
}

/** Whether a blocked issue matches the filters. The server filters ready issues, but lists all blocked ones. */
function isWanted(issue: BlockedIssue, { type, priority, label, assignee, isUnassigned, q }: IssuesSearch): boolean {
  const words = (q ?? '').toLowerCase().split(/\s+/)
  return (
    (type.length === 0 || type.includes(issue.issueType)) &&
    (priority.length === 0 || priority.includes(issue.priority)) &&
    label.every((one) => issue.labels.includes(one)) &&
    (assignee === undefined || issue.assignee === assignee) &&
    (!isUnassigned || issue.assignee === null) &&
    words.every((word) => issue.title.toLowerCase().includes(word) || issue.id.includes(word))
  )
}

function HeldUp({ issue, project }: { issue: BlockedIssue; project: string | undefined }) {
  const [isAsked, setAsked] = useState(false)
  const why = useExplanation(issue.id, project, isAsked)
  if (why.data !== undefined)
    return <span className="truncate">{why.data.reasons.map(({ text }) => text).join('; ') || 'ready now'}</span>
  return (
    <>
      <span className="flex min-w-0 items-center gap-1 truncate">
        {issue.blockedBy.length === 0
          ? 'blocked by its parent'
          : issue.blockedBy.length === 1
            ? 'blocked by'
            : `blocked by ${issue.blockedBy.length}:`}
        {issue.blockedBy.slice(0, 4).map((id) => (
          <Link key={id} to={issuePathIn(id, project)} className="font-mono text-2xs text-ink-2 underline">
            {id}
          </Link>
        ))}
        {issue.blockedBy.length > 4 ? '…' : null}
      </span>
      <button
        type="button"
        onClick={() => setAsked(true)}
        className="shrink-0 rounded-sm px-1 text-ink-2 underline hover:text-ink"
        aria-label={`Why ${issue.id} is not ready`}
      >
        why
      </button>
    </>
  )
}
