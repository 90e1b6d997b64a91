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
import { priorityName } from '#domain/issue/issue-priority'
import { ownValue } from '#domain/own-value'
import { visibleText } from '../../lib/visible-text'

/** Icons of issue types. */
const TYPE_ICONS: Record<string, LucideIcon> = {
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

/** The type of an issue. */
export function TypeMark({ type, isSmall = false }: { type: string; isSmall?: boolean }) {
  const Icon = ownValue(TYPE_ICONS, type) ?? CalendarClock
  const word = visibleText(type)
  return (
    <span title={word} className="inline-flex shrink-0 items-center gap-1 text-xs text-ink-2">
      <Icon aria-hidden size={13} />
      <span className={isSmall ? 'sr-only' : ''}>{word}</span>
    </span>
  )
}

/** Names of priorities, from 0. */
export const PRIORITY_WORDS = ['highest', 'high', 'medium', 'low', 'lowest']

/** `P0` to `P4`. Urgent ones are bolder, too. */
export function PriorityMark({ priority }: { priority: number }) {
  const weight = priority === 0 ? 'font-bold text-fail' : priority === 1 ? 'font-semibold text-ink' : 'text-ink-3'
  return (
    <span
      title={`${PRIORITY_WORDS[priority] ?? 'unknown'} priority`}
      className={`shrink-0 text-xs tabular-nums ${weight}`}
    >
      {priorityName(priority)}
    </span>
  )
}

/** Labels of a row at most; the others are counted. */
const MAX_SHOWN_LABELS = 4

/** The first labels, as far as there is room. */
export function LabelMarks({ labels }: { labels: readonly string[] }) {
  if (labels.length === 0) return null
  const shown = labels.slice(0, MAX_SHOWN_LABELS)
  return (
    // What has no room goes to a second line, which is not seen: two letters of a label say nothing.
    <span
      className="flex h-4.5 min-w-0 flex-wrap items-center gap-1 overflow-hidden"
      title={labels.map(visibleText).join(', ')}
    >
      {shown.map((label) => (
        <span
          key={label}
          className="max-w-[min(7rem,100%)] shrink-0 truncate rounded-sm border border-line bg-canvas px-1 text-2xs leading-4 text-ink-2"
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
