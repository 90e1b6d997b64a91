import { useState } from 'react'
import {
  type BlockedIssue,
  type ListedIssue,
  useBlockedIssues,
  useExplanation,
  useReadyIssues,
} from '../../lib/issue-query'
import type { IssuesSearch } from '../../lib/issue-search'
import { Link } from '../link'
import { Empty, Loading } from '../ui/empty'
import { ErrorCard } from '../ui/error-card'
import { type GridRow, IssueGrid, pathTo } from './issue-grid'

interface ReadyViewProps {
  search: IssuesSearch
  onCurrent(issue: ListedIssue | undefined): void
}

/** What can be worked on now, best first, and below it what is held up, with what holds it up. */
export function ReadyView({ search, onCurrent }: ReadyViewProps) {
  const ready = useReadyIssues(search)
  const blocked = useBlockedIssues(search.project)
  const error = ready.error ?? blocked.error
  if (ready.data === undefined || blocked.data === undefined)
    return error === null ? (
      <Loading what="Working out what is ready" />
    ) : (
      <ErrorCard error={error} onRetry={() => void Promise.all([ready.refetch(), blocked.refetch()])} />
    )
  const held = blocked.data.issues.filter((issue) => isWanted(issue, search))
  const rows: GridRow[] = [
    { kind: 'head', text: 'Ready, best first', count: ready.data.total },
    ...ready.data.issues.map((issue): GridRow => ({ kind: 'issue', issue })),
    { kind: 'head', text: 'Held up', count: blocked.data.isTruncated ? blocked.data.total : held.length },
    ...held.map(
      (issue): GridRow => ({ kind: 'issue', issue, note: <HeldUp issue={issue} project={search.project} /> }),
    ),
  ]
  if (ready.data.issues.length === 0 && held.length === 0)
    return (
      <Empty title="Nothing is ready, and nothing is held up.">
        <p>Open issues that nobody holds and nothing blocks appear here. What is deferred or claimed is in the list.</p>
      </Empty>
    )
  return (
    <IssueGrid
      label="Ready and blocked issues"
      rows={rows}
      total={rows.length}
      project={search.project}
      onCurrent={onCurrent}
    />
  )
}

/** The server lists all that are blocked; the conditions that it takes for the others are looked at here. */
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
    return <span className="truncate">{why.data.reasons.map(({ text }) => text).join('; ') || 'it is ready now'}</span>
  return (
    <>
      <span className="flex min-w-0 items-center gap-1 truncate">
        {issue.blockedBy.length === 0
          ? 'held up by its parent'
          : issue.blockedBy.length === 1
            ? 'waits for'
            : `waits for ${issue.blockedBy.length}:`}
        {issue.blockedBy.slice(0, 4).map((id) => (
          <Link key={id} to={pathTo(id, project)} className="font-mono text-2xs text-ink-2 underline">
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
