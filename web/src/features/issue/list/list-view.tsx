import { ArrowDown, ArrowUp } from 'lucide-react'
import { useCallback } from 'react'
import type { IssueOrder } from '#domain/issue/issue-store'
import { Loading } from '../../../components/ui/empty'
import { ErrorCard } from '../../../components/ui/error-card'
import { type ListedIssue, useIssueList } from '../issue-query'
import type { IssueAct } from '../use-issue-dialogs'
import { IssueGrid } from './issue-grid'
import { ISSUE_COLUMN_CLASSES, NOT_BESIDE_CLASSES } from './issue-row'
import { type IssuesSearch, issuesPath } from './issue-search'
import { NoIssues } from './no-issues'

interface ListViewProps {
  search: IssuesSearch
  onSearch(search: IssuesSearch): void
  onTargets(issues: readonly ListedIssue[]): void
  /** Called with what is to be done with the selected issues. */
  onAct(act: IssueAct): void
}

/** A list of issues, which loads pages as the person scrolls. */
export function ListView({ search, onSearch, onTargets, onAct }: ListViewProps) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useIssueList(
    search,
    search.order,
    search.isReversed,
  )
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  if (data === undefined)
    return error === null ? <Loading what="Reading issues" /> : <ErrorCard error={error} onRetry={refetch} />
  const issues = data.pages.flatMap((page) => page.issues)
  const total = data.pages[0]?.total ?? 0
  if (issues.length === 0) return <NoIssues search={search} onSearch={onSearch} />
  return (
    <>
      <p role="status" className="sr-only">
        {total.toLocaleString('en')} issues
      </p>
      <IssueGrid
        label="Issues"
        rows={issues.map((issue) => ({ kind: 'issue', issue }))}
        total={total}
        project={search.project}
        list={issuesPath(search)}
        head={<Head search={search} total={total} onSearch={onSearch} />}
        onEnd={onEnd}
        onTargets={onTargets}
        onAct={onAct}
      />
    </>
  )
}

/** The header of the list. Sortable columns are buttons. */
function Head({
  search,
  total,
  onSearch,
}: {
  search: IssuesSearch
  total: number
  onSearch: ListViewProps['onSearch']
}) {
  const column = (order: IssueOrder, name: string, title: string) => {
    const isOn = search.order === order
    const Arrow = search.isReversed ? ArrowUp : ArrowDown
    return (
      <span
        role="columnheader"
        aria-sort={isOn ? (search.isReversed ? 'descending' : 'ascending') : 'none'}
        className="flex"
      >
        <button
          type="button"
          title={`Sort by ${title}`}
          onClick={() => onSearch({ ...search, order, isReversed: isOn && !search.isReversed })}
          className={`flex items-center gap-0.5 rounded-sm hover:text-ink max-rows:h-9 ${isOn ? 'font-semibold text-ink' : ''}`}
        >
          {name}
          {isOn ? <Arrow aria-hidden size={11} /> : null}
        </button>
      </span>
    )
  }
  return (
    <div
      role="row"
      aria-rowindex={1}
      className={`sticky top-0 z-10 grid h-7 items-center gap-x-2 border-b border-line bg-canvas pr-3 pl-2 text-xs text-ink-3 max-rows:flex max-rows:h-9 max-rows:gap-4 ${ISSUE_COLUMN_CLASSES}`}
    >
      <span role="columnheader" className="max-rows:sr-only">
        <span className="sr-only">Status</span>
      </span>
      {column('priority', 'Pri', 'priority')}
      {column('id', 'ID', 'ID')}
      <span role="columnheader" className="max-rows:sr-only">
        <span className="sr-only">Type</span>
      </span>
      <span role="columnheader" className="max-rows:order-last max-rows:ml-auto">
        <span className="max-rows:sr-only">Title </span>
        <span className="rows:pl-1">{total.toLocaleString('en')}</span>
      </span>
      <span role="columnheader" className={`max-rows:sr-only ${NOT_BESIDE_CLASSES}`}>
        Who
      </span>
      <span className="contents rows:[&>span]:justify-self-end">{column('updated', 'Changed', 'last change')}</span>
    </div>
  )
}
