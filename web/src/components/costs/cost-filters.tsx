import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { COST_GROUPS, type CostGroup } from '../../../../src/domain/tree-entry'
import { ownTimeZone, ZoneDays } from '../../../../src/domain/zone-days'
import { client } from '../../lib/api'
import { GROUP_WORDS } from '../../lib/cost-words'
import { COST_SPAN_NAMES, type CostSpan, type CostsSearch, costsInput, spanOf } from '../../lib/costs-page'
import { visibleText } from '../../lib/visible-text'
import { Choices } from '../task/choices'
import { Button } from '../ui/button'
import { TextField } from '../ui/field'

interface CostFiltersProps {
  search: CostsSearch
  onChange(search: CostsSearch): void
}

const GROUPS: readonly (readonly [CostGroup, string])[] = COST_GROUPS.map((name) => [name, GROUP_WORDS[name]])
const SPANS: readonly (readonly [CostSpan | 'custom', string])[] = [
  ...COST_SPAN_NAMES.map((name) => [name, name.replace(/(\d)(\D)/, '$1 $2')] as const),
  ['custom', 'custom'],
]

/** By what costs are summed, of when, and of what. All of it stands in the address. */
export function CostFilters({ search, onChange }: CostFiltersProps) {
  const span = spanOf(search)
  const set = (change: { [Name in keyof CostsSearch]?: CostsSearch[Name] | undefined }) => {
    const fields = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined && value !== '')
    onChange(Object.fromEntries(fields))
  }
  const choose = (next: CostSpan | 'custom' | undefined) => {
    if (next !== 'custom') return set({ since: next, until: undefined })
    const [now, zone] = [Date.now(), ownTimeZone()]
    const { since } = costsInput(search, now, zone)
    const days = new ZoneDays(zone)
    const today = days.dayAt(now)
    set({ since: since === undefined ? today : days.dayAt(Date.parse(since)), until: today })
  }
  return (
    <search className="flex shrink-0 flex-wrap items-end gap-2 border-b border-line px-4 py-2 max-md:px-3">
      <div className="max-sm:w-full max-sm:[&_button]:flex-auto max-sm:[&_button]:whitespace-nowrap">
        <Choices label="By" choices={GROUPS} chosen={search.by ?? 'project'} onChoose={(by) => set({ by })} />
      </div>
      <Choices label="Time" choices={SPANS} chosen={span ?? 'custom'} onChoose={choose} />
      {span === null ? (
        <div className="flex items-center gap-1.5">
          <TextField
            label="First day"
            isLabelHidden
            type="date"
            value={search.since?.includes('-') ? search.since : ''}
            {...(search.until !== undefined && { max: search.until })}
            onChange={(event) => set({ since: event.target.value })}
          />
          <span className="text-xs text-ink-3">to</span>
          <TextField
            label="Last day"
            isLabelHidden
            type="date"
            value={search.until ?? ''}
            {...(search.since !== undefined && { min: search.since })}
            onChange={(event) => set({ until: event.target.value })}
          />
        </div>
      ) : null}
      {search.project === undefined ? null : (
        <ProjectChip id={search.project} onRemove={() => set({ project: undefined })} />
      )}
      {(['model', 'session', 'task'] as const).map((name) =>
        search[name] === undefined ? null : (
          <Chip key={name} name={name} value={search[name]} onRemove={() => set({ [name]: undefined })} />
        ),
      )}
    </search>
  )
}

function Chip({ name, value, onRemove }: { name: string; value: string; onRemove(): void }) {
  const shown = visibleText(value)
  return (
    <Button onClick={onRemove} aria-label={`Not only of ${name} ${shown}`}>
      <span className="text-ink-3">{name}</span>
      <span className="max-w-44 truncate">{shown}</span>
      <X aria-hidden size={12} />
    </Button>
  )
}

/** The address has the project's id in the tree; people know its name. */
function ProjectChip({ id, onRemove }: { id: string; onRemove(): void }) {
  const isEntry = id.startsWith('project:')
  const { data } = useQuery({
    queryKey: ['project-name', id],
    queryFn: async ({ signal }) => {
      const { path } = await client.tree.level({ under: id, limit: 1 }, { signal })
      return path.at(-1)?.label ?? id
    },
    enabled: isEntry,
  })
  return <Chip name="project" value={data ?? id} onRemove={onRemove} />
}
