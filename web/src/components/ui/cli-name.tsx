import { useRecordedClis } from '../../lib/agent-clis'
import { visibleText } from '../../lib/visible-text'

interface CliNameProps {
  /** `null` = not known, or none. */
  name: string | null
  version?: string | null
  className?: string
}

/** The agent CLI of a session or task. Nothing where sessions of one CLI alone are recorded. */
export function CliName({ name, version = null, className = '' }: CliNameProps) {
  const hasSeveral = useRecordedClis().length > 1
  if (!hasSeveral || name === null) return null
  return (
    <span
      data-testid="agent-cli"
      title={visibleText(`Agent CLI: ${name} ${version ?? ''}`.trim())}
      className={`shrink-0 ${className}`}
    >
      {visibleText(name)}
    </span>
  )
}
