import type { Answers } from '#api/contract/operations/index'
import { askedInLine, callParts } from '#domain/session/call-parts'
import { Link } from '../../components/link'
import { AgentLine, AgentText } from '../../components/ui/agent-text'
import { AgentMarkdown } from '../../components/ui/markdown'
import { When } from '../../components/ui/when'
import { counted } from '../../lib/format'
import { sessionPath } from '../../lib/links'
import type { Side } from './use-comparison'

type Turn = Answers['sessions']['conversation']['turns'][number]
type Item = Turn['items'][number]

/** Characters of a text. */
const MAX_TEXT = 1_200
/** Entries of a turn. */
const MAX_ITEMS = 60

/** The turns of two sessions in two columns: the first own turn of one stands beside the first own turn of the other. */
export function CompareTurns({ first, second }: { first: Side; second: Side }) {
  const [left, right] = [first.turns, second.turns].map((turns) => turns.filter(says))
  const rows = Math.max(left?.length ?? 0, right?.length ?? 0)
  if (rows === 0) return <p className="py-2 text-sm text-ink-3">Neither has anything of its own.</p>
  return (
    <ol aria-label="Turns in step" className="flex flex-col">
      {Array.from({ length: rows }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the place is what a row is
        <li key={at} className="grid grid-cols-2 gap-x-4 border-b border-line py-2 max-md:grid-cols-1 max-md:gap-y-3">
          <TurnCell side={first} turn={left?.[at]} />
          <TurnCell side={second} turn={right?.[at]} />
        </li>
      ))}
    </ol>
  )
}

const isShown = ({ kind }: Item): boolean => kind !== 'system' && kind !== 'attachment' && kind !== 'thinking'
/** What the CLI adds before the first prompt is no turn for a person. */
const says = ({ start, items }: Turn): boolean => start !== null || items.some(isShown)

function TurnCell({ side, turn }: { side: Side; turn: Turn | undefined }) {
  if (turn === undefined) return <p className="text-xs text-ink-3 max-md:hidden">–</p>
  const at = turn.start?.eventId ?? turn.items[0]?.eventId ?? null
  const shown = turn.items.filter(isShown)
  return (
    <article aria-label={`Turn ${turn.number}`} className="flex min-w-0 flex-col gap-1 text-sm">
      <h3 className="flex gap-2 text-2xs text-ink-3">
        <Link to={sessionPath(side.session.id) + (at === null ? '' : `?at=${at}`)} className="text-accent">
          Turn {turn.number}
        </Link>
        {turn.startedAt === null ? null : <When at={turn.startedAt} />}
      </h3>
      {turn.start === null ? null : (
        <div className="border-l-2 border-accent px-2 py-1 whitespace-pre-wrap tint-accent">
          <AgentText text={cut(turn.start.text ?? '')} />
        </div>
      )}
      {shown.slice(0, MAX_ITEMS).map((item, place) => (
        <ItemLine key={item.eventId ?? `${item.kind} ${place}`} item={item} />
      ))}
      {shown.length > MAX_ITEMS ? (
        <p className="text-xs text-ink-3">{counted(shown.length - MAX_ITEMS, 'more entry', 'more entries')}</p>
      ) : null}
    </article>
  )
}

function ItemLine({ item: { kind, text, tool, branches } }: { item: Item }) {
  if (kind === 'text') return <AgentMarkdown text={cut(text ?? '')} />
  if (kind !== 'tool')
    return (
      <p className={`whitespace-pre-wrap ${kind === 'error' ? 'text-fail' : ''}`}>
        <AgentText text={kind === 'compaction' ? 'Compacted here' : cut(text ?? '')} />
      </p>
    )
  const { said, asked } = callParts(text ?? '', tool?.name ?? null)
  return (
    <>
      {said === '' ? null : (
        <p className="whitespace-pre-wrap">
          <AgentText text={cut(said)} />
        </p>
      )}
      <p className="flex min-w-0 gap-1.5 text-xs text-ink-2">
        <AgentLine text={tool?.name ?? 'tool'} className="max-w-[50%] shrink-0 font-medium" />
        <span className="min-w-0 flex-1 truncate font-mono text-2xs leading-4">
          <AgentLine text={askedInLine(asked).slice(0, 300)} />
        </span>
        {tool?.isError === true ? <span className="shrink-0 text-fail">failed</span> : null}
        {branches.length === 0 ? null : <span className="shrink-0">{counted(branches.length, 'sub-agent')}</span>}
      </p>
    </>
  )
}

const cut = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)} …` : text)
