import { Plus } from 'lucide-react'
import { Link } from '../../../components/link'
import { AgentLine } from '../../../components/ui/agent-text'
import { IconButton } from '../../../components/ui/button'
import { IdChip } from '../../../components/ui/id-chip'
import { Status } from '../../../components/ui/status'
import { issuePathIn } from '../../../lib/links'
import { isOver, type ListedIssue } from '../issue-query'
import { PriorityMark } from '../marks'

interface IssuePartsProps {
  parts: readonly ListedIssue[]
  project: string | undefined
  onNew(): void
}

/** The children of an epic, with their progress. */
export function IssueParts({ parts, project, onNew }: IssuePartsProps) {
  const done = parts.filter(isOver).length
  const share = parts.length === 0 ? 0 : Math.round((done / parts.length) * 100)
  return (
    <section aria-label="Children">
      <div className="flex items-center gap-2 pb-0.5">
        <h3 className="text-xs font-semibold text-ink-3">Children</h3>
        <span className="text-xs text-ink-3">
          {done} of {parts.length} done
        </span>
        <IconButton
          act="issues.create"
          label="Add a child issue"
          onClick={onNew}
          className="ml-auto !size-6 max-md:!size-9"
        >
          <Plus aria-hidden size={13} />
        </IconButton>
      </div>
      <div
        role="progressbar"
        aria-label="Children done"
        aria-valuenow={share}
        aria-valuemin={0}
        aria-valuemax={100}
        className="mb-1 h-1 overflow-hidden rounded-sm bg-line"
      >
        <div className="h-full bg-done forced-color-adjust-none" style={{ width: `${share}%` }} />
      </div>
      <ul className="max-h-96 overflow-y-auto">
        {parts.map((issue) => (
          <li key={issue.id} className="flex min-h-7 items-center gap-1.5 text-sm max-md:min-h-9">
            <Status status={issue.status} evidence={issue.isBlocked ? 'blocked by another issue' : null} isSmall />
            <PriorityMark priority={issue.priority} />
            <IdChip id={issue.id} />
            <Link to={issuePathIn(issue.id, project)} className={`min-w-0 flex-1 ${isOver(issue) ? 'text-ink-3' : ''}`}>
              <AgentLine text={issue.title} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
