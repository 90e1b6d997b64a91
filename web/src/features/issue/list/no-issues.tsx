import { Button } from '../../../components/ui/button'
import { Empty } from '../../../components/ui/empty'
import { CommandLine } from '../../../components/ui/id-chip'
import { KeyHint } from '../../../components/ui/key-hint'
import { countConditions, type IssuesSearch, NO_FILTER } from './issue-search'

interface NoIssuesProps {
  search: IssuesSearch
  onSearch(search: IssuesSearch): void
}

/** Shown if no issue matches or exists: what to do first. */
export function NoIssues({ search, onSearch }: NoIssuesProps) {
  if (countConditions(search) > 0)
    return (
      <Empty title="No issues match these filters.">
        <p>The search covers IDs and titles. Closed issues are hidden unless you include them.</p>
        <Button
          onClick={() => {
            const { q: _q, assignee: _assignee, staleDays: _stale, ...rest } = search
            onSearch({ ...rest, ...NO_FILTER })
          }}
        >
          Show all open issues
        </Button>
      </Empty>
    )
  return (
    <Empty title="No open issues.">
      <p>
        Create one with <em>New issue</em> <KeyHint keys="n" />, or run this in the project’s folder. An existing{' '}
        <code className="font-mono text-xs">.beads/issues.jsonl</code> is read automatically.
      </p>
      <CommandLine command='lode issue create "Fix the failing tests"' />
      {search.withDone ? null : (
        <Button onClick={() => onSearch({ ...search, withDone: true })}>Show closed issues</Button>
      )}
    </Empty>
  )
}
