import { Focus, Table2, Workflow } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { graphOf } from '../../lib/issue-graph'
import { type ListedIssue, MAX_GRAPH, useGraphIssues } from '../../lib/issue-query'
import { type IssuesSearch, issuesPath } from '../../lib/issue-search'
import { useGo } from '../../lib/links'
import { visibleText } from '../../lib/visible-text'
import { Link } from '../link'
import { Button } from '../ui/button'
import { Empty, Loading } from '../ui/empty'
import { ErrorCard } from '../ui/error-card'
import { IdChip } from '../ui/id-chip'
import { Status } from '../ui/status'
import { GraphPicture } from './graph-picture'
import { GraphTable } from './graph-table'
import { pathTo } from './issue-grid'
import { NoIssues } from './no-issues'

interface GraphViewProps {
  search: IssuesSearch
  onSearch(search: IssuesSearch): void
  onCurrent(issue: ListedIssue | undefined): void
}

/** What waits for what. */
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
  const onOpen = useCallback((id: string) => go(pathTo(id, project)), [go, project])
  const setFocus = useCallback(
    (id: string | undefined) => {
      const { focus: _, ...rest } = search
      onSearch(id === undefined ? rest : { ...rest, focus: id })
    },
    [search, onSearch],
  )
  if (data === undefined)
    return error === null ? <Loading what="Reading the issues" /> : <ErrorCard error={error} onRetry={refetch} />
  if (data.issues.length === 0) return <NoIssues search={search} onSearch={onSearch} />
  const isFocusGone = focus !== undefined && !data.issues.some(({ id }) => id === focus)
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-1.5 border-b border-line px-4 py-1 max-md:px-3">
        {current === undefined ? null : (
          <span className="flex min-w-0 flex-1 basis-60 items-center gap-1.5 text-sm">
            <Status status={current.status} isSmall />
            <IdChip id={current.id} />
            <Link to={pathTo(current.id, project)} className="min-w-0 truncate">
              {visibleText(current.title)}
            </Link>
          </span>
        )}
        {focus === undefined ? (
          <Button
            look="quiet"
            icon={<Focus aria-hidden size={13} />}
            disabled={current === undefined}
            onClick={() => setFocus(current?.id)}
          >
            Only what is near it
          </Button>
        ) : (
          <>
            <label className="flex items-center gap-1 text-xs text-ink-2">
              Steps
              <select
                value={reach}
                onChange={(event) => onSearch({ ...search, reach: Number(event.target.value) })}
                className="h-7 rounded border border-line bg-panel px-1 max-md:h-9"
              >
                {[1, 2, 3, 4, 5].map((steps) => (
                  <option key={steps}>{steps}</option>
                ))}
              </select>
            </label>
            <Button onClick={() => setFocus(undefined)}>Show all again</Button>
          </>
        )}
        <label
          className={`items-center gap-1 text-xs text-ink-2 max-md:min-h-9 ${graph.aloneCount === 0 ? 'hidden' : 'flex'}`}
        >
          <input
            type="checkbox"
            checked={withAlone}
            onChange={(event) => onSearch({ ...search, withAlone: event.target.checked })}
            className="accent-accent"
          />
          with {graph.aloneCount.toLocaleString('en')} that nothing leads to
        </label>
        <Button
          look="quiet"
          icon={search.isTable ? <Workflow aria-hidden size={13} /> : <Table2 aria-hidden size={13} />}
          onClick={() => onSearch({ ...search, isTable: !search.isTable })}
        >
          {search.isTable ? 'As a picture' : 'As a table'}
        </Button>
      </div>
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
          <p>Links are made on an issue’s page, or in a terminal.</p>
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

interface NotesProps {
  isFocusGone: boolean
  focus: string | undefined
  outside: number
  total: number
  withDone: boolean
  onDone(): void
}

/** What the picture leaves out. */
function Notes({ isFocusGone, focus, outside, total, withDone, onDone }: NotesProps) {
  const isCut = total > MAX_GRAPH
  if (!isFocusGone && !isCut && (outside === 0 || withDone)) return null
  return (
    <p className="shrink-0 border-b border-line px-4 py-1 text-xs text-ink-3 max-md:px-3">
      {isFocusGone ? `${visibleText(focus ?? '')} is not among these: all are shown. ` : ''}
      {isCut ? `The first ${MAX_GRAPH.toLocaleString('en')} of ${total.toLocaleString('en')} by priority. ` : ''}
      {outside > 0 && !withDone ? (
        <>
          {outside.toLocaleString('en')} relations lead to issues that are not shown.{' '}
          <button type="button" onClick={onDone} className="text-accent underline">
            With what is done
          </button>
        </>
      ) : null}
    </p>
  )
}
