import type { AttemptConversation, FailureClass, Rung, Task } from '../../../src/domain/task'
import { lengthOf } from './time'

/** Characters that rows need of a task's texts. What shows a text whole, or copies it, asks for the task itself. */
export const ROW_TEXT = 300

/** What stands behind the status in brackets: who paused it, what it waits for. */
export function statusDetail({ status, pausedBy, waitingFor }: Pick<Task, 'status' | 'pausedBy' | 'waitingFor'>) {
  if (status === 'paused') return pausedBy
  return status === 'pending' ? waitingFor : null
}

/** The last part of a folder, which is what people call a project. */
export const folderName = (path: string): string => path.split(/[/\\]/).filter(Boolean).at(-1) ?? path

/** How an attempt got its conversation, in words behind the rung's name. */
export const RUNG_WORDS: Readonly<Record<Rung, string>> = {
  native: 'resumed the conversation where it was',
  restored: 'wrote the conversation back from the record, and resumed it',
  snapshot: "began with a copy of its parent's conversation",
  preamble: 'began anew, and was given a summary of the conversation before',
  fresh: 'began anew',
}

/** Why a better rung did not run: the words for people, else the reason's own. */
export const whyNotWords = ({ reason, detail }: AttemptConversation['whyNot'][number]): string =>
  detail ?? reason.replaceAll('_', ' ')

/** How a task with a parent begins. */
export function continuityWords({ continuity, continueNow }: Pick<Task, 'continuity' | 'continueNow'>): string {
  if (continuity === 'fresh') return 'in a new conversation'
  return continueNow ? 'continues it from its last finished turn' : 'continues its conversation'
}

/** What can be done about a failure, in a sentence. A retry is offered beside it. */
export function failureAdvice(failureClass: FailureClass | null, id: string): { text: string; command?: string } {
  const raised = 'It goes on in its conversation when it is tried again with a higher limit.'
  switch (failureClass) {
    case 'login':
      return { text: "The agent's CLI has to be logged in on the worker's machine before it is tried again." }
    case 'bad_flag':
      return {
        text: 'An option, the model or the folder is wrong. Change it before it is tried again.',
        command: `lode task edit ${id}`,
      }
    case 'turn_limit':
      return { text: raised, command: `lode task edit ${id} --max-turns N` }
    case 'cost_limit':
      return { text: raised, command: `lode task edit ${id} --max-cost USD` }
    case 'timeout':
      return { text: raised, command: `lode task edit ${id} --timeout SPAN` }
    case 'prompt_too_long':
      return { text: 'Its conversation is full. Tried again, it begins with a summary of it.' }
    case 'dependency_failed':
      return { text: 'A task that it depends on failed. It comes back when that one is tried again.' }
    case 'usage_limit':
    case 'overloaded':
      return { text: "The model's service turned it away. Trying again later may work." }
    case 'lease_lost':
      return { text: 'Its workers vanished one after another, perhaps because of what the task does. Look at its log.' }
    case 'agent':
      return {
        text: 'The agent itself says that it failed. A message to it or a child task may tell it how to go on.',
      }
    case 'resume_refused':
    case 'crash':
    case null:
      return {
        text: 'Its log tells what happened. Tried again, it goes on in its conversation where that is possible.',
      }
  }
}

/** Tries and the pauses between them. */
export function retryWords({ retryPolicy }: Pick<Task, 'retryPolicy'>): string {
  const { maximumAttempts, initialIntervalMs, backoffCoefficient, maximumIntervalMs } = retryPolicy
  if (maximumAttempts === 1) return 'one try'
  const growth = backoffCoefficient === 1 ? '' : `, ×${backoffCoefficient} up to ${lengthOf(maximumIntervalMs)}`
  return `${maximumAttempts} tries, ${lengthOf(initialIntervalMs)} apart${growth}`
}
