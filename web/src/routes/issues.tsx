import { useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useCallback, useRef } from 'react'
import { lazyPart } from '../components/lazy-part'
import { PageHead } from '../components/page-head'
import { Button } from '../components/ui/button'
import { KeyHint } from '../components/ui/key-hint'
import { BoardView } from '../features/issue/board/board-view'
import type { ListedIssue } from '../features/issue/issue-query'
import { type IssuesSearch, issuesPath, parseIssuesSearch } from '../features/issue/list/issue-search'
import { IssueToolbar } from '../features/issue/list/issue-toolbar'
import { ListView } from '../features/issue/list/list-view'
import { ReadyView } from '../features/issue/list/ready-view'
import { useIssueDialogs } from '../features/issue/use-issue-dialogs'
import { useGo } from '../lib/links'

const GraphView = lazyPart(async () => (await import('../features/issue/graph/graph-view')).GraphView)

/** Issues of one project or all: as a list, as a board, by readiness, or as a graph of dependencies. */
export function IssuesPage() {
  const search = parseIssuesSearch(useSearch({ strict: false }))
  const go = useGo()
  const onSearch = useCallback((next: IssuesSearch) => go(issuesPath(next), { replace: true }), [go])
  const targets = useRef<readonly ListedIssue[]>([])
  const onTargets = useCallback((issues: readonly ListedIssue[]) => {
    targets.current = issues
  }, [])
  const onCurrent = useCallback(
    (issue: ListedIssue | undefined) => onTargets(issue === undefined ? [] : [issue]),
    [onTargets],
  )
  const read = useCallback(() => targets.current, [])
  const dialogs = useIssueDialogs(search.project, read, search.view === 'board' || search.view === 'graph')
  const view = { search, onSearch }
  return (
    <>
      <PageHead
        title="Issues"
        actions={
          <Button act="issues.create" icon={<Plus aria-hidden size={13} />} onClick={() => dialogs.openNew()}>
            New issue <KeyHint keys="n" />
          </Button>
        }
      />
      <IssueToolbar search={search} onSearch={onSearch} />
      {search.view === 'list' ? (
        <ListView {...view} onTargets={onTargets} onAct={dialogs.openForAll} />
      ) : search.view === 'board' ? (
        <BoardView {...view} onCurrent={onCurrent} />
      ) : search.view === 'ready' ? (
        <ReadyView {...view} onTargets={onTargets} onAct={dialogs.openForAll} />
      ) : (
        <GraphView {...view} onCurrent={onCurrent} />
      )}
      {dialogs.element}
    </>
  )
}
