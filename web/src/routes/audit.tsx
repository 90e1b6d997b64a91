import { useMutation } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Download, RefreshCw } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { PageHead } from '../components/page-head'
import { Button } from '../components/ui/button'
import { Empty, Loading } from '../components/ui/empty'
import { ErrorCard, ErrorLine } from '../components/ui/error-card'
import { KeyHint } from '../components/ui/key-hint'
import { AuditCheck } from '../features/audit/audit-check'
import { AuditFilters } from '../features/audit/audit-filters'
import { downloadLines, FORMATS, type Format, useAuditCheck, useAuditLines } from '../features/audit/audit-query'
import { auditPath, parseAuditSearch } from '../features/audit/audit-search'
import { AuditTable } from '../features/audit/audit-table'
import { useKeys } from '../lib/keys/keys'
import { useGo } from '../lib/links'
import type { Search } from '../lib/search'

/** Acts that matter for security, with their authors, and whether the log is whole. */
export function AuditPage() {
  const words: Search = useSearch({ strict: false })
  const search = useMemo(() => parseAuditSearch(words), [words])
  const go = useGo()
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useAuditLines(search)
  const check = useAuditCheck()
  const again = useCallback(() => {
    void refetch()
    void check.refetch()
  }, [refetch, check.refetch])
  const bindings = useMemo(() => [{ keys: 'r', label: 'check again', group: 'Audit', run: again }], [again])
  useKeys(bindings)
  const download = useMutation({ mutationFn: (format: Format) => downloadLines(search, format) })
  const lines = useMemo(() => data?.pages.flatMap((page) => page.lines) ?? [], [data])
  const more = useCallback(() => void fetchNextPage(), [fetchNextPage])
  return (
    <>
      <PageHead
        title="Audit"
        below={<span>Who did what that matters for security</span>}
        actions={
          <>
            {(Object.keys(FORMATS) as Format[]).map((format) => (
              <Button
                key={format}
                icon={<Download aria-hidden size={13} />}
                isBusy={download.isPending && download.variables === format}
                disabled={lines.length === 0}
                onClick={() => download.mutate(format)}
              >
                {FORMATS[format].name}
              </Button>
            ))}
            <Button icon={<RefreshCw aria-hidden size={13} />} isBusy={check.isFetching} onClick={again}>
              Check again <KeyHint keys="r" />
            </Button>
          </>
        }
      />
      <AuditFilters search={search} onChange={(next) => go(auditPath(next), { replace: true })} />
      <ErrorLine error={download.error} />
      {check.data === undefined ? null : <AuditCheck check={check.data} />}
      {error !== null && data === undefined ? <ErrorCard error={error} onRetry={again} /> : null}
      {data === undefined && error === null ? <Loading what="Reading the audit log" /> : null}
      {data === undefined ? null : lines.length === 0 ? (
        <NoLines isNarrowed={Object.keys(search).length > 0} />
      ) : (
        <AuditTable lines={lines} hasMore={hasNextPage} isAsking={isFetchingNextPage} onMore={more} />
      )}
    </>
  )
}

function NoLines({ isNarrowed }: { isNarrowed: boolean }) {
  return isNarrowed ? (
    <Empty title="No lines match these filters.">
      <p>Choose a longer time, or remove a filter.</p>
    </Empty>
  ) : (
    <Empty title="Nothing is in the log yet.">
      <p>Logins, answers, exports and changed settings will be listed here.</p>
    </Empty>
  )
}
