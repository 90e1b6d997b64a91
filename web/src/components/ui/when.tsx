import { exactTime, lengthOf, relativeTime, useNow } from '../../lib/time'

/** A time: relative in the text, exact in the tooltip and in the markup. @param at  ISO 8601 */
export function When({ at, className = '' }: { at: string | null; className?: string }) {
  const now = useNow()
  if (at === null) return <span className={`text-ink-3 ${className}`}>unknown</span>
  return (
    <time dateTime={at} title={exactTime(at)} className={`whitespace-nowrap ${className}`}>
      {relativeTime(at, now)}
    </time>
  )
}

/** How long something took, or has taken so far. @param from,to  ISO 8601; `to` null = until now */
export function Took({ from, to, className = '' }: { from: string | null; to: string | null; className?: string }) {
  const now = useNow()
  if (from === null) return null
  const until = to === null ? now : Date.parse(to)
  return (
    <span
      title={`${exactTime(from)} to ${to === null ? 'now' : exactTime(to)}`}
      className={`whitespace-nowrap ${className}`}
    >
      {lengthOf(until - Date.parse(from))}
    </span>
  )
}
