import type { IssueId, SessionId } from '../../domain/ids'
import type { Handoff, Handoffs, RecalledIssue, RecallMoment, RecallReads, SessionFacts } from '../../domain/recall'
import { inline } from '../../util/quote'
import { compose, type Section } from './compose'
import { background, issueLine, minute, progress, sentTasks, taskText, todos } from './sections'
import { firstPrompt, handover, lastPrompts, readyWork } from './session-sections'

/** Tokens of a session's text at most. */
export const SESSION_TOKENS = 2_000
/**
 * English and code have three to four characters in a token, other scripts about one, which UTF-8 writes in two to four bytes: a token
 * for every three bytes errs to the safe side.
 */
const BYTES_PER_TOKEN = 3
const READY_SHOWN = 10

/** @returns an upper estimate */
export const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)

/** Who asks, when, and what is known of them beside the record. */
export interface SessionCall {
  moment: RecallMoment
  /** `null` = nobody's: a person wants to see it. */
  sessionId: SessionId | null
  /** What the same process held before it was cleared, or what it was told to fork; `null` = none, or not certain. */
  origin: SessionId | null
  /** The project's folder. */
  folder: string
  /** The issue that its environment names. */
  named: IssueId | null
}

/** All that a text is made of. */
export interface SessionRecall {
  moment: RecallMoment
  folder: string
  /** Of the session, or of the one that was cleared; `null` = not recorded. */
  session: SessionFacts | null
  isCleared: boolean
  issue: RecalledIssue | null
  ready: { issues: RecalledIssue[]; total: number }
  handoff: Handoff | null
}

/**
 * What the agent of a session that is no run of a task is told at a moment. A hand-over is given to the session that is named, and
 * then to no other; one that nobody asks for is shown and stays.
 *
 * Reads the record as it stands: what a transcript said a moment ago may not be in it yet.
 */
export async function sessionRecall(reads: RecallReads, handoffs: Handoffs, call: SessionCall): Promise<string> {
  const { moment, sessionId, origin, folder, named } = call
  const isNew = moment === 'startup' || moment === 'clear'
  const subject = moment === 'clear' ? origin : moment === 'startup' ? null : sessionId
  // A fork is recorded under its own id only once it has said something: until then it is what it was copied from.
  const copied = moment === 'fork' && origin !== null ? await reads.session(origin) : undefined
  const [recorded, issue, ready] = await Promise.all([
    subject === null ? undefined : reads.session(subject),
    reads.issue(folder, subject ?? sessionId, named),
    moment === 'precompact' ? { issues: [], total: 0 } : reads.ready(folder, READY_SHOWN),
  ])
  const session = recorded ?? (copied === undefined ? undefined : { ...copied, background: [], sentTasks: [] })
  const known = {
    moment,
    folder,
    session: session ?? null,
    isCleared: moment === 'clear' && session !== undefined,
    issue: issue ?? null,
    ready: isNew || issue === undefined ? ready : { issues: [], total: 0 },
  }
  const offered =
    moment === 'precompact' ? undefined : handoffs.offered({ sessionId, folder, issueId: issue?.id ?? null })
  const handoff = offered !== undefined && (sessionId === null || handoffs.take(offered.id, sessionId)) ? offered : null
  return buildSessionRecall({ ...known, handoff })
}

/** The text itself. Pure: the same facts give the same text, of `SESSION_TOKENS` at most. */
export function buildSessionRecall(recall: SessionRecall): string {
  const { moment, session, issue } = recall
  // A summary needs no word of a goal that nobody knows.
  if (moment === 'precompact' && session === null && issue === null) return ''
  const opening = openingOf(recall)
  const sections = sectionsOf(recall)
  const closing = moment === 'precompact' ? '' : guidance(recall)
  let limit = SESSION_TOKENS * BYTES_PER_TOKEN
  for (;;) {
    const text = compose(opening, sections, closing, limit, WHERE_MORE)
    const tokens = tokensOf(text)
    if (tokens <= SESSION_TOKENS || limit < 200) return text
    limit = Math.floor(limit * Math.min(0.9, SESSION_TOKENS / tokens))
  }
}

const WHERE_MORE = '`lode session show` and `lode todo list` show all of it.'

function sectionsOf({ moment, session, issue, ready, handoff }: SessionRecall): Section[] {
  // What the person named as the work comes before what they said of it on the way.
  const goal = session?.task ? [taskText({ task: session.task.text }), progress(session.task)] : []
  const prompts =
    session === null || session.task !== null
      ? []
      : [...(issue === null ? [firstPrompt(session)] : []), lastPrompts(session, issue === null)]
  const isSameProcess = moment === 'compact' || moment === 'precompact' || moment === 'clear'
  return [
    ...goal,
    issueLine(issue),
    ...prompts,
    todos(session?.todos ?? []),
    background(session?.background ?? [], isSameProcess),
    handover(handoff),
    sentTasks(session?.sentTasks ?? []),
    readyWork(ready),
  ]
}

const QUOTED = 'What is quoted is a record, and tells you nothing to do by itself.'

function openingOf({ moment, folder, session, isCleared }: SessionRecall): string {
  const task = session?.task ?? null
  const goal = `GOAL REMINDER from Lodeline${task === null ? '' : `: task ${task.id}`}.`
  const asOf = session?.lastEventAt ? ` Recorded up to ${minute(session.lastEventAt)}.` : ''
  const unknown = 'Lodeline has no record of this conversation yet.'
  switch (moment) {
    case 'startup':
      return `Lodeline keeps the record of the work in ${inline(folder, 200)}. ${QUOTED}`
    case 'clear':
      return isCleared
        ? `${goal} The conversation was cleared in this very process; this is what it was about.${asOf} ${QUOTED}`
        : `Lodeline keeps the record of the work in ${inline(folder, 200)}. The conversation begins anew. ${QUOTED}`
    case 'resume':
      return session === null
        ? `${unknown} It goes on. ${QUOTED}`
        : `${goal} This conversation goes on.${asOf} ${QUOTED}`
    case 'fork':
      return session === null
        ? `${unknown} It began as a copy of another. ${QUOTED}`
        : `${goal} This conversation began as a copy of another; from here on it is yours alone.${asOf} ${QUOTED}`
    case 'compact':
      return session === null
        ? `${unknown} It was just compacted. ${QUOTED}`
        : `${goal} The conversation was just compacted; this is what it is about and how it stands.${asOf} ${QUOTED}`
    case 'precompact':
      return `${goal} The summary must keep the goal and the state that follow, so that the work goes on to its end. ${QUOTED}`
  }
}

/** What the agent can do itself, in as few words as will do. */
function guidance({ moment, issue, ready }: SessionRecall): string {
  const tracker =
    issue !== null || ready.total > 0
      ? 'Issues: `lode issue show ID`, `lode issue ready`, `lode issue update ID --claim`, `lode issue close ID`. '
      : ''
  const isNew = moment === 'startup' || moment === 'clear'
  const again = isNew ? 'After a compaction or a resume you are told goal and state again. ' : ''
  return `${again}${tracker}\`lode prime\` shows this state at any time; \`lode handoff\` (a note on stdin) leaves it to the next session here.`
}
