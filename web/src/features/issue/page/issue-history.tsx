import { useState } from 'react'
import { Button } from '../../../components/ui/button'
import { ErrorLine } from '../../../components/ui/error-card'
import { When } from '../../../components/ui/when'
import { whoIs } from '../../../lib/me'
import { visibleText } from '../../../lib/visible-text'
import { useIssueHistory } from '../issue-query'
import { historyWords } from '../issue-words'
import type { ShownIssue } from './issue-edit'

/** Entries shown at first. */
const FIRST_ENTRIES = 8
/** Entries shown at most. */
const MAX_ENTRIES = 1_000

/** The history of an issue, newest first. */
export function IssueHistory({ shown }: { shown: ShownIssue }) {
  const [limit, setLimit] = useState(FIRST_ENTRIES)
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
            // biome-ignore lint/suspicious/noArrayIndexKey: entries have no ID, and are only added at the top
            key={history.length - at}
            className="flex gap-2 py-0.5"
          >
            <When at={entry.at} className="w-20 shrink-0 text-ink-3" />
            <span className="min-w-0">
              <span className="font-medium text-ink-2">{visibleText(whoIs(entry.by))}</span>{' '}
              {visibleText(historyWords(entry))}
            </span>
          </li>
        ))}
      </ol>
      {history.length >= limit && limit < MAX_ENTRIES ? (
        <Button look="quiet" className="self-start" onClick={() => setLimit(MAX_ENTRIES)}>
          Show all
        </Button>
      ) : null}
    </section>
  )
}
