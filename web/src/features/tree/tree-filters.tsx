import { AgentSelect } from '../../components/agent-select'
import { TypedField } from '../../components/typed-field'
import { Select } from '../../components/ui/field'
import { GROUP_NAMES, SPANS, type Span, type StatusGroup, type TreeSearch } from './tree-search'

const GROUP_WORDS: Record<StatusGroup, string> = {
  running: 'Running',
  needs: 'Needs you',
  blocked: 'Waiting or paused',
  failed: 'Failed or lost',
  done: 'Finished',
}
const SPAN_WORDS: Record<Span, string> = { '1h': 'Last hour', '24h': 'Last day', '7d': 'Last week' }

/** Filters of the tree. */
export function TreeFilters({ search, onChange }: { search: TreeSearch; onChange(change: TreeSearch): void }) {
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <div className="w-44 max-md:w-full">
        <TypedField
          label="Filter by title"
          value={search.q ?? ''}
          onType={(q) => onChange({ ...search, q: q === '' ? undefined : q })}
        />
      </div>
      <div className="w-40 max-md:flex-1">
        <Select
          label="Status"
          isLabelHidden
          value={search.status ?? ''}
          onChange={(event) => onChange({ ...search, status: GROUP_NAMES.find((name) => name === event.target.value) })}
        >
          <option value="">Any status</option>
          {GROUP_NAMES.map((name) => (
            <option key={name} value={name}>
              {GROUP_WORDS[name]}
            </option>
          ))}
        </Select>
      </div>
      <div className="w-32 max-md:flex-1">
        <Select
          label="Last activity"
          isLabelHidden
          value={search.span ?? ''}
          onChange={(event) =>
            onChange({ ...search, span: (Object.keys(SPANS) as Span[]).find((name) => name === event.target.value) })
          }
        >
          <option value="">Any time</option>
          {(Object.keys(SPANS) as Span[]).map((name) => (
            <option key={name} value={name}>
              {SPAN_WORDS[name]}
            </option>
          ))}
        </Select>
      </div>
      <AgentSelect value={search.agent} onChange={(agent) => onChange({ ...search, agent })} />
    </div>
  )
}
