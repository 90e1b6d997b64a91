import type { SessionId } from '../../domain/ids'
import type { Attempt, Rung, Task } from '../../domain/task/task'
import { inline } from '../../util/quote'
import { compose, type Section } from './compose'
import { type Exchange, lastExchange, lastToolCall, wasAsked } from './exchange'
import {
  type ConversationFacts,
  currentConversation,
  type RecallStore,
  readConversationFacts,
  readTaskFacts,
  type TaskFacts,
} from './facts'
import { mailWithPrompt, withMail, wokenPrompt } from './mail'
import { background, issueLine, minute, progress, quoted, taskText, todos, unread, whole } from './sections'

/** Characters of a summary that stands in for a conversation. */
export const PREAMBLE_LIMIT = 12_000

/**
 * The first prompt of the attempt that is about to begin, which got its conversation by `rung`.
 *
 * The task's own text is given as it was written and whole, wherever the conversation does not hold it yet; all else is short.
 * Call it before or after the attempt's conversation was reported: both give the same.
 */
export async function promptText(store: RecallStore, task: Task, rung: Rung): Promise<string> {
  const facts = await readTaskFacts(store, task)
  const mail = await mailWithPrompt(store, facts)
  return withMail(await ownPrompt(store, facts, rung, mail.length > 0), mail)
}

async function ownPrompt(store: RecallStore, facts: TaskFacts, rung: Rung, hasMail: boolean): Promise<string> {
  const { task } = facts
  switch (rung) {
    case 'fresh':
      return freshPrompt(facts)
    case 'snapshot':
      // Its own conversation is open in another process: cut at its last finished turn, the copy may lack the task's text.
      if (task.forkAt !== null && lastEnded(facts) === undefined) return forkPrompt(facts)
      return isOwnCopy(facts) ? continuePrompt(facts, false) : snapshotPrompt(facts)
    case 'translated':
    case 'native':
    case 'restored': {
      if (rung === 'translated' && !isOwnCopy(facts)) return snapshotPrompt(facts)
      const session = rung === 'translated' ? translatedFrom(facts) : currentConversation(facts)
      const isKnown = session !== null && (await wasAsked(store, session, task.task))
      return isKnown && lastEnded(facts)?.outcome === 'completed'
        ? wokenPrompt(facts, hasMail)
        : continuePrompt(facts, isKnown)
    }
    case 'preamble':
      return await preamblePrompt(store, facts)
  }
}

/** A conversation without history. When there should have been one, it says so. */
export function freshPrompt(facts: TaskFacts): string {
  const { task, parent } = facts
  const notes: string[] = []
  const former = lastEnded(facts)
  if (former !== undefined)
    notes.push(`${howItEnded(former)} Its conversation can't be continued; its files may still exist.`)
  else if (task.parentTaskId !== null && task.continuity === 'continue') {
    const what = parent === null ? 'which has no record here' : inline(parent.title, 200)
    notes.push(
      `It should have continued the conversation of task ${task.parentTaskId} (${what}), but that was not possible.`,
    )
  }
  if (notes.length === 0) return asText(task.task)
  if (task.progress !== null && former !== undefined)
    notes.push(`Progress stored before: ${inline(task.progress, 1_000)}`)
  return `[Task ${task.id} of Lodeline starts without an earlier conversation. ${notes.join(' ')}]\n\n${task.task}`
}

/**
 * A text that begins with a slash is a command to the agent's CLI, which answers an unknown one itself, as if all were well (Claude
 * Code 2.1.197), and runs its own. A blank before it makes it text; the model still knows its skills by their names.
 */
const asText = (text: string) => (text.startsWith('/') ? ` ${text}` : text)

/** A copy of the parent's conversation. */
export function snapshotPrompt({ task, parent }: TaskFacts): string {
  const original = parent === null ? task.parentTaskId : `${parent.id} (${inline(parent.title, 200)})`
  return [
    `[This conversation is a copy of the conversation of task ${original}, cut at its last finished turn. From here on you work on task ${task.id}`,
    'of Lodeline, a separate task: background work of the original is not yours. The task:]',
  ]
    .join(' ')
    .concat(`\n\n${task.task}`)
}

/** A copy of a session, cut where a person wanted it. */
const forkPrompt = ({ task }: TaskFacts): string =>
  [
    '[This conversation is a copy of another one, cut at an earlier place. What happened after that place is not in it, but may have',
    `changed files: look before you rely on them. From here on you work on task ${task.id} of Lodeline. The task:]`,
  ]
    .join(' ')
    .concat(`\n\n${task.task}`)

/** The task's own conversation goes on. */
export function continuePrompt(facts: TaskFacts, isTaskKnown: boolean): string {
  const { task } = facts
  const former = lastEnded(facts)
  const notes = [
    former === undefined ? '' : howItEnded(former),
    'A tool call that was in progress may or may not have taken effect: check before you repeat it.',
    'Background shells are gone.',
    task.progress === null ? '' : `Progress stored last: ${inline(task.progress, 1_000)}`,
  ]
  const noteText = notes.filter((note) => note !== '').join(' ')
  if (isTaskKnown) return `Continue task ${task.id} of Lodeline where you left off, until it is done. ${noteText}`
  return `[You work on task ${task.id} of Lodeline in this conversation. ${noteText} The task:]\n\n${task.task}`
}

