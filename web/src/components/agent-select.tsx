import { useRecordedClis } from '../lib/agent-clis'
import { visibleText } from '../lib/visible-text'
import { Select } from './ui/field'

/** The filter by agent CLI. Nothing where sessions of one CLI alone are recorded, and nothing is chosen. */
export function AgentSelect({
  value,
  onChange,
}: {
  value: string | undefined
  onChange(value: string | undefined): void
}) {
  const names = useRecordedClis()
  const all = value === undefined || names.includes(value) ? names : [...names, value]
  if (all.length < 2 && value === undefined) return null
  return (
    <div className="w-36 max-md:flex-1">
      <Select
        label="Agent CLI"
        isLabelHidden
        value={value ?? ''}
        onChange={(event) => onChange(event.target.value || undefined)}
      >
        <option value="">Any agent CLI</option>
        {all.map((name) => (
          <option key={name} value={name}>
            {visibleText(name)}
          </option>
        ))}
      </Select>
    </div>
  )
}
