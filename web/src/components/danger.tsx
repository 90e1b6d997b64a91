import { TriangleAlert } from 'lucide-react'
import type { Danger } from '#domain/policy/danger'
import { AgentLine } from './ui/agent-text'

/** Why a call is dangerous, each reason on a line with the part of the call that says so. Empty if no rule says so. */
export function DangerList({ dangers }: { dangers: readonly Danger[] }) {
  if (dangers.length === 0) return null
  return (
    <ul data-testid="dangers" className="flex flex-col gap-0.5 text-xs text-need">
      {dangers.map(({ why, part }) => (
        <li key={`${why} ${part}`} className="flex min-w-0 items-baseline gap-1.5">
          <TriangleAlert aria-hidden size={13} className="shrink-0 self-center" />
          <span className="shrink-0 font-medium">It {why}:</span>
          <span className="min-w-0 font-mono text-ink">
            <AgentLine text={part} />
          </span>
        </li>
      ))}
    </ul>
  )
}

/** The mark of a dangerous call in a row. */
export function DangerMark({ dangers }: { dangers: readonly Danger[] }) {
  const [worst] = dangers
  if (worst === undefined) return null
  return (
    <span
      data-testid="danger-mark"
      title={dangers.map(({ why }) => `It ${why}.`).join(' ')}
      className="inline-flex shrink-0 items-center gap-1 rounded-sm px-1 text-2xs font-semibold text-need tint-need"
    >
      <TriangleAlert aria-hidden size={12} />
      {worst.kind}
    </span>
  )
}
