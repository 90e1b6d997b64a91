import { useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useCallback, useRef } from 'react'
import { BoardView } from '../components/issue/board-view'
import { IssueToolbar } from '../components/issue/issue-toolbar'
import { ListView } from '../components/issue/list-view'
import { ReadyView } from '../components/issue/ready-view'
import { useIssueDialogs } from '../components/issue/use-issue-dialogs'
import { lazyPart } from '../components/lazy-part'
import { PageHead } from '../components/page-head'
import { Button } from '../components/ui/button'
import { KeyHint } from '../components/ui/key-hint'
import type { ListedIssue } from '../lib/issue-query'
import { type IssuesSearch, issuesPath, parseIssuesSearch } from '../lib/issue-search'
import { useGo } from '../lib/links'

const GraphView = lazyPart(async () => (await import('../components/issue/graph-view')).GraphView)

/** Issues of one project or of all: as a list, a board, by what is ready, or as a graph of what waits for what. */
export function IssuesPage() {
  const search = parseIssuesSearch(useSearch({ strict: false }))
  const go = useGo()
  const onSearch = useCallback((next: IssuesSearch) => go(issuesPath(next), { replace: true }), [go])
  const current = useRef<ListedIssue | undefined>(undefined)
  const onCurrent = useCallback((issue: ListedIssue | undefined) => {
    current.current = issue
  }, [])
  const read = useCallback(() => current.current, [])
  const dialogs = useIssueDialogs(search.project, read)
  const view = { search, onSearch, onCurrent }
  return (
    <>
      <PageHead
        title="Issues"
        actions={
          <Button icon={<Plus aria-hidden size={13} />} onClick={() => dialogs.openNew()}>
            New issue <KeyHint keys="n" />
          </Button>
        }
      />
      <IssueToolbar search={search} onSearch={onSearch} />
      {search.view === 'list' ? (
        <ListView {...view} />
      ) : search.view === 'board' ? (
        <BoardView {...view} />
      ) : search.view === 'ready' ? (
        <ReadyView {...view} />
      ) : (
        <GraphView {...view} />
      )}
      {dialogs.element}
    </>
  )
}
