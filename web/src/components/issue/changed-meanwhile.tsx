import type { ShownIssue } from '../../lib/issue-edit'
import type { IssueText } from '../../lib/issue-page-search'
import { useIssueHistory } from '../../lib/issue-query'
import { visibleText } from '../../lib/visible-text'
import { AgentText } from '../ui/agent-text'
import { Button } from '../ui/button'
import { When } from '../ui/when'

interface ChangedProps {
  shown: ShownIssue
  field: IssueText
  /** The text as it is now. */
  theirs: string
  onTake(): void
  onKeep(): void
}

/** Somebody changed the text that is being edited: what they wrote, and the choice between the two. */
export function ChangedMeanwhile({ shown, field, theirs, onTake, onKeep }: ChangedProps) {
  const { data } = useIssueHistory(shown.detail.issue.id, shown.dir, 20)
  const change = data?.history.find((entry) => entry.new !== null && field in entry.new)
  return (
    <div role="alert" className="flex flex-col gap-2 rounded border border-line p-2 tint-wait">
      <p className="text-xs font-medium">
        {change === undefined ? (
          'Somebody changed this while you wrote. It is now:'
        ) : (
          <>
            {visibleText(change.by)} changed this while you wrote (<When at={change.at} />
            ). It is now:
          </>
        )}
      </p>
      <div className="max-h-48 overflow-y-auto rounded bg-panel p-2 text-xs">
        {theirs === '' ? <i>nothing</i> : <AgentText text={theirs} />}
      </div>
      <div className="flex flex-wrap gap-1.5">
        <Button onClick={onKeep}>Go on with mine</Button>
        <Button onClick={onTake}>Take theirs</Button>
      </div>
    </div>
  )
}
