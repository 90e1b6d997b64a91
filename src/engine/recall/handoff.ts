import { AppError } from '../../domain/errors'
import type { IssueId } from '../../domain/ids'
import type { Handoff, RecalledIssue, SessionFacts } from '../../domain/recall/recall'
import { cut } from '../../util/quote'
import { minute } from './sections'

/** Characters of each part of a hand-over at most. */
export const HANDOFF_PART_LIMIT = 20_000
/** Characters of what the record adds by itself: the rest is a command away. */
const RECORDED_TEXT = 1_500
const LISTED_TODOS = 20

/** What its writer says; all else comes from the record. */
export interface HandoffInput {
  note?: string | undefined
  goal?: string | undefined
  state?: string | undefined
  evidence?: string | undefined
  next?: string | undefined
}

/**
 * Makes a hand-over from the record and its writer's words. Pure.
 *
 * @param session  `null` = written outside of any session
 * @param to  the issue whose next session gets it; `null` = the next one in the folder
 * @throws `too_large` `invalid`  there is nothing to hand over
 */
export function composeHandoff(
  session: SessionFacts | null,
  issue: RecalledIssue | null,
  input: HandoffInput,
  place: { folder: string; to: IssueId | null; at: string },
): Omit<Handoff, 'id' | 'givenTo' | 'givenAt'> {
  for (const [name, text] of Object.entries(input))
    if (text !== undefined && text.length > HANDOFF_PART_LIMIT)
      throw new AppError(
        'too_large',
        `${name} has ${text.length} characters; the maximum for a part of a hand-over is ${HANDOFF_PART_LIMIT}.`,
        {
          hint: 'Write it to a file of the project, and give its path.',
        },
      )
  const written = (key: keyof HandoffInput): string => input[key]?.trim() ?? ''
  const handoff = {
    at: place.at,
    sessionId: session?.sessionId ?? null,
    folder: place.folder,
    issueId: place.to,
    goal: written('goal') || goalOf(session, issue),
    state: written('state') || stateOf(session),
    evidence: written('evidence') || evidenceOf(session),
    next: written('next') || nextOf(session),
    note: written('note'),
  }
  if (handoff.note === '' && handoff.goal === '' && handoff.state === '' && handoff.next === '')
    throw new AppError(
      'invalid',
      'There is nothing to hand over: no session is recorded here, and no note was given.',
      {
        hint: "Name one with --session ID, or write a note: echo 'what the next session must know' | lode handoff",
      },
    )
  return handoff
}

function goalOf(session: SessionFacts | null, issue: RecalledIssue | null): string {
  if (session?.task) return `Task ${session.task.id}: ${short(session.task.text)}`
  if (issue !== null) return `${issue.id}: ${issue.title}`
  return short(session?.prompts.first?.text ?? '')
}

function stateOf(session: SessionFacts | null): string {
  if (session === null) return ''
  const { todos, background, task } = session
  const done = todos.filter(({ status }) => status === 'completed').length
  const lines = [
    ...(task?.progress ? [short(task.progress)] : []),
    ...(todos.length === 0 ? [] : [`To-dos: ${done} of ${todos.length} done.`]),
    ...todos
      .filter(({ status }) => status !== 'completed')
      .slice(0, LISTED_TODOS)
      .map(({ content, status }) => `- ${status === 'in_progress' ? '[>]' : '[ ]'} ${cut(content, 200).text}`),
    ...background.map((one) => `Running in the background: ${one.kind} ${one.id} ${one.description ?? ''}`.trimEnd()),
    ...(session.lastAnswer === null ? [] : [`The agent said last: ${short(session.lastAnswer)}`]),
  ]
  return lines.join('\n')
}

function evidenceOf(session: SessionFacts | null): string {
  if (session === null) return ''
  const { sessionId, gitBranch, lastEventAt } = session
  const branch = gitBranch === null ? '' : ` on branch ${gitBranch}`
  const upTo = lastEventAt === null ? '' : `, recorded up to ${minute(lastEventAt)}`
  return `Session ${sessionId}${branch}${upTo}; \`lode event list --session ${sessionId}\` shows it.`
}

/** The to-do that is in progress, else the first that waits. */
function nextOf(session: SessionFacts | null): string {
  const todos = session?.todos ?? []
  const next = todos.find(({ status }) => status === 'in_progress') ?? todos.find(({ status }) => status === 'pending')
  return next === undefined ? '' : cut(next.content, 500).text
}

function short(text: string): string {
  const { text: shown, left } = cut(text.trim(), RECORDED_TEXT)
  return left > 0 ? `${shown}…` : shown
}
