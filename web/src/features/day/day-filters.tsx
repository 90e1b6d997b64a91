import { ChevronLeft, ChevronRight } from 'lucide-react'
import { AgentSelect } from '../../components/agent-select'
import { Button, IconButton } from '../../components/ui/button'
import { Select, TextField } from '../../components/ui/field'
import { visibleText } from '../../lib/visible-text'
import { useFacets } from '../sessions/sessions-query'
import { type DaySearch, dayAfter } from './day-search'

interface DayFiltersProps {
  search: DaySearch
  day: string
  today: string
  onChange(search: DaySearch): void
}

/** Which day, and of which project and agent CLI. The address holds all of it. */
export function DayFilters({ search, day, today, onChange }: DayFiltersProps) {
  const projects = useFacets({}).data?.facets.project ?? []
  const isKnown = search.project === undefined || projects.some(({ value }) => value === search.project)
  // A moment belongs to its day; which sessions are shown changes nothing about it.
  const show = (next: string) => {
    const { t: _, ...rest } = search
    onChange({ ...rest, day: next })
  }
  const narrow = (change: { project?: string | undefined; agent?: string | undefined }) => {
    const { project, agent } = { ...search, ...change }
    const { project: _project, agent: _agent, ...rest } = search
    onChange({ ...rest, ...(project && { project }), ...(agent && { agent }) })
  }
  return (
    <search className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-2 max-md:px-3">
      <div className="flex items-center gap-1">
        <IconButton label="The day before" onClick={() => show(dayAfter(day, -1))}>
          <ChevronLeft aria-hidden size={15} />
        </IconButton>
        <TextField
          label="Day"
          isLabelHidden
          type="date"
          value={day}
          max={today}
          onChange={(event) => (event.target.value === '' ? undefined : show(event.target.value))}
        />
        <IconButton label="The next day" disabled={day >= today} onClick={() => show(dayAfter(day, 1))}>
          <ChevronRight aria-hidden size={15} />
        </IconButton>
        {day === today ? null : <Button onClick={() => show(today)}>Today</Button>}
      </div>
      <div className="w-44 max-md:flex-1">
        <Select
          label="Project"
          isLabelHidden
          value={search.project ?? ''}
          onChange={(event) => narrow({ project: event.target.value })}
        >
          <option value="">Any project</option>
          {isKnown ? null : <option value={search.project}>{visibleText(search.project ?? '')}</option>}
          {projects.map(({ value, label, sessions }) =>
            value === null ? null : (
              <option key={value} value={value}>
                {visibleText(label ?? value)} ({sessions})
              </option>
            ),
          )}
        </Select>
      </div>
      <AgentSelect value={search.agent} onChange={(agent) => narrow({ agent })} />
    </search>
  )
}
