import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { Answers } from '#api/contract/operations/index'
import { IdChip } from '../../components/ui/id-chip'
import { counted } from '../../lib/format'

/** Problems that the page names; the command names the others. */
const MAX_PROBLEMS = 10

/** What the check of the whole log found. */
export function AuditCheck({ check }: { check: Answers['audit']['verify'] }) {
  const { isWhole, lines, head, problems } = check
  if (!isWhole)
    return (
      <section
        role="alert"
        data-testid="audit-check"
        className="shrink-0 border-b border-line px-4 py-2 text-sm tint-fail"
      >
        <p className="flex items-baseline gap-1.5 font-medium">
          <TriangleAlert aria-hidden size={14} className="shrink-0 self-center text-fail" />
          The log was changed: {counted(problems.length, 'problem')} in {counted(lines, 'line')}.
        </p>
        <ul className="list-disc pl-9 text-xs">
          {problems.slice(0, MAX_PROBLEMS).map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
        {problems.length > MAX_PROBLEMS ? (
          <p className="pl-5 text-xs">
            <code>lode audit verify</code> names all of them.
          </p>
        ) : null}
      </section>
    )
  if (lines === 0) return null
  return (
    <p
      data-testid="audit-check"
      className="flex shrink-0 flex-wrap items-baseline gap-x-1.5 border-b border-line px-4 py-1.5 text-xs text-ink-2"
    >
      <CircleCheck aria-hidden size={13} className="shrink-0 self-center text-done" />
      <span>{counted(lines, 'line')}, none changed or missing.</span>
      <span className="flex items-baseline text-ink-3">
        Hash of line {head.number}:
        <span className="inline-flex max-w-44">
          <IdChip id={head.hash} />
        </span>
      </span>
    </p>
  )
}
