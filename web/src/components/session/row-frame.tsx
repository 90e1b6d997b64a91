import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { exactTime } from '../../lib/time'

interface RowFrameProps {
  /** Who speaks, or what it is: for everyone, by its icon for those who see. */
  name: string
  icon: LucideIcon
  tone?: string
  at: string | null
  children: ReactNode
  className?: string
  /** Its first line is a button, which is higher on a narrow screen. */
  isPressed?: boolean
}

/** A row of the conversation: who at the left, when at the right. */
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

/** `01:10:36`, in the person's own zone. */
export const clockTime = (at: Date): string => CLOCK.format(at)

/** The time of day: among rows that follow one another it says more than an age. Exact on hover. */
export function Clock({ at, className = '' }: { at: string | null; className?: string }) {
  if (at === null || Number.isNaN(Date.parse(at))) return null
  return (
    <time dateTime={at} title={exactTime(at)} className={`shrink-0 pt-px text-2xs text-ink-3 ${className}`}>
      {clockTime(new Date(at))}
    </time>
  )
}
