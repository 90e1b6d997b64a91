import { useEffect, useState } from 'react'
import { Link } from '../../../components/link'
import { AgentText } from '../../../components/ui/agent-text'
import { Loading } from '../../../components/ui/empty'
import { ErrorLine } from '../../../components/ui/error-card'
import { IdChip } from '../../../components/ui/id-chip'
import { AgentMarkdown } from '../../../components/ui/markdown'
import { Status } from '../../../components/ui/status'
import { When } from '../../../components/ui/when'
import { counted } from '../../../lib/format'
import { keptChoice } from '../../../lib/kept-choice'
import { issuePathIn } from '../../../lib/links'
import { type IssueDetail, useIssue } from '../issue-query'
import { LabelMarks, PriorityMark, TypeMark } from '../marks'

/** Whether the current issue is shown beside the list. */
export const peekChoice = keptChoice('lodeline.issues.peek', ['off', 'on'])

/** The cursor rests this long on a row before its issue is read. Milliseconds. */
const CURSOR_RESTS_MS = 120

/** The current issue of a list, beside it. */
export function IssuePeek({ id, project }: { id: string; project: string | undefined }) {
  const [shown, setShown] = useState(id)
  useEffect(() => {
    const timer = setTimeout(() => setShown(id), CURSOR_RESTS_MS)
    return () => clearTimeout(timer)
  }, [id])
  const { data, error } = useIssue(shown, project)
  return (
    <section
      aria-label={`Issue ${id}`}
      data-testid="issue-peek"
      className="scrolls flex min-h-0 flex-col gap-3 bg-panel p-4 max-lg:h-1/2 max-lg:border-t max-lg:border-line lg:w-2/5 lg:border-l lg:border-line"
    >
      {data === undefined ? (
        error === null ? (
          <Loading what="Reading the issue" />
        ) : (
          <ErrorLine error={error} />
        )
      ) : (
        <Peeked detail={data} project={project} />
      )}
    </section>
  )
}

function Peeked({ detail, project }: { detail: IssueDetail; project: string | undefined }) {
  const { issue } = detail
  return (
    <>
      <h2 className="text-base font-semibold">
        <Link to={issuePathIn(issue.id, project)}>
          <AgentText text={issue.title} />
        </Link>
      </h2>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-2">
        <Status status={issue.status} />
        <PriorityMark priority={issue.priority} />
        <TypeMark type={issue.issueType} />
        <IdChip id={issue.id} />
        <span>{issue.assignee === null ? 'nobody' : <AgentText text={issue.assignee} />}</span>
        <LabelMarks labels={issue.labels} />
        <When at={issue.updatedAt} />
        {issue.commentCount > 0 ? <span>{counted(issue.commentCount, 'comment')}</span> : null}
      </div>
      {issue.description === '' ? (
        <p className="text-sm text-ink-3">No description.</p>
      ) : (
        <AgentMarkdown text={issue.description} />
      )}
    </>
  )
}
