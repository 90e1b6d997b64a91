import { useState } from 'react'
import type { ShownIssue } from '../../lib/issue-edit'
import { useIssueHistory } from '../../lib/issue-query'
import { historyWords } from '../../lib/issue-words'
import { visibleText } from '../../lib/visible-text'
import { Button } from '../ui/button'
import { ErrorLine } from '../ui/error-card'
import { When } from '../ui/when'

const FIRST = 8
const MOST = 1_000

/** What happened to it, newest first. */
export function IssueHistory({ shown }: { shown: ShownIssue }) {
  const [limit, setLimit] = useState(FIRST)
  const { data, error } = useIssueHistory(shown.detail.issue.id, shown.dir, limit)
  const history = data?.history ?? []
  return (
    <section aria-labelledby="history" className="flex flex-col gap-1">
      <h2 id="history" className="text-xs font-semibold text-ink-3">
        History
      </h2>
      <ErrorLine error={error} />
      <ol className="flex flex-col text-xs">
        {history.map((entry, at) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id, and are only added above
            key={history.length - at}
            className="flex gap-2 py-0.5"
          >
            <When at={entry.at} className="w-20 shrink-0 text-ink-3" />
            <span className="min-w-0">
              <span className="font-medium text-ink-2">{visibleText(entry.by)}</span> {visibleText(historyWords(entry))}
            </span>
          </li>
        ))}
      </ol>
      {history.length >= limit && limit < MOST ? (
        <Button look="quiet" className="self-start" onClick={() => setLimit(MOST)}>
          Show all
        </Button>
      ) : null}
    </section>
  )
}
