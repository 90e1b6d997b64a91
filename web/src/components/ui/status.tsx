import {
  Activity,
  Ban,
  Bell,
  Circle,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CirclePause,
  CircleSlash,
  CircleX,
  Hourglass,
  type LucideIcon,
  MessageCircleQuestion,
  Unplug,
  UserX,
} from 'lucide-react'
import { ownValue } from '#domain/own-value'
import { evidenceInWords } from '#domain/session/evidence-words'
import { withLocalTimes } from '../../lib/time'
import { visibleText } from '../../lib/visible-text'

/** Icon, colour and word of each status. Other statuses are shown by their name. */
const LOOKS: Record<string, { icon: LucideIcon; tone: string; word?: string }> = {
  running: { icon: Activity, tone: 'text-run' },
  in_progress: { icon: Activity, tone: 'text-run', word: 'in progress' },
  waiting: { icon: MessageCircleQuestion, tone: 'text-need', word: 'waiting for you' },
  question: { icon: MessageCircleQuestion, tone: 'text-need' },
  stuck: { icon: Hourglass, tone: 'text-need' },
  untaken: { icon: UserX, tone: 'text-need', word: 'not taken' },
  unread: { icon: Bell, tone: 'text-need' },
  request: { icon: Bell, tone: 'text-need' },
  message: { icon: Bell, tone: 'text-need' },
  new: { icon: Bell, tone: 'text-need' },
  delegated: { icon: Activity, tone: 'text-run' },
  replied: { icon: CircleCheck, tone: 'text-done' },
  failed: { icon: CircleX, tone: 'text-fail' },
  failure: { icon: CircleX, tone: 'text-fail', word: 'failed' },
  killed: { icon: CircleX, tone: 'text-fail' },
  lost: { icon: Unplug, tone: 'text-lost' },
  completed: { icon: CircleCheck, tone: 'text-done' },
  closed: { icon: CircleCheck, tone: 'text-done' },
  produced: { icon: CircleDashed, tone: 'text-wait' },
  consumed: { icon: CircleCheck, tone: 'text-done' },
  delivered: { icon: CircleDot, tone: 'text-done' },
  ended: { icon: CircleDot, tone: 'text-ink-3' },
  idle: { icon: Circle, tone: 'text-ink-2' },
  open: { icon: Circle, tone: 'text-ink-2' },
  pending: { icon: CircleDashed, tone: 'text-wait' },
  queued: { icon: CircleDashed, tone: 'text-wait' },
  unassigned: { icon: CircleDashed, tone: 'text-wait', word: 'unassigned' },
  offered: { icon: CircleDashed, tone: 'text-wait' },
  backlog: { icon: CircleDashed, tone: 'text-ink-3' },
  paused: { icon: CirclePause, tone: 'text-wait' },
  blocked: { icon: CircleSlash, tone: 'text-wait' },
  deferred: { icon: CirclePause, tone: 'text-ink-3' },
  cancelled: { icon: Ban, tone: 'text-ink-3' },
  removed: { icon: Ban, tone: 'text-ink-3' },
  withdrawn: { icon: Ban, tone: 'text-ink-3' },
  superseded: { icon: CircleSlash, tone: 'text-ink-3' },
  released: { icon: CircleDot, tone: 'text-ink-3' },
  answered: { icon: CircleCheck, tone: 'text-done' },
  expired: { icon: Hourglass, tone: 'text-ink-3' },
  gone: { icon: Unplug, tone: 'text-ink-3' },
  online: { icon: CircleCheck, tone: 'text-done' },
  offline: { icon: Unplug, tone: 'text-ink-3' },
}

/** The colour class of a status. */
export const statusTone = (status: string): string => ownValue(LOOKS, status)?.tone ?? 'text-ink-2'
/** A status as people read it. */
export const statusWord = (status: string): string => ownValue(LOOKS, status)?.word ?? status.replaceAll('_', ' ')

interface StatusProps {
  status: string
  /** What the status is based on, shown as a tooltip and to screen readers. Its times become local. */
  evidence?: string | null
  /** Shows only the icon; the word stays for screen readers. */
  isSmall?: boolean
}

/** A status, never by colour alone. */
export function Status({ status, evidence, isSmall = false }: StatusProps) {
  const look = ownValue(LOOKS, status)
  const Icon = look?.icon ?? Circle
  const word = statusWord(status)
  const why = evidence ? visibleText(withLocalTimes(evidenceInWords(evidence))) : null
  return (
    <span
      data-status={status}
      title={why === null ? word : `${word}: ${why}`}
      className={`inline-flex shrink-0 items-baseline gap-1 whitespace-nowrap text-xs ${look?.tone ?? 'text-ink-2'}`}
    >
      <Icon aria-hidden size={14} strokeWidth={2.1} className="self-center" />
      <span className={isSmall ? 'sr-only' : ''}>{word}</span>
      {why === null ? null : <span className="sr-only">, {why}</span>}
    </span>
  )
}
