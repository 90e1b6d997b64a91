import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { ownTimeZone, ZoneDays } from '#domain/cost/zone-days'
import { COST_GROUPS, type CostGroup } from '#domain/overview/tree-entry'
import { AgentSelect } from '../../components/agent-select'
import { Button } from '../../components/ui/button'
import { TextField } from '../../components/ui/field'
import { client } from '../../lib/api'
import { visibleText } from '../../lib/visible-text'
import { Choices } from '../task/form/choices'
import { GROUP_WORDS, momentInWords } from './cost-words'
import { COST_SPAN_NAMES, type CostSpan, type CostsSearch, costsInput, spanOf } from './costs-page'

interface CostFiltersProps {
  search: CostsSearch
  onChange(search: CostsSearch): void
}

const GROUPS: readonly (readonly [CostGroup, string])[] = COST_GROUPS.map((name) => [name, GROUP_WORDS[name]])
const SPANS: readonly (readonly [CostSpan | 'custom', string])[] = [
  ...COST_SPAN_NAMES.map((name) => [name, name.replace(/(\d)(\D)/, '$1 $2')] as const),
  ['custom', 'custom'],
]

/** Grouping, time span and filters of the costs page. The address holds all of them. */
export function CostFilters({ search, onChange }: CostFiltersProps) {
  const span = spanOf(search)
  const set = (change: { [Name in keyof CostsSearch]?: CostsSearch[Name] | undefined }) => {
    const fields = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined && value !== '')
    onChange(Object.fromEntries(fields))
  }
  const choose = (next: CostSpan | 'custom' | undefined) => {
    const whole = { from: undefined, to: undefined }
    if (next !== 'custom') return set({ since: next, until: undefined, ...whole })
    const [now, zone] = [Date.now(), ownTimeZone()]
    const { since } = costsInput(search, now, zone)
    const days = new ZoneDays(zone)
    const today = days.dayAt(now)
    set({ since: since === undefined ? today : days.dayAt(Date.parse(since)), until: today, ...whole })
  }
  return (
    <search className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-2 max-md:px-3">
      <span aria-hidden className="text-xs text-ink-3">
        Costs of each
      </span>
      <div className="max-sm:w-full max-sm:[&_button]:flex-auto max-sm:[&_button]:whitespace-nowrap">
        <Choices label="Group by" choices={GROUPS} chosen={search.by ?? 'project'} onChoose={(by) => set({ by })} />
      </div>
      <Choices label="Time span" choices={SPANS} chosen={span ?? 'custom'} onChoose={choose} />
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
      <AgentSelect value={search.agent} onChange={(agent) => set({ agent })} />
      {search.project === undefined ? null : (
        <ProjectChip id={search.project} onRemove={() => set({ project: undefined })} />
      )}
      {search.from === undefined || search.to === undefined ? null : (
        <Chip
          name="part"
          value={`${momentInWords(search.from)} – ${momentInWords(search.to)}`}
          onRemove={() => set({ from: undefined, to: undefined })}
        />
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
    <Button onClick={onRemove} aria-label={`Remove filter: ${name} ${shown}`}>
      <span className="text-ink-3">{name}</span> <span className="max-w-44 truncate">{shown}</span>
      <X aria-hidden size={12} />
    </Button>
  )
}

/** A filter by project. The address holds the project's ID in the tree; this shows its name. */
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
