import type { AttemptConversation, FailureClass, Pauser, Rung, Task, Wait } from '#domain/task/task'
import { lengthOf } from '../../lib/time'

/** Characters of a task's texts that lists need. Pages that show or copy a full text load the task itself. */
export const ROW_TEXT = 300

const PAUSED: Readonly<Record<Pauser, string>> = {
  person: 'by a person',
  shutdown: 'its worker ended',
  limit: 'by a limit',
}
const WAITING: Readonly<Record<Wait, string>> = {
  dependency: 'for other tasks',
  parent: 'for its parent',
  children: 'for its children',
  retry: 'for its next try',
  limit: 'for a limit',
  time: 'for its start time',
}

/** Text in brackets after the status: who paused the task, or what it waits for. */
export function statusDetail({ status, pausedBy, waitingFor }: Pick<Task, 'status' | 'pausedBy' | 'waitingFor'>) {
  if (status === 'paused') return pausedBy === null ? null : PAUSED[pausedBy]
  return status === 'pending' && waitingFor !== null ? WAITING[waitingFor] : null
}

/** The last part of a folder, which people use as the name of a project. */
export const folderName = (path: string): string => path.split(/[/\\]/).filter(Boolean).at(-1) ?? path

/** How an attempt got its conversation, after the rung's name. */
export const RUNG_WORDS: Readonly<Record<Rung, string>> = {
  native: 'resumed the conversation where it was',
  restored: 'restored the conversation from the record and resumed it',
  snapshot: "started with a copy of its parent's conversation",
  translated: 'continued a conversation of another agent CLI, rewritten for this one',
  preamble: 'started a new conversation with a summary of the previous one',
  fresh: 'started a new conversation',
}

/** `codex, else claude-code; no online worker has one`. Empty if any will do. */
export function cliWords(
  { agentClis, neededClis }: Pick<Task, 'agentClis' | 'neededClis'>,
  isLacking: boolean,
): string {
  const clis = agentClis.length > 0 ? agentClis : neededClis
  return clis.length === 0 ? '' : `${clis.join(', else ')}${isLacking ? '; no online worker has one' : ''}`
}

/** The agent CLI that its newest attempt had, else the first that may run it. `null` = any. */
export const taskCli = ({ agentCli, neededClis }: Pick<Task, 'agentCli' | 'neededClis'>): string | null =>
  agentCli ?? neededClis[0] ?? null

/** Why a better rung was not possible, in words. */
export const whyNotWords = ({ reason, detail }: AttemptConversation['whyNot'][number]): string =>
  detail ?? reason.replaceAll('_', ' ')

/** How a task with a parent starts. */
export function continuityWords({ continuity, continueNow }: Pick<Task, 'continuity' | 'continueNow'>): string {
  if (continuity === 'fresh') return 'in a new conversation'
  return continueNow ? 'continues it from its last finished turn' : 'continues its conversation'
}

/** Advice for a failure. A retry button is shown beside it. */
export function failureAdvice(failureClass: FailureClass | null, id: string): { text: string; command?: string } {
  const raised = 'Raise the limit and retry. The conversation continues.'
  switch (failureClass) {
    case 'login':
      return { text: "Log in the agent CLI on the worker's host, then retry." }
    case 'bad_flag':
      return {
        text: 'An option, the model or the folder is wrong. Change it, then retry.',
        command: `lode task edit ${id}`,
      }
    case 'turn_limit':
      return { text: raised, command: `lode task edit ${id} --max-turns N` }
    case 'cost_limit':
      return { text: raised, command: `lode task edit ${id} --max-cost USD` }
    case 'timeout':
      return { text: raised, command: `lode task edit ${id} --timeout SPAN` }
    case 'prompt_too_long':
      return { text: 'The conversation is full. A retry starts with a summary of it.' }
    case 'dependency_failed':
      return { text: 'A task that it depends on failed. Retry that one; this task then waits for it again.' }
    case 'usage_limit':
    case 'overloaded':
      return { text: "The model's API refused the request. Retry later." }
    case 'lease_lost':
      return {
        text: 'Several workers disappeared while running it, perhaps because of what the task does. Check its log.',
      }
    case 'agent':
      return {
        text: 'The agent reported that it failed. Send it a message, or create a child task, to tell it how to continue.',
      }
    case 'resume_refused':
    case 'crash':
    case null:
      return {
        text: 'Check its log for the cause. A retry continues the conversation if possible.',
      }
  }
}

/** The number of attempts and the delays between them. */
export function retryWords({ retryPolicy }: Pick<Task, 'retryPolicy'>): string {
  const { maximumAttempts, initialIntervalMs, backoffCoefficient, maximumIntervalMs } = retryPolicy
  if (maximumAttempts === 1) return '1 attempt at most'
  const growth = backoffCoefficient === 1 ? '' : `, ×${backoffCoefficient} up to ${lengthOf(maximumIntervalMs)}`
  return `${maximumAttempts} attempts at most, ${lengthOf(initialIntervalMs)} apart${growth}`
}
