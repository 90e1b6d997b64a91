import type { ConversationItem, Turn } from '../../domain/conversation/conversation'
import { askedInLine, askedWords, callParts } from '../../domain/session/call-parts'
import type { Session, Subagent } from '../../domain/session/session'
import { visibleText } from '../../domain/visible-text'

/** A conversation that is written as a document. Its texts are masked, and hostile otherwise. */
export interface WrittenConversation {
  session: Session
  turns: Turn[]
  turnCount: number
  isCut: boolean
  /** It is all that the session says. A part does not tell what its title and its sums are of. */
  isWhole: boolean
}

export function titleOf({ session: { title, id }, isWhole }: Pick<WrittenConversation, 'session' | 'isWhole'>): string {
  return visibleText((isWhole ? title : null) ?? `Session ${id.slice(0, 8)}`).replace(/\s+/g, ' ')
}

/** What stands below the title. Folders are left out but for the last part of the project's: they name people and machines. */
export function factsOf({ session, turns, turnCount, isWhole }: WrittenConversation): [name: string, value: string][] {
  const { agent, model, project, startedAt, lastEventAt, counts } = session
  const first = turns[0]?.number ?? 0
  const last = turns.at(-1)?.number ?? 0
  const facts: [string, string | null][] = [
    ['Agent', [agent, model].filter((part) => part !== null).join(', ')],
    ['Project', project?.split(/[/\\]/).filter(Boolean).at(-1) ?? null],
    ['Began', shownTime(isWhole ? startedAt : (turns[0]?.startedAt ?? null))],
    ['Last line', isWhole ? shownTime(lastEventAt) : null],
    ['Turns', isWhole ? `${turnCount}` : `${first} to ${last}`],
    ['Calls', isWhole ? `${counts.toolCalls}, ${counts.errors} failed` : null],
    ['Sub-agents', isWhole && counts.subagents > 0 ? `${counts.subagents}` : null],
  ]
  return facts.flatMap(([name, value]) => (value === null || value === '' ? [] : [[name, visibleText(value)]]))
}

/** In UTC, since a document goes elsewhere. */
export const shownTime = (at: string | null): string | null =>
  at === null ? null : `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`

/** A call as it is written: the model's own words before it, a line about it, what it was asked and what came back. */
export interface WrittenCall {
  said: string
  name: string
  about: string
  asked: string
  state: 'failed' | 'no answer' | null
  answer: string
}

const MAX_ABOUT = 140

export function callOf({ text, tool }: ConversationItem): WrittenCall {
  const { said, asked } = callParts(visibleText(text ?? ''), tool?.name ?? null)
  const line = askedInLine(asked)
  const state = tool?.isError === true ? 'failed' : tool?.isError === null && tool.result === null ? 'no answer' : null
  return {
    said,
    name: visibleText(tool?.name ?? 'tool'),
    about: line.length > MAX_ABOUT ? `${line.slice(0, MAX_ABOUT)}…` : line,
    asked: askedWords(asked),
    state,
    answer: visibleText(tool?.result?.text ?? ''),
  }
}

/** What stands for an entry that is no text of a person or the agent. */
export function noteOf({ kind, sessionId, isOrigin, count }: ConversationItem): string | null {
  const id = (sessionId ?? '').slice(0, 8)
  switch (kind) {
    case 'compaction':
      return 'The conversation was compacted here'
    case 'fork':
      return isOrigin ? `Forked from session ${id}` : `Session ${id} was forked from here`
    case 'resume':
      return isOrigin ? `Goes on from session ${id}` : `Session ${id} goes on from here`
    case 'translation':
      return isOrigin ? `Taken over from session ${id} of another agent CLI` : `Session ${id} took over from here`
    case 'system':
    case 'attachment':
      return count === 1 ? '1 system entry' : `${count} system entries`
    default:
      return null
  }
}

export const agentTitle = ({ kind, type, description, status }: Subagent): string =>
  visibleText([kind === 'agent' ? (type ?? 'agent') : kind, description, status].filter(Boolean).join(' · '))

export const promptLine = (turn: Turn): string => {
  const line = visibleText(turn.start?.text ?? '')
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > 100 ? `${line.slice(0, 100)}…` : line
}
