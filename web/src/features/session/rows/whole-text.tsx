import type { EventId } from '#domain/ids'
import { CommandLine } from '../../../components/ui/id-chip'
import { AgentMarkdown } from '../../../components/ui/markdown'
import { bytesInWords } from '../../../lib/format'
import { visibleText } from '../../../lib/visible-text'
import { useSession } from '../page/session-context'

/** Characters of one text that are rendered; laying out megabytes would block the browser. */
const MAX_RENDERED_CHARACTERS = 100_000

interface WholeTextProps {
  text: string
  event: EventId
  isMarkdown?: boolean
}

/** A full text, cut only if it is too long for a browser. */
export function WholeText({ text, event, isMarkdown = false }: WholeTextProps) {
  const { id } = useSession()
  const shown = text.length > MAX_RENDERED_CHARACTERS ? text.slice(0, MAX_RENDERED_CHARACTERS) : text
  return (
    <>
      {isMarkdown ? <AgentMarkdown text={shown} /> : <CodeText text={shown} />}
      {shown.length < text.length ? (
        <p className="flex flex-wrap items-center gap-2 pt-1 text-xs text-ink-3">
          {bytesInWords(text.length - MAX_RENDERED_CHARACTERS)} more. To see all of it, run:
          <CommandLine command={`lode event show ${event} --session ${id}`} />
        </p>
      ) : null}
    </>
  )
}

/** Preformatted output of a tool or a file. */
export function CodeText({ text, className = '' }: { text: string; className?: string }) {
  return (
    <pre dir="auto" className={`font-mono text-xs whitespace-pre-wrap ${className}`}>
      {visibleText(text)}
    </pre>
  )
}
