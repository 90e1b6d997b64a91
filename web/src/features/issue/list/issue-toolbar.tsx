import { Filter, LayoutList, ListChecks, type LucideIcon, SquareKanban, Workflow } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { ISSUE_TYPES } from '#domain/issue/issue'
import { ISSUE_PRIORITIES, priorityName } from '#domain/issue/issue-priority'
import { Link } from '../../../components/link'
import { Button } from '../../../components/ui/button'
import { statusWord } from '../../../components/ui/status'
import { TYPING_PAUSE_MS } from '../../../lib/typed'
import { visibleText } from '../../../lib/visible-text'
import { useLabels, useStatuses } from '../issue-query'
import { countConditions, ISSUE_VIEWS, type IssuesSearch, type IssueView, issuesPath, NO_FILTER } from './issue-search'
import { PickMany } from './pick-many'
import { ProjectSelect } from './project-select'
import { SavedFilters } from './saved-filters'

const VIEWS: Record<IssueView, { name: string; icon: LucideIcon }> = {
  list: { name: 'List', icon: LayoutList },
  board: { name: 'Board', icon: SquareKanban },
  ready: { name: 'Ready', icon: ListChecks },
  graph: { name: 'Graph', icon: Workflow },
}

interface ToolbarProps {
  search: IssuesSearch
  onSearch(search: IssuesSearch): void
}

/** View and filters of the issues page. The address holds all of them. */
export function IssueToolbar({ search, onSearch }: ToolbarProps) {
  const [isOpen, setOpen] = useState(false)
  const conditions = countConditions(search)
  return (
    <div className="flex shrink-0 flex-col gap-1.5 border-b border-line px-4 py-1.5 max-md:px-3">
      <div className="flex flex-wrap items-center gap-1.5">
        <nav aria-label="Views of issues" className="flex rounded border border-line bg-panel">
          {ISSUE_VIEWS.map((view) => {
            const { name, icon: Icon } = VIEWS[view]
            return (
              <Link
                key={view}
                to={issuesPath({ ...search, view })}
                aria-current={view === search.view ? 'page' : undefined}
                className="flex h-6.5 items-center gap-1 border-r border-line px-2 text-xs text-ink-2 last:border-r-0 hover:bg-hover hover:no-underline aria-[current=page]:bg-hover aria-[current=page]:font-semibold aria-[current=page]:text-ink max-md:h-9"
              >
                <Icon aria-hidden size={13} />
                {name}
              </Link>
            )
          })}
        </nav>
        <ProjectSelect project={search.project} onProject={(project) => onSearch(withProject(search, project))} />
        <span className="md:hidden">
          <Button
            look="quiet"
            icon={<Filter aria-hidden size={13} />}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            Filter{conditions > 0 ? ` (${conditions})` : ''}
          </Button>
        </span>
        <span className="ml-auto">
          <SavedFilters search={search} onSearch={onSearch} />
        </span>
      </div>
      <div className={`flex-wrap items-center gap-1 ${isOpen ? 'flex' : 'flex max-md:hidden'}`}>
        <Filters search={search} onSearch={onSearch} />
        {conditions > 0 ? (
          <Button look="quiet" onClick={() => onSearch(cleared(search))}>
            Clear
          </Button>
        ) : null}
      </div>
    </div>
  )
}

function withProject({ project: _, ...rest }: IssuesSearch, project: string | undefined): IssuesSearch {
  return project === undefined ? rest : { ...rest, project }
}

function cleared(search: IssuesSearch): IssuesSearch {
  const { q: _q, assignee: _assignee, staleDays: _stale, ...rest } = search
  return { ...rest, ...NO_FILTER }
}

/** Filters of the “More” menu. */
const MORE_FILTERS = [
  { id: 'blocked', label: 'Blocked' },
  { id: 'unassigned', label: 'Unassigned' },
  { id: 'done', label: 'Include closed' },
  { id: 'stale', label: 'Unchanged for 30 days' },
]

function Filters({ search, onSearch }: ToolbarProps) {
  const statuses = useStatuses(search.project).data?.statuses ?? []
  const labels = useLabels(search.project).data?.labels ?? []
  const more = [
    ...(search.isBlocked ? ['blocked'] : []),
    ...(search.isUnassigned ? ['unassigned'] : []),
    ...(search.withDone ? ['done'] : []),
    ...(search.staleDays === undefined ? [] : ['stale']),
  ]
  const setMore = (picked: string[]) => {
    const { staleDays, ...rest } = search
    onSearch({
      ...rest,
      isBlocked: picked.includes('blocked'),
      isUnassigned: picked.includes('unassigned'),
      withDone: picked.includes('done'),
      ...(picked.includes('stale') && { staleDays: staleDays ?? 30 }),
    })
  }
  return (
    <>
      <Words
        label="Search ID or title"
        value={search.q}
        onValue={(q) => {
          const { q: _, ...rest } = search
          onSearch(q === undefined ? rest : { ...rest, q })
        }}
        className="w-44"
      />
      <PickMany
        name="Status"
        choices={statuses
          .filter(({ isBuiltIn, count }) => !isBuiltIn || count > 0)
          .map(({ name, count }) => ({ id: name, label: statusWord(visibleText(name)), count }))}
        picked={search.status}
        onPick={(status) => onSearch({ ...search, status })}
      />
      <PickMany
        name="Type"
        choices={ISSUE_TYPES.map((type) => ({ id: type, label: type }))}
        picked={search.type}
        onPick={(type) => onSearch({ ...search, type })}
      />
      <PickMany
        name="Priority"
        choices={ISSUE_PRIORITIES.map((one) => ({ id: String(one), label: priorityName(one) }))}
        picked={search.priority.map(String)}
        onPick={(picked) => onSearch({ ...search, priority: picked.map(Number).sort() })}
      />
      <PickMany
        name="Label"
        choices={labels.map(({ label, count }) => ({ id: label, label: visibleText(label), count }))}
        picked={search.label}
        onPick={(label) => onSearch({ ...search, label })}
        none="No labels yet."
      />
      <Words
        label="Assignee"
        value={search.assignee}
        onValue={(assignee) => {
          const { assignee: _, ...rest } = search
          onSearch(assignee === undefined ? rest : { ...rest, assignee })
        }}
        className="w-24"
      />
      <PickMany name="More" choices={MORE_FILTERS} picked={more} onPick={setMore} />
    </>
  )
}

interface WordsProps {
  label: string
  value: string | undefined
  onValue(value: string | undefined): void
  className: string
}

/** A field whose text goes into the address after a pause in typing. */
function Words({ label, value = '', onValue, className }: WordsProps) {
  const [text, setText] = useState(value)
  const latest = useRef(onValue)
  latest.current = onValue
  // The address changed by other means.
  useEffect(() => setText(value), [value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing counts
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => latest.current(text.trim() === '' ? undefined : text), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.blur()
      }}
      className={`h-7 min-w-0 rounded border border-line bg-panel px-2 text-xs placeholder:text-ink-3 max-md:h-9 ${className}`}
    />
  )
}
