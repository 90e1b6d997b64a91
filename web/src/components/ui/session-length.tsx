import { sessionLength } from '../../lib/session-length'
import { useNow } from '../../lib/time'

interface SessionLengthProps {
  session: Parameters<typeof sessionLength>[0]
  /** A dash where it is unknown, for a narrow column. */
  isShort?: boolean
}

/** How long a session took, or has taken so far; nothing if no line of it has a time. */
export function SessionLength({ session, isShort = false }: SessionLengthProps) {
  const length = sessionLength(session, useNow())
  if (length === null) return null
  const { words, title } = length
  return (
    <span title={title} className="whitespace-nowrap">
      {isShort ? (SHORT[words] ?? words.replace(' so far', '')) : words}
    </span>
  )
}

const SHORT: Readonly<Record<string, string>> = { 'length unknown': '–', 'under 1 s': '< 1 s', 'just begun': '< 1 s' }
