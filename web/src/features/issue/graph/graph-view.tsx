import { Focus, Table2, Workflow } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { Link } from '../../../components/link'
import { Button } from '../../../components/ui/button'
import { Empty, Loading } from '../../../components/ui/empty'
import { ErrorCard } from '../../../components/ui/error-card'
import { IdChip } from '../../../components/ui/id-chip'
import { Status } from '../../../components/ui/status'
import { counted } from '../../../lib/format'
import { issuePathIn, useGo } from '../../../lib/links'
import { visibleText } from '../../../lib/visible-text'
import { type ListedIssue, MAX_GRAPH_ISSUES, useGraphIssues } from '../issue-query'
import { type IssuesSearch, issuesPath, MAX_REACH } from '../list/issue-search'
import { NoIssues } from '../list/no-issues'
import { GraphPicture } from './graph-picture'
import { GraphTable } from './graph-table'
import { graphOf } from './issue-graph'

interface GraphViewProps {
  search: IssuesSearch
  onSearch(search: IssuesSearch): void
  onCurrent(issue: ListedIssue | undefined): void
}

/** The graph of dependencies, as a picture or a table. */
export function GraphView({ search, onSearch, onCurrent }: GraphViewProps) {
  const { data, error, refetch } = useGraphIssues(search)
  const go = useGo()
  const [currentId, setCurrentId] = useState<string | undefined>(search.focus)
  const { focus, reach, withAlone, project } = search
  const issues = data?.issues
  const graph = useMemo(
    () => graphOf(issues ?? [], { ...(focus !== undefined && { focus }), reach, withAlone }),
    [issues, focus, reach, withAlone],
  )
  const current = issues?.find(({ id }) => id === currentId)
  const onPoint = useCallback(
    (id: string | undefined) => {
      setCurrentId(id)
      onCurrent(issues?.find((issue) => issue.id === id))
    },
    [issues, onCurrent],
  )
  const onOpen = useCallback((id: string) => go(issuePathIn(id, project)), [go, project])
  const setFocus = useCallback(
    (id: string | undefined) => {
      const { focus: _, ...rest } = search
      onSearch(id === undefined ? rest : { ...rest, focus: id })
    },
    [search, onSearch],
  )
  if (data === undefined)
    return error === null ? <Loading what="Reading issues" /> : <ErrorCard error={error} onRetry={refetch} />
  if (data.issues.length === 0) return <NoIssues search={search} onSearch={onSearch} />
  const isFocusGone = focus !== undefined && !data.issues.some(({ id }) => id === focus)
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <GraphToolbar
        search={search}
        current={current}
        aloneCount={graph.aloneCount}
        onSearch={onSearch}
        onFocus={setFocus}
      />
      <Notes
        isFocusGone={isFocusGone}
        focus={focus}
        outside={graph.outsideCount}
        total={data.total}
        withDone={search.withDone}
        onDone={() => onSearch({ ...search, withDone: true })}
      />
      {graph.nodes.length === 0 ? (
        <Empty title="No issue depends on another.">
          <p>Add links on an issue’s page.</p>
        </Empty>
      ) : search.isTable ? (
        <GraphTable graph={graph} project={project} />
      ) : (
        <GraphPicture
          graph={graph}
          choice={issuesPath(search)}
          focus={isFocusGone ? undefined : focus}
          onCurrent={onPoint}
          onOpen={onOpen}
          onFocus={setFocus}
        />
      )}
    </div>
  )
}

interface GraphToolbarProps {
  search: IssuesSearch
  current: ListedIssue | undefined
  /** Number of issues without links. */
  aloneCount: number
  onSearch(search: IssuesSearch): void
  onFocus(id: string | undefined): void
}

/** The current issue, and what of the graph is shown. */
function GraphToolbar({ search, current, aloneCount, onSearch, onFocus }: GraphToolbarProps) {
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-1.5 border-b border-line px-4 py-1 max-md:px-3">
      {current === undefined ? null : (
        <span className="flex min-w-0 flex-1 basis-60 items-center gap-1.5 text-sm">
          <Status status={current.status} isSmall />
          <span className="shrink-0">
            <IdChip id={current.id} />
          </span>
          <Link to={issuePathIn(current.id, search.project)} className="min-w-0 truncate">
            {visibleText(current.title)}
          </Link>
        </span>
      )}
      {search.focus === undefined ? (
        <Button
          look="quiet"
          icon={<Focus aria-hidden size={13} />}
          disabled={current === undefined}
          onClick={() => onFocus(current?.id)}
        >
          Show only nearby issues
        </Button>
      ) : (
        <>
          <label className="flex items-center gap-1 text-xs text-ink-2">
            Steps
            <select
              value={search.reach}
              onChange={(event) => onSearch({ ...search, reach: Number(event.target.value) })}
              className="h-7 rounded border border-line bg-panel px-1 max-md:h-9"
            >
              {Array.from({ length: MAX_REACH }, (_, index) => index + 1).map((steps) => (
                <option key={steps}>{steps}</option>
              ))}
            </select>
          </label>
          <Button onClick={() => onFocus(undefined)}>Show all</Button>
        </>
      )}
      <label className={`items-center gap-1 text-xs text-ink-2 max-md:min-h-9 ${aloneCount === 0 ? 'hidden' : 'flex'}`}>
        <input
          type="checkbox"
          checked={search.withAlone}
          onChange={(event) => onSearch({ ...search, withAlone: event.target.checked })}
          className="accent-accent"
        />
        Include {counted(aloneCount, 'issue')} without links
      </label>
      <Button
        look="quiet"
        icon={search.isTable ? <Workflow aria-hidden size={13} /> : <Table2 aria-hidden size={13} />}
        onClick={() => onSearch({ ...search, isTable: !search.isTable })}
      >
        {search.isTable ? 'As a picture' : 'As a table'}
      </Button>
    </div>
  )
}

interface NotesProps {
  isFocusGone: boolean
  focus: string | undefined
  outside: number
  total: number
  withDone: boolean
  onDone(): void
}

/** Says what the graph omits. */
function Notes({ isFocusGone, focus, outside, total, withDone, onDone }: NotesProps) {
  const isCut = total > MAX_GRAPH_ISSUES
  if (!isFocusGone && !isCut && (outside === 0 || withDone)) return null
  return (
    <p className="shrink-0 border-b border-line px-4 py-1 text-xs text-ink-3 max-md:px-3">
      {isFocusGone ? `${visibleText(focus ?? '')} does not match these filters, so all issues are shown. ` : ''}
      {isCut
        ? `Showing the first ${MAX_GRAPH_ISSUES.toLocaleString('en')} of ${total.toLocaleString('en')} issues by priority. `
        : ''}
      {outside > 0 && !withDone ? (
        <>
          {counted(outside, 'link leads', 'links lead')} to issues that are not shown.{' '}
          <button type="button" onClick={onDone} className="text-accent underline">
            Show closed issues
          </button>
        </>
      ) : null}
    </p>
  )
}
