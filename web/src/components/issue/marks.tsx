import {
  Bug,
  CalendarClock,
  Flag,
  FlaskConical,
  Layers,
  type LucideIcon,
  Scale,
  Sparkle,
  SquareCheckBig,
  Wrench,
} from 'lucide-react'
import { priorityName } from '../../../../src/domain/issue-priority'
import { visibleText } from '../../lib/visible-text'

const TYPES: Record<string, LucideIcon> = {
  task: SquareCheckBig,
  bug: Bug,
  feature: Sparkle,
  story: Sparkle,
  epic: Layers,
  chore: Wrench,
  decision: Scale,
  spike: FlaskConical,
  milestone: Flag,
}

/** What kind of issue it is. */
export function TypeMark({ type, isSmall = false }: { type: string; isSmall?: boolean }) {
  const Icon = TYPES[type] ?? CalendarClock
  const word = visibleText(type)
  return (
    <span title={word} className="inline-flex shrink-0 items-center gap-1 text-xs text-ink-2">
      <Icon aria-hidden size={13} />
      <span className={isSmall ? 'sr-only' : ''}>{word}</span>
    </span>
  )
}

const WORDS = ['highest', 'high', 'middle', 'low', 'lowest']

/** `P0` to `P4`. What is urgent is heavier, too. */
export function PriorityMark({ priority }: { priority: number }) {
  const weight = priority === 0 ? 'font-bold text-fail' : priority === 1 ? 'font-semibold text-ink' : 'text-ink-3'
  return (
    <span title={`${WORDS[priority] ?? 'unknown'} priority`} className={`shrink-0 text-xs tabular-nums ${weight}`}>
      {priorityName(priority)}
    </span>
  )
}

/** Labels, as many as there is room for. */
export function LabelMarks({ labels }: { labels: readonly string[] }) {
  if (labels.length === 0) return null
  const shown = labels.slice(0, 4)
  return (
    <span className="flex min-w-0 items-center gap-1 overflow-hidden" title={labels.map(visibleText).join(', ')}>
      {shown.map((label) => (
        <span
          key={label}
          className="max-w-28 shrink truncate rounded-sm border border-line bg-canvas px-1 text-2xs leading-4 text-ink-2"
        >
          {visibleText(label)}
        </span>
      ))}
      {labels.length > shown.length ? (
        <span className="shrink-0 text-2xs text-ink-3">+{labels.length - shown.length}</span>
      ) : null}
    </span>
  )
}
