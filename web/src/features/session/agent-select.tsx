import { useQuery } from '@tanstack/react-query'
import { Select } from '../../components/ui/field'
import { client } from '../../lib/api'
import { visibleText } from '../../lib/visible-text'

/** Names of the agent CLIs of which sessions are recorded, the one with most first. */
export function useAgentClis(): readonly string[] {
  const { data } = useQuery({
    queryKey: ['agent-clis'],
    queryFn: async ({ signal }) => (await client.status({ signal })).sessions.byAgent,
    // Milliseconds. A further CLI appears within a minute.
    staleTime: 60_000,
  })
  return Object.entries(data ?? {})
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name)
}

/** The filter by agent CLI. Nothing where sessions of one CLI alone are recorded, and nothing is chosen. */
export function AgentSelect({
  value,
  onChange,
}: {
  value: string | undefined
  onChange(value: string | undefined): void
}) {
  const names = useAgentClis()
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
