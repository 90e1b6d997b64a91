import { type Dispatch, type SetStateAction, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Empty, Loading } from '../../../components/ui/empty'
import { ErrorCard, ErrorLine } from '../../../components/ui/error-card'
import { statusWord } from '../../../components/ui/status'
import { type KeyBinding, useKeys } from '../../../lib/keys/keys'
import { issuePathIn, useGo } from '../../../lib/links'
import { type IssueStatus, type ListedIssue, useStatuses } from '../issue-query'
import type { IssuesSearch } from '../list/issue-search'
import { BoardColumn } from './board-column'
import { type MoveStatus, useMoveStatus } from './use-move-status'

interface BoardViewProps {
  search: IssuesSearch
  onSearch(search: IssuesSearch): void
  onCurrent(issue: ListedIssue | undefined): void
}

/** Columns that are shown even if empty, so that issues can be moved there. */
const ALWAYS_SHOWN = new Set(['open', 'in_progress', 'blocked', 'closed'])

/** Statuses of the columns, in the order in which work goes through them. */
function columnsOf(statuses: readonly IssueStatus[], { status }: IssuesSearch): string[] {
  const order = ['open', 'in_progress', 'blocked']
  const rank = ({ name, category }: IssueStatus) =>
    order.includes(name) ? order.indexOf(name) : category === 'frozen' ? 4 : category === 'done' ? 5 : 3
  return statuses
    .filter(({ name, count, isBuiltIn }) =>
      status.length > 0 ? status.includes(name) : ALWAYS_SHOWN.has(name) || !isBuiltIn || count > 0,
    )
    .toSorted((a, b) => rank(a) - rank(b))
    .map(({ name }) => name)
}

/** The cursor: a column and an index, and the issue there. */
interface Place {
  column: string
  at: number
  /** ID of the issue, which the cursor follows into another column. */
  id: string | null
}

/** The board of issues by status. Cards move by pointer, by menu, and by Shift with h or l. */
export function BoardView({ search, onCurrent }: BoardViewProps) {
  const { data, error, refetch } = useStatuses(search.project)
  const move = useMoveStatus(search.project)
  const columns = useMemo(() => columnsOf(data?.statuses ?? [], search), [data, search])
  const { column, at, byKey, setPlace, onLoaded } = useBoardCursor({
    columns,
    move,
    project: search.project,
    onCurrent,
  })

  if (data === undefined)
    return error === null ? <Loading what="Reading issues" /> : <ErrorCard error={error} onRetry={refetch} />
  if (columns.length === 0) return <Empty title="No columns match.">Choose other statuses.</Empty>
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <p role="status" className="sr-only">
        {move.isSuccess ? `${move.variables.issue.id} is now ${statusWord(move.variables.to)}` : ''}
      </p>
      {move.error === null ? null : (
        <div className="border-b border-line px-4 py-1.5 tint-fail">
          <ErrorLine error={move.error} />
        </div>
      )}
      <div className="flex min-h-0 flex-1 snap-x gap-2 overflow-x-auto p-2" data-testid="issue-board">
        {columns.map((name) => (
          <BoardColumn
            key={name}
            status={name}
            columns={columns}
            search={search}
            move={move}
            currentAt={name === column ? at : -1}
            byKey={byKey}
            onPoint={(index, id) => setPlace({ column: name, at: index, id })}
            onLoaded={onLoaded}
          />
        ))}
      </div>
    </div>
  )
}

interface BoardCursorInput {
  columns: readonly string[]
  move: MoveStatus
  project: string | undefined
  onCurrent(issue: ListedIssue | undefined): void
}

