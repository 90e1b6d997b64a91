import { Plus } from 'lucide-react'
import { counted } from '../../lib/format'
import { isOver, type ListedIssue } from '../../lib/issue-query'
import { Link } from '../link'
import { AgentLine } from '../ui/agent-text'
import { IconButton } from '../ui/button'
import { IdChip } from '../ui/id-chip'
import { Status } from '../ui/status'
import { pathTo } from './issue-grid'
import { PriorityMark } from './marks'

interface IssuePartsProps {
  parts: readonly ListedIssue[]
  project: string | undefined
  onNew(): void
}

/** Parts of an epic, with how many are done. */
export function IssueParts({ parts, project, onNew }: IssuePartsProps) {
  const done = parts.filter(isOver).length
  const share = parts.length === 0 ? 0 : Math.round((done / parts.length) * 100)
  return (
    <section aria-label="Parts">
      <div className="flex items-center gap-2 pb-0.5">
        <h3 className="text-xs font-semibold text-ink-3">Parts</h3>
        <span className="text-xs text-ink-3">
          {done} of {counted(parts.length, 'part')} done
        </span>
        <IconButton label="New issue below this one" onClick={onNew} className="ml-auto !size-6 max-md:!size-9">
          <Plus aria-hidden size={13} />
        </IconButton>
      </div>
      <div
        role="progressbar"
        aria-label="Parts done"
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
            <Status status={issue.status} evidence={issue.isBlocked ? 'blocked by another' : null} isSmall />
            <PriorityMark priority={issue.priority} />
            <IdChip id={issue.id} />
            <Link to={pathTo(issue.id, project)} className={`min-w-0 flex-1 ${isOver(issue) ? 'text-ink-3' : ''}`}>
              <AgentLine text={issue.title} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
