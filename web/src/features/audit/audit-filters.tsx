import { AUDIT_ACT_NAMES, AUDIT_ACTS } from '#domain/audit'
import { TypedField } from '../../components/typed-field'
import { Select } from '../../components/ui/field'
import { oneOf } from '../../lib/search'
import { Choices } from '../task/form/choices'
import { AUDIT_SPAN_NAMES, type AuditSearch, type AuditSpan } from './audit-search'

interface AuditFiltersProps {
  search: AuditSearch
  onChange(search: AuditSearch): void
}

const SPANS: readonly (readonly [AuditSpan | undefined, string])[] = [
  ...AUDIT_SPAN_NAMES.map((name) => [name, name.replace(/(\d)(\D)/, '$1 $2')] as const),
  [undefined, 'all'],
]

/** Filters of the audit log. The address holds all of them. */
export function AuditFilters({ search, onChange }: AuditFiltersProps) {
  const set = (change: { [Name in keyof AuditSearch]?: AuditSearch[Name] | undefined }) =>
    onChange(
      Object.fromEntries(
        Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined && value !== ''),
      ),
    )
  return (
    <search
      aria-label="Audit log"
      className="flex shrink-0 flex-wrap items-end gap-2 border-b border-line px-4 py-2 max-md:px-3"
    >
      <div className="max-sm:w-full">
        <Choices label="Time span" choices={SPANS} chosen={search.since} onChoose={(since) => set({ since })} />
      </div>
      <Select
        label="Act"
        isLabelHidden
        value={search.act ?? ''}
        onChange={(event) => set({ act: oneOf(AUDIT_ACT_NAMES, event.target.value) })}
        className="max-w-full sm:max-w-80"
      >
        <option value="">All acts</option>
        {AUDIT_ACT_NAMES.map((act) => (
          <option key={act} value={act}>
            {act}: {AUDIT_ACTS[act]}
          </option>
        ))}
      </Select>
      <div className="min-w-40 flex-1 max-sm:basis-full sm:max-w-72">
        <TypedField label="Who: a kind, or a name" value={search.who ?? ''} onType={(who) => set({ who })} />
      </div>
    </search>
  )
}
