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
import { SelectionBar, useIssueSelection } from '../features/issue/list/issue-selection'
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
  const current = useRef<ListedIssue | undefined>(undefined)
  const onCurrent = useCallback((issue: ListedIssue | undefined) => {
    current.current = issue
  }, [])
  const selection = useIssueSelection(issuesPath(search))
  const { chosen } = selection
  const read = useCallback(
    () => (chosen.size > 0 ? [...chosen.values()] : current.current === undefined ? [] : [current.current]),
    [chosen],
  )
  const dialogs = useIssueDialogs(search.project, read, search.view === 'board' || search.view === 'graph')
  const view = { search, onSearch, onCurrent }
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
      <SelectionBar selection={selection} />
      {search.view === 'list' ? (
        <ListView {...view} selection={selection} />
      ) : search.view === 'board' ? (
        <BoardView {...view} />
      ) : search.view === 'ready' ? (
        <ReadyView {...view} selection={selection} />
      ) : (
        <GraphView {...view} />
      )}
      {dialogs.element}
    </>
  )
}
