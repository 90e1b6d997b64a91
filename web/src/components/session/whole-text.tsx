import type { EventId } from '../../../../src/domain/ids'
import { bytesInWords } from '../../lib/format'
import { visibleText } from '../../lib/visible-text'
import { CommandLine } from '../ui/id-chip'
import { AgentMarkdown } from '../ui/markdown'
import { useSession } from './session-context'

/** Characters of one text that are drawn; a browser that lays out megabytes stands still. */
const DRAWN = 100_000

interface WholeTextProps {
  text: string
  event: EventId
  isMarkdown?: boolean
}

/** A text as long as it is, or as much of it as a browser can bear. */
export function WholeText({ text, event, isMarkdown = false }: WholeTextProps) {
  const { id } = useSession()
  const shown = text.length > DRAWN ? text.slice(0, DRAWN) : text
  return (
    <>
      {isMarkdown ? <AgentMarkdown text={shown} /> : <CodeText text={shown} />}
      {shown.length < text.length ? (
        <p className="flex flex-wrap items-center gap-2 pt-1 text-xs text-ink-3">
          {bytesInWords(text.length - DRAWN)} more:
          <CommandLine command={`lode event show ${event} --session ${id}`} />
        </p>
      ) : null}
    </>
  )
}

/** Output of a tool or a file, as it is. */
export function CodeText({ text, className = '' }: { text: string; className?: string }) {
  return (
    <pre dir="auto" className={`font-mono text-xs whitespace-pre-wrap ${className}`}>
      {visibleText(text)}
    </pre>
  )
}
