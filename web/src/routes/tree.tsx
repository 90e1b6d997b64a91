import { useSearch } from '@tanstack/react-router'
import { Activity } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { NothingRecorded } from '../components/nothing-recorded'
import { PageHead } from '../components/page-head'
import { Button } from '../components/ui/button'
import { Empty, Loading } from '../components/ui/empty'
import { ErrorCard } from '../components/ui/error-card'
import { KeyHint } from '../components/ui/key-hint'
import { TreeFilters } from '../features/tree/tree-filters'
import { type TreeEntry, treeRows } from '../features/tree/tree-rows'
import { parseTreeSearch, type TreeSearch, treePath } from '../features/tree/tree-search'
import { TreeView } from '../features/tree/tree-view'
import { useLevels } from '../features/tree/use-levels'
import { client } from '../lib/api'
import { useKeys } from '../lib/keys/keys'
import { issuePath, sessionPath, taskPath, useGo } from '../lib/links'

/** All work: project › task › session › sub-agent › running calls and to-dos. The address holds open entries and filters. */
export function TreePage() {
  const search = parseTreeSearch(useSearch({ strict: false }))
  const go = useGo()
  const show = useCallback((next: TreeSearch) => go(treePath(next), { replace: true }), [go])
  const [first, setFirst] = useState<string | null>(null)
  const open = useMemo(() => search.open ?? (first === null ? [] : [first]), [search.open, first])
  const { levels, error, retry, more } = useLevels(open, search)
  const rows = useMemo(() => treeRows(levels, new Set(open)), [levels, open])
  const [current, setCurrent] = useState<string | null>(null)
  const root = levels.get('')

  // Until the person chooses, the entry with the latest activity is open.
  useEffect(() => {
    const newest = root?.entries[0]
    if (first === null && newest !== undefined) setFirst(newest.id)
  }, [root, first])

  usePath(search, show, setCurrent)
  const expanding = useExpanding(rows, open, search, show)

  const toggle = (entry: TreeEntry, isOpen: boolean) => {
    // An entry that the person closes must not open again by itself.
    expanding.end()
    show({ ...search, open: isOpen ? open.filter((id) => id !== entry.id) : [...open, entry.id] })
  }
  return (
    <>
      <PageHead
        title="Tree"
        actions={
          <>
            <TreeFilters search={search} onChange={show} />
            <Button icon={<Activity aria-hidden size={13} />} onClick={expanding.begin}>
              Expand running work <KeyHint keys="r" />
            </Button>
          </>
        }
      />
      {error !== null ? <ErrorCard error={error} onRetry={() => void retry()} /> : null}
      {root === undefined ? (
        error === null ? (
          <Loading what="Reading the tree" />
        ) : null
      ) : root.entries.length === 0 ? (
        <Nothing isFiltered={search.q !== undefined || search.status !== undefined || search.span !== undefined} />
      ) : (
        <TreeView
          rows={rows}
          current={current}
          onCurrent={setCurrent}
          onToggle={toggle}
          onOpenPage={(entry) => {
            const path = pageOf(entry)
            if (path === null) toggle(entry, open.includes(entry.id))
            else go(path)
          }}
          onOpenAll={(entries) => show({ ...search, open: [...new Set([...open, ...entries.map(({ id }) => id)])] })}
          onMore={more}
          span={search.span}
        />
      )}
    </>
  )
}

/** Path of the page of an entry; `null` for a project, which has none. */
function pageOf(entry: TreeEntry): string | null {
  const { kind, sessionId, taskId, subagentId, issueId } = entry
  if (kind === 'project') return null
  if (kind === 'task' && taskId !== null) return taskPath(taskId)
  if (sessionId !== null)
    return sessionPath(sessionId) + (subagentId === null ? '' : `?agent=${encodeURIComponent(subagentId)}`)
  return issueId === null ? null : issuePath(issueId)
}

/** Opens all entries above the one that `at` names, and makes it current. */
function usePath(search: TreeSearch, show: (next: TreeSearch) => void, setCurrent: (key: string) => void): void {
  const { at } = search
  const latest = useRef(search)
  latest.current = search
  useEffect(() => {
    if (at === undefined) return
    const ending = new AbortController()
    client.tree
      .level({ under: at, limit: 1 }, { signal: ending.signal })
      .then(({ path }) => {
        const { at: _, ...rest } = latest.current
        const above = path.map(({ id }) => id).filter((id) => id !== at)
        show({ ...rest, open: [...new Set([...(rest.open ?? []), ...above])] })
        setCurrent(`${above.at(-1) ?? ''} ${at}`)
      })
      .catch(() => {
        const { at: _, ...rest } = latest.current
        if (!ending.signal.aborted) show(rest)
      })
    return () => ending.abort()
  }, [at, show, setCurrent])
}

/** Levels that are expanded automatically at most. */
const MAX_EXPANDED_LEVELS = 60

/** Expands everything with running work, level by level as they load. Ends when nothing more can be expanded. */
function useExpanding(
  rows: ReturnType<typeof treeRows>,
  open: readonly string[],
  search: TreeSearch,
  show: (next: TreeSearch) => void,
): { begin(): void; end(): void } {
  const [isExpanding, setExpanding] = useState(false)
  useEffect(() => {
    if (!isExpanding) return
    const next = rows.flatMap((row) =>
      row.kind === 'entry' && !row.isOpen && row.entry.childCount > 0 && (row.entry.rollup?.running ?? 0) > 0
        ? [row.entry.id]
        : [],
    )
    const isLoading = rows.some((row) => row.kind === 'more' && row.left === 0)
    if (next.length > 0 && open.length < MAX_EXPANDED_LEVELS)
      show({ ...search, open: [...open, ...next].slice(0, MAX_EXPANDED_LEVELS) })
    else if (!isLoading) setExpanding(false)
  }, [isExpanding, rows, open, search, show])
  const begin = useCallback(() => setExpanding(true), [])
  useKeys(useMemo(() => [{ keys: 'r', label: 'expand running work', group: 'Tree', run: begin }], [begin]))
  return { begin, end: () => setExpanding(false) }
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="Nothing matches these filters." />
  return <NothingRecorded />
}
