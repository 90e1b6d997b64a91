import { countConditions, type IssuesSearch, NO_FILTER } from '../../lib/issue-search'
import { Button } from '../ui/button'
import { Empty } from '../ui/empty'
import { CommandLine } from '../ui/id-chip'
import { KeyHint } from '../ui/key-hint'

interface NoIssuesProps {
  search: IssuesSearch
  onSearch(search: IssuesSearch): void
}

/** Nothing fits, or nothing is there yet: what to do first. */
export function NoIssues({ search, onSearch }: NoIssuesProps) {
  if (countConditions(search) > 0)
    return (
      <Empty title="No issue fits.">
        <p>Words look into ids and titles; what is done is left out unless it is asked for.</p>
        <Button
          onClick={() => {
            const { q: _q, assignee: _assignee, staleDays: _stale, ...rest } = search
            onSearch({ ...rest, ...NO_FILTER })
          }}
        >
          Show all that are open
        </Button>
      </Empty>
    )
  return (
    <Empty title="No open issues.">
      <p>
        <em>New issue</em> <KeyHint keys="n" /> makes one; or say it in a terminal, in the project’s folder. A{' '}
        <code className="font-mono text-xs">.beads/issues.jsonl</code> that is there is read as it is.
      </p>
      <CommandLine command='lode issue create "What is to be done"' />
      {search.withDone ? null : (
        <Button onClick={() => onSearch({ ...search, withDone: true })}>Show what is done</Button>
      )}
    </Empty>
  )
}
