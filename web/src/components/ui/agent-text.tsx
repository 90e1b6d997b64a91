import { visibleText } from '../../lib/visible-text'

/** Text of an agent, a tool or a stranger: no markup, no links, and hidden characters made visible. */
export function AgentText({ text, className = '' }: { text: string; className?: string }) {
  return (
    <span dir="auto" className={`whitespace-pre-wrap ${className}`}>
      {visibleText(text)}
    </span>
  )
}

/** The same on one line. */
export function AgentLine({ text, className = '' }: { text: string; className?: string }) {
  const line = visibleText(text).replace(/\s+/g, ' ').trim()
  return (
    <span
      dir="auto"
      title={line.length > 60 ? line.slice(0, 600) : undefined}
      className={`block truncate ${className}`}
    >
      {line}
    </span>
  )
}
