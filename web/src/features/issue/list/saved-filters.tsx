import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { SavedViews, viewProject } from '../../../components/saved-views'
import { client } from '../../../lib/api'
import { may } from '../../../lib/me'
import { parseSearch } from '../../../lib/search'
import { listInput, scopeOf } from '../issue-query'
import { applyFilter, BUILT_IN_FILTERS, forgetFilters, isApplied, savedFilters } from './issue-filters'
import { type IssuesSearch, parseIssuesSearch, writeIssuesSearch } from './issue-search'

interface SavedFiltersProps {
  search: IssuesSearch
  onSearch(search: IssuesSearch): void
}

/** The menu of named views of issues. A view without a project keeps the one that is looked at. */
export function SavedFilters({ search, onSearch }: SavedFiltersProps) {
  useMovedFilters()
  const asView = (wanted: string) => ({ name: '', search: wanted })
  return (
    <SavedViews
      list="issues"
      search={writeIssuesSearch(search)}
      builtIn={BUILT_IN_FILTERS}
      project={viewProject(search.project)}
      isApplied={(wanted) => isApplied(asView(wanted), search)}
      count={async (wanted, signal) => {
        const filter = applyFilter(asView(wanted), search)
        if (filter.view === 'ready')
          return {
            rows: (await client.issues.ready({ ...scopeOf(filter.project), limit: 1 }, { signal })).total,
            isMore: false,
          }
        return { rows: (await client.issues.list({ ...listInput(filter), limit: 1 }, { signal })).total, isMore: false }
      }}
      onOpen={(wanted) =>
        onSearch(applyFilter(asView(wanted), parseIssuesSearch(parseSearch(writeIssuesSearch(search)))))
      }
    />
  )
}

/** Views that a former version stored in this browser become the person's own on the server. */
function useMovedFilters(): void {
  const queries = useQueryClient()
  useEffect(() => {
    const kept = savedFilters()
    if (kept.length === 0 || !may('views.save')) return
    const move = async () => {
      for (const { name, search } of kept) await client.views.save({ list: 'issues', name, search })
      forgetFilters()
      await queries.invalidateQueries({ queryKey: ['views', 'issues'] })
    }
    // What can't be moved now stays where it is.
    void move().catch(() => undefined)
  }, [queries])
}
