import { X } from 'lucide-react'
import { AgentSelect } from '../../../components/agent-select'
import { TypedField } from '../../../components/typed-field'
import { Button } from '../../../components/ui/button'
import { Select } from '../../../components/ui/field'
import { visibleText } from '../../../lib/visible-text'
import { Choices } from '../form/choices'
import { folderName } from '../task-words'
import { TASK_GROUP_NAMES, TASK_NARROWINGS, type TaskGroup, type TaskListSearch } from './task-list-search'

interface TaskFiltersProps {
  search: TaskListSearch
  /** Known projects, for the filter. */
  projects: readonly string[]
  onChange(search: TaskListSearch): void
}

const GROUPS: readonly (readonly [TaskGroup | undefined, string])[] = [
  [undefined, 'all'],
  ...TASK_GROUP_NAMES.map((name) => [name, name] as const),
]

/** Filters of the list. The address holds all of them. */
export function TaskFilters({ search, projects, onChange }: TaskFiltersProps) {
  const set = (change: { [Name in keyof TaskListSearch]?: TaskListSearch[Name] | undefined }) =>
    onChange(
      Object.fromEntries(
        Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined && value !== ''),
      ) as TaskListSearch,
    )
  const others = TASK_NARROWINGS.filter((name) => name !== 'project' && name !== 'cli' && search[name] !== undefined)
  return (
    <div
      role="search"
      aria-label="Tasks"
      className="flex shrink-0 flex-wrap items-end gap-2 border-b border-line px-3 py-2"
    >
      <Choices label="Status" choices={GROUPS} chosen={search.status} onChoose={(status) => set({ status })} />
      <div className="min-w-40 flex-1 max-sm:basis-full sm:max-w-72">
        <TypedField label="Search text or title" value={search.q ?? ''} onType={(q) => set({ q })} />
      </div>
      <div className="flex gap-2 max-sm:w-full max-sm:*:flex-1">
        <Select
          label="Project"
          isLabelHidden
          value={search.project ?? ''}
          onChange={(event) => set({ project: event.target.value })}
          className="sm:max-w-44"
        >
          <option value="">All projects</option>
          {projectsWith(projects, search.project).map((project) => (
            <option key={project} value={project} title={visibleText(project)}>
              {folderName(project)}
            </option>
          ))}
        </Select>
        <AgentSelect value={search.cli} onChange={(cli) => set({ cli })} />
        <Select
          label="Order"
          isLabelHidden
          value={search.order ?? ''}
          onChange={(event) => set({ order: event.target.value === 'queue' ? 'queue' : undefined })}
        >
          <option value="">Newest first</option>
          <option value="queue">Queue order</option>
        </Select>
      </div>
      {others.map((name) => (
        <Button
          key={name}
          look="quiet"
          className="border-line"
          onClick={() => set({ [name]: undefined })}
          aria-label={`Remove filter: ${name} ${search[name]}`}
        >
          <span className="text-ink-3">{name}</span>
          <span className="max-w-40 truncate">{search[name]}</span>
          <X aria-hidden size={12} />
        </Button>
      ))}
    </div>
  )
}

const projectsWith = (projects: readonly string[], own: string | undefined): string[] =>
  [...new Set(own === undefined ? projects : [...projects, own])].sort((a, b) =>
    folderName(a).localeCompare(folderName(b)),
  )
