import { AgentText } from '../../../components/ui/agent-text'
import { Button } from '../../../components/ui/button'
import { When } from '../../../components/ui/when'
import { visibleText } from '../../../lib/visible-text'
import { useIssueHistory } from '../issue-query'
import type { ShownIssue } from './issue-edit'
import type { IssueText } from './issue-page-search'

interface ChangedProps {
  shown: ShownIssue
  field: IssueText
  /** The current text on the server. */
  theirs: string
  onTake(): void
  onKeep(): void
}

/** A conflict: somebody changed the text that is being edited. Shows their text, and lets the person choose. */
export function ChangedMeanwhile({ shown, field, theirs, onTake, onKeep }: ChangedProps) {
  const { data } = useIssueHistory(shown.detail.issue.id, shown.dir, 20)
  const change = data?.history.find((entry) => entry.new !== null && field in entry.new)
  return (
    <div role="alert" className="flex flex-col gap-2 rounded border border-line p-2 tint-wait">
      <p className="text-xs font-medium">
        {change === undefined ? (
          'Somebody changed this while you were editing. The current text:'
        ) : (
          <>
            {visibleText(change.by)} changed this while you were editing (<When at={change.at} />
            ). The current text:
          </>
        )}
      </p>
      <div className="max-h-48 overflow-y-auto rounded bg-panel p-2 text-xs">
        {theirs === '' ? <i>empty</i> : <AgentText text={theirs} />}
      </div>
      <div className="flex flex-wrap gap-1.5">
        <Button onClick={onKeep}>Keep mine</Button>
        <Button onClick={onTake}>Use theirs</Button>
      </div>
    </div>
  )
}
