import { useQuery } from '@tanstack/react-query'
import type { Answers } from '#api/contract/operations/index'
import type { SessionId } from '#domain/ids'
import { askedInLine, callParts } from '#domain/session/call-parts'
import { Link } from '../../../components/link'
import { AgentText } from '../../../components/ui/agent-text'
import { When } from '../../../components/ui/when'
import { client } from '../../../lib/api'
import { sessionPath } from '../../../lib/links'
import { visibleText } from '../../../lib/visible-text'

type SessionRow = Answers['sessions']['rows']['rows'][number]

/** Lines of the conversation that are shown, the newest last. */
const LINES = 6
/** Rows in which they are looked for: the CLI may add many of its own. */
const READ_ROWS = 40
/** Characters of each. */
const CHARACTERS = 280

/** The end of a conversation, beside what needs the person. */
export function RecentTurns({ sessionId }: { sessionId: SessionId }) {
  const { data } = useQuery({
    queryKey: ['rows', sessionId, 'recent'],
    queryFn: ({ signal }) => client.sessions.rows(sessionId, { limit: READ_ROWS }, { signal }),
  })
  const lines = (data?.rows ?? []).filter(isSaid).slice(-LINES)
  if (lines.length === 0) return null
  return (
    <section aria-label="Last lines of the conversation" className="flex flex-col gap-1.5">
      <h3 className="text-xs font-semibold text-ink-2">
        <Link to={sessionPath(sessionId)}>Last lines of the conversation</Link>
      </h3>
      <ol className="flex flex-col gap-1.5 border-l-2 border-line pl-2.5 text-xs">
        {lines.map(({ event }) => (
          <li key={event.id}>
            <span className="text-2xs text-ink-3">
              {event.toolName === null ? event.type.replaceAll('_', ' ') : visibleText(event.toolName)}{' '}
              {event.at === null ? null : <When at={event.at} />}
            </span>
            <p className="whitespace-pre-wrap">
              <AgentText text={wordsOf(event).slice(0, CHARACTERS)} />
            </p>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** The name of a tool stands above the line already. */
function wordsOf({ type, text, toolName }: SessionRow['event']): string {
  const { said, asked } = callParts(text ?? '', toolName)
  const words = type === 'tool_call' ? askedInLine(asked) : asked
  return said === '' ? words : `${said}\n${words}`
}

/** Somebody said it, or a tool did: no context or notes that the CLI adds. */
const isSaid = ({ event: { type, text } }: SessionRow): boolean =>
  type !== 'attachment' && type !== 'system' && text !== null && text.trim() !== ''