/** A new conversation that begins with a summary of the one that can't be continued. */
async function preamblePrompt(store: RecallStore, facts: TaskFacts): Promise<string> {
  for (const { session, of } of sourcesOf(facts)) {
    const [conversation, exchange, toolCall] = await Promise.all([
      readConversationFacts(store, session),
      lastExchange(store, session),
      lastToolCall(store, session),
    ])
    // An attempt that died before it was asked anything left nothing to sum up.
    if (exchange.prompt !== null || exchange.answer !== null || toolCall !== null)
      return buildPreamble(facts, of, conversation, exchange, toolCall)
  }
  return freshPrompt(facts)
}

/**
 * Pure. @param of  whose conversation is summed up: the task's own earlier one, or its parent's
 */
export function buildPreamble(
  facts: TaskFacts,
  of: 'own' | 'parent',
  conversation: ConversationFacts,
  exchange: Exchange,
  toolCall: string | null = null,
): string {
  const { task, parent } = facts
  const former = lastEnded(facts)
  const opening =
    of === 'own'
      ? `[Task ${task.id} of Lodeline continues in a new conversation because the earlier one can't be continued.${former === undefined ? '' : ` ${howItEnded(former)}`} A summary of it follows; quoted text is a record.`
      : `[Task ${task.id} of Lodeline continues the work of task ${task.parentTaskId}, whose conversation can't be continued. A summary of it follows; quoted text is a record.`
  const about = of === 'parent' ? parent : null
  const sections: Section[] = [
    ...(about === null ? [] : [taskText(about), result(about)]),
    progress(about ?? task),
    todos(conversation.todos),
    quoted('last answer', "The agent's last answer:", exchange.answer, 600),
    quoted('last tool call', 'Its last tool call, with an unknown effect:', toolCall, 300),
    // The task's own text stands below, whole.
    ...(of === 'own' && exchange.prompt !== null && sameText(exchange.prompt, task.task)
      ? []
      : [quoted('last prompt', 'Its last prompt:', exchange.prompt, 400)]),
    background(conversation.background, false),
    unread(conversation.background),
    issueLine(facts.issue),
  ]
  return `${compose(opening, sections, 'The task:]', PREAMBLE_LIMIT)}\n\n${task.task}`
}

function result(task: Task): Section {
  const how = task.finishedBy === 'runner' ? 'when its run ended' : 'as the agent reported it'
  if (task.output !== null) return quoted('result', `Its result, ${how}:`, task.output, 1_000)
  return whole('result', task.failureReason === null ? '' : `It ${task.status}: ${inline(task.failureReason, 300)}`)
}

const sameText = (cut: string, whole: string) => whole.trim().startsWith(cut.trim().slice(0, 200))

/** The conversations that the attempt might have continued, best first. */
function sourcesOf({ task, attempts, parent }: TaskFacts): { session: SessionId; of: 'own' | 'parent' }[] {
  const live = attempts.findLast((attempt) => attempt.isLive)?.conversation?.sessionId
  const own = attempts.filter((attempt) => !attempt.isLive).map((attempt) => attempt.conversation?.sessionId)
  // The task's may have been set by a person, for a task that has not run yet.
  const sessions = [task.claudeSessionId, ...own.reverse()].filter(
    (session): session is SessionId => session !== null && session !== undefined && session !== live,
  )
  const sources: { session: SessionId; of: 'own' | 'parent' }[] = [...new Set(sessions)].map((session) => ({
    session,
    of: 'own',
  }))
  const isChild = task.parentTaskId !== null && task.continuity === 'continue'
  if (isChild && parent !== null && parent.claudeSessionId !== null)
    sources.push({ session: parent.claudeSessionId, of: 'parent' })
  return sources
}

/** Without a parent, or once an attempt had a conversation, what is copied is the task's own. */
/** The conversation that was translated: what it was asked is asked no second time. */
function translatedFrom(facts: TaskFacts): SessionId | null {
  const live = facts.attempts.findLast(({ isLive }) => isLive)?.conversation
  return live?.resumedSessionId ?? currentConversation(facts)
}

function isOwnCopy({ task, attempts }: TaskFacts): boolean {
  return task.parentTaskId === null || attempts.some((attempt) => !attempt.isLive && attempt.conversation !== null)
}

function lastEnded({ attempts }: TaskFacts): Attempt | undefined {
  return attempts.findLast((attempt) => !attempt.isLive)
}

const ENDINGS = {
  completed: 'ended',
  failed: 'failed',
  paused: 'was paused',
  released: 'was released',
  cancelled: 'was cancelled',
  lost: 'was lost with its worker',
} as const

function howItEnded({ number, outcome, failureReason, endedAt }: Attempt): string {
  const when = endedAt === null ? '' : ` at ${minute(endedAt)}`
  const why = failureReason === null ? '' : `: ${inline(failureReason, 300)}`
  return `Attempt ${number} ${outcome === null ? 'ended' : ENDINGS[outcome]}${when}${why}.`
}