/** The board's cursor with its shortcuts. It follows an issue that moves to another column. */
function useBoardCursor({ columns, move, project, onCurrent }: BoardCursorInput) {
  const [place, setPlace] = useState<Place>({ column: 'open', at: 0, id: null })
  const [held, setHeld] = useState<Record<string, readonly ListedIssue[]>>({})
  const onLoaded = useCallback(
    (column: string, issues: readonly ListedIssue[]) => setHeld((now) => ({ ...now, [column]: issues })),
    [],
  )

  // The cursor follows a moved issue. Columns load separately, so for a moment two may contain it.
  useEffect(() => {
    if (place.id === null) return
    const has = (name: string) => held[name]?.some(({ id }) => id === place.id) === true
    const column = has(place.column) ? place.column : columns.find(has)
    const at = column === undefined ? -1 : (held[column]?.findIndex(({ id }) => id === place.id) ?? -1)
    if (column !== undefined && at >= 0 && (column !== place.column || at !== place.at))
      setPlace({ column, at, id: place.id })
  }, [held, columns, place])

  const column = columns.includes(place.column) ? place.column : (columns[0] ?? '')
  const issues = held[column] ?? []
  const at = Math.min(place.at, issues.length - 1)
  const current = issues[at]
  useEffect(() => onCurrent(current), [current, onCurrent])

  const byKey = useBoardKeys({ columns, column, at, held, current, move, project, setPlace })
  return { column, at, byKey, setPlace, onLoaded }
}

interface BoardKeysInput extends Omit<BoardCursorInput, 'onCurrent'> {
  column: string
  at: number
  /** Loaded issues by column. */
  held: Readonly<Record<string, readonly ListedIssue[]>>
  current: ListedIssue | undefined
  setPlace: Dispatch<SetStateAction<Place>>
}

/** Binds the shortcuts of the board. @returns the number of cursor moves by key */
function useBoardKeys({ project, setPlace, ...input }: BoardKeysInput): number {
  const go = useGo()
  const latest = useRef(input)
  latest.current = input
  const [byKey, setByKey] = useState(0)
  const bindings = useMemo((): KeyBinding[] => {
    const group = 'Board'
    const put = (name: string, to: number) => {
      const there = latest.current.held[name] ?? []
      const next = Math.max(0, Math.min(to, there.length - 1))
      setPlace({ column: name, at: next, id: there[next]?.id ?? null })
      setByKey((count) => count + 1)
    }
    const step = (by: number) => () => put(latest.current.column, latest.current.at + by)
    const side = (by: number) => () => {
      const { columns: all, column: now } = latest.current
      const next = all[all.indexOf(now) + by]
      if (next !== undefined) put(next, latest.current.at)
    }
    const shift = (by: number) => () => {
      const { columns: all, column: now, current: issue, move: mutation } = latest.current
      const to = all[all.indexOf(now) + by]
      if (issue === undefined || to === undefined) return false
      mutation.mutate({ issue, to })
      setPlace((before) => ({ ...before, id: issue.id }))
      return true
    }
    const open = (event: KeyboardEvent) => {
      const target = event.target
      if (target instanceof HTMLElement && target.closest('a,button,summary,[role=menuitem]') !== null) return false
      const { current: issue } = latest.current
      if (issue === undefined) return false
      go(issuePathIn(issue.id, project))
      return true
    }
    const bind = (keys: string, label: string, run: KeyBinding['run']): KeyBinding => ({ keys, label, group, run })
    return [
      bind('j', 'next card', step(1)),
      bind('k', 'previous card', step(-1)),
      bind('ArrowDown', 'next card', step(1)),
      bind('ArrowUp', 'previous card', step(-1)),
      bind('h', 'previous column', side(-1)),
      bind('l', 'next column', side(1)),
      bind('ArrowLeft', 'previous column', side(-1)),
      bind('ArrowRight', 'next column', side(1)),
      { ...bind('H', 'move the card to the previous column', shift(-1)), changes: true },
      { ...bind('L', 'move the card to the next column', shift(1)), changes: true },
      bind('Enter', 'open the issue', open),
    ]
  }, [go, project, setPlace])
  useKeys(bindings)
  return byKey
}
