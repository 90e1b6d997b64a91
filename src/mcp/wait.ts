import type { Answers } from '../api/contract/operations'
import { toAppError } from '../domain/errors'
import { messagesText } from '../domain/message/message-text'
import { isFinal } from '../domain/task/task'
import { MINUTE_MS } from '../domain/time-units'
import { inline, quote } from '../util/quote'
import type { ToolCall, ToolHost } from './host'

/** Milliseconds that a call waits by default, and at most: below what agents' CLIs allow a tool by themselves. */
export const CALL_WAIT_MS = { usual: 45_000, most: 10 * MINUTE_MS } as const
/** Characters of messages in one answer. */
const MESSAGE_ROOM = 50_000
/** Tasks of an answer that are listed, and characters of each result. */
const LISTED = 100
const OUTPUT = 3_000
/** Between two tries while the server is away. */
const AGAIN_MS = 500

export const waitMsOf = (given: number | undefined): number =>
  Math.min(Math.max(Math.trunc(given ?? CALL_WAIT_MS.usual), 0), CALL_WAIT_MS.most)

/** The address at which the caller's messages are; `null` = nobody can say. */
export function addressOf({ taskId, agentId, joined, sessionId }: ToolHost): string | null {
  return taskId ?? agentId ?? joined ?? sessionId
}

/**
 * Names the flight of what a call is given: by the model's id of the call its line is found in the transcript. An agent that no
 * transcript is known of has one flight, and says itself what arrived.
 */
export function callName({ host, toolUseId }: ToolCall): string {
  if (host.taskId === null && host.sessionId === null) return `mcp ${addressOf(host) ?? 'nobody'}`
  return toolUseId ?? `mcp-${crypto.randomUUID()}`
}

/** An operator's calls within a session are for that session. */
export const ofSession = ({ host }: ToolCall) =>
  host.caller === 'operator' && host.joined === null && host.sessionId !== null ? { sessionId: host.sessionId } : {}

/** Waits for tasks, over a restart of the server too. */
export async function awaitTasks(
  call: ToolCall,
  input: { ids?: string[] | undefined; mode?: 'all' | 'any' | undefined; waitMs?: number | undefined },
): Promise<Answers['plans']['await'] | null> {
  const name = callName(call)
  const until = performance.now() + waitMsOf(input.waitMs)
  for (;;) {
    const left = Math.max(0, Math.ceil(until - performance.now()))
    try {
      return await call.client.plans.await({ ...input, ...ofSession(call), waitMs: left, call: name })
    } catch (thrown) {
      // Nothing is lost: what was given to this call is given to it again.
      if (toAppError(thrown).code !== 'unavailable') throw thrown
      if (until - performance.now() <= AGAIN_MS) return null
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }
}

/** The result of a wait, as the model reads it. */
export function awaitedText(found: Answers['plans']['await'] | null): string {
  if (found === null) return 'The server is away. Nothing is lost: call await-tasks again.'
  const { tasks, messages, count, more, isComplete } = found
  const told = messagesText(messages, MESSAGE_ROOM, count)
  // A result among the messages says all that a line could.
  const said = new Set(messages.filter(({ kind }) => kind === 'result').map(({ taskId }) => taskId))
  const open = tasks.filter((task) => !isOver(task)).length
  const lines = tasks.slice(0, LISTED).map((task) => taskText(task, said.has(task.taskId)))
  if (tasks.length > LISTED) lines.push(`and ${tasks.length - LISTED} more`)
  if (more > 0) lines.push(`(${more} more open tasks were not looked at)`)
  return [
    isComplete
      ? tasks.length === 0
        ? 'No task of yours is open.'
        : `All that you waited for is there.`
      : `${open} of ${tasks.length} still open: call await-tasks again to go on waiting, or go on with other work.`,
    ...lines,
    told.text,
  ]
    .filter((line) => line !== '')
    .join('\n')
}

type Standing = Answers['plans']['await']['tasks'][number]

const isOver = ({ status }: Standing) => isFinal(status)

function taskText(task: Standing, isSaid: boolean): string {
  const { taskId, status, title, planKey, progress, failureReason } = task
  const key = planKey === null ? '' : ` ${inline(planKey, 100)}`
  const head = `${taskId}${key} ${status} ${inline(title, 120)}`
  if (isSaid) return head
  if (!isOver(task)) return progress === null ? head : `${head}, so far: ${inline(progress, 200)}`
  const why = failureReason === null || status === 'completed' ? '' : `\nreason: ${inline(failureReason, 400)}`
  if (task.output === null || task.output.trim() === '') return `${head}${why}`
  const { text, left } = quote(task.output, OUTPUT)
  const cut = left > 0 || task.isCut ? ` (cut; get-task ${taskId} shows more)` : ''
  return `${head}${why}\noutput${cut}:\n${text}`
}
