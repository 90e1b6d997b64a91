import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { exactTime } from '../../../lib/time'
import { useSession } from '../page/session-context'

interface RowFrameProps {
  /** The speaker, or the kind; the tooltip of the icon and its text for screen readers. */
  name: string
  icon: LucideIcon
  tone?: string
  at: string | null
  children: ReactNode
  className?: string
  /** Whether its first line is a button, which is taller on narrow pages. */
  isPressed?: boolean
}

/** The frame of a row: icon at the left, time at the right. */
export function RowFrame({
  name,
  icon: Icon,
  tone = 'text-ink-3',
  at,
  children,
  className = '',
  isPressed = false,
}: RowFrameProps) {
  return (
    <div className={`flex gap-2.5 px-4 py-1 max-md:gap-2 max-md:px-3 ${className}`}>
      <span className={`flex h-5 w-4 shrink-0 items-center ${isPressed ? 'max-md:h-9' : ''} ${tone}`} title={name}>
        <Icon aria-hidden size={14} />
        <span className="sr-only">{name}:</span>
      </span>
      <div className="min-w-0 flex-1">{children}</div>
      <Clock at={at} className="max-md:hidden" />
    </div>
  )
}

const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
})

/** Formats a time of day: `01:10:36`, in the person's time zone. */
export const clockTime = (at: Date): string => CLOCK.format(at)

const DAY_CLOCK = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
})

/** A time of day, exact in the tooltip; with the day in a session of several days. In a list of rows it says more than an age. @param at  ISO 8601 */
export function Clock({ at, className = '' }: { at: string | null; className?: string }) {
  const { hasDays } = useSession()
  if (at === null || Number.isNaN(Date.parse(at))) return null
  return (
    <time dateTime={at} title={exactTime(at)} className={`shrink-0 pt-px text-2xs text-ink-3 ${className}`}>
      {hasDays ? DAY_CLOCK.format(new Date(at)) : clockTime(new Date(at))}
    </time>
  )
}
