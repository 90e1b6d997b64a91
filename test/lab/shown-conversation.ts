/** What the model was shown in the first request of an attempt, held against what the attempt says of its conversation. */
import type { Attempt } from '../../src/domain/task/task'
import type { ModelRequest } from './request-log'

/** A request as the model server logged it, with its time. */
export type TimedRequest = ModelRequest & { at: string }

/** The conversation of a request, taken apart at the prompt of the run. */
export interface Shown {
  /** All before the run's prompt, as text. */
  before: string
  /** Whether the model has said something before it. */
  isContinued: boolean
  /** The prompt and what came with it. */
  prompt: string
}

/** The main agent's requests of an attempt, oldest first: those in its conversation from its start to the next one's. */
export function requestsOf(attempt: Attempt, next: Attempt | undefined, all: readonly ModelRequest[]): TimedRequest[] {
  const until = next?.startedAt ?? '9999'
  return (all as TimedRequest[]).filter(
    ({ who, session, at }) =>
      who === 'main' && session === attempt.conversation?.sessionId && at >= attempt.startedAt && at < until,
  )
}

/** How the prompts of runs begin, by the rung that they are for. */
const PROMPTS = /^\s*(?:Continue task |\[You work on task |\[This conversation is a copy |\[Task t-)/

/**
 * Takes the first request of an attempt apart.
 *
 * @param task  the task's own text: the prompt of a first attempt
 */
export function shownIn(request: ModelRequest, task: string): Shown {
  const blocks = request.body.messages.flatMap(({ role, content }) => textsOf(content).map((text) => ({ role, text })))
  const at = blocks.findLastIndex(({ role, text }) => role === 'user' && (PROMPTS.test(text) || text.trim() === task))
  const texts = (part: typeof blocks) => part.map(({ text }) => text).join('\n')
  const before = blocks.slice(0, Math.max(0, at))
  return {
    before: texts(before),
    isContinued: before.some(({ role }) => role === 'assistant'),
    prompt: texts(blocks.slice(Math.max(0, at))),
  }
}

/** What stands in a conversation without being said in it: reminders of the CLI, and what hooks gave, which may quote the task. */
const ADDED = /^\s*(?:<system-reminder>|SessionStart:)/

/** Texts of a message; calls of tools and their results as JSON. */
function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return ADDED.test(content) ? [] : [content]
  if (!Array.isArray(content)) return []
  return content
    .map((block: { type?: string; text?: string }) =>
      block.type === 'text' ? (block.text ?? '') : JSON.stringify(block),
    )
    .filter((text) => !ADDED.test(text))
}

/** What is wrong with an attempt's word about its conversation; `null` = it is honest. */
export function dishonesty(
  attempt: Attempt,
  shown: Shown,
  { word, parentWord, lastWords }: { word: string; parentWord: string | null; lastWords: string },
): string | null {
  const rung = attempt.conversation?.rung
  const say = (what: string) => `${attempt.id} says ${rung}, but ${what}`
  if (rung === 'native' || rung === 'restored')
    return shown.before.includes(word) ? null : say('the model was not shown its conversation')
  if (rung === 'snapshot') {
    // To the very end: the parent's last words follow what it was asked.
    const asked = parentWord === null ? -1 : shown.before.lastIndexOf(parentWord)
    const isWhole = asked >= 0 && shown.before.indexOf(lastWords, asked) >= 0
    return shown.isContinued && isWhole ? null : say("the model was not shown the parent's conversation to its end")
  }
  if (shown.isContinued || shown.before !== '') return say(`the model was shown ${shown.before.slice(0, 300)}`)
  const isSummed = shown.prompt.includes('A summary of it follows')
  if (rung === 'preamble') return isSummed ? null : say(`there was no summary: ${shown.prompt.slice(0, 300)}`)
  return isSummed ? say('there was a summary') : null
}
