import type { PermissionAnswer } from '../../../domain/harness/harness-run'
import { isRecord } from '../../json-lines/json-value'

/**
 * A user's message. In mid-turn `next` is shown to the model after the running tool call, in the same turn; `now` ends the turn
 * after that call and begins another. The CLI drops a uuid that its conversation has as a prompt already.
 */
export function userLine(text: string, uuid: string, urgency: 'now' | 'next'): string {
  // Half of a surrogate pair would make the model's API refuse every later request of the conversation.
  const content = text.toWellFormed()
  return line({ type: 'user', message: { role: 'user', content }, uuid, priority: urgency })
}

/** Stops the turn; the process stays and takes the next message. */
export function interruptLine(requestId: string): string {
  return line({ type: 'control_request', request_id: requestId, request: { subtype: 'interrupt' } })
}

/** The answer to a `can_use_tool`. */
export function permissionLine(requestId: string, answer: PermissionAnswer): string {
  const response =
    answer.behavior === 'allow'
      ? { behavior: 'allow', updatedInput: isRecord(answer.input) ? answer.input : {} }
      : { behavior: 'deny', message: answer.message ?? 'This was not allowed.' }
  return line({ type: 'control_response', response: { subtype: 'success', request_id: requestId, response } })
}

/** One line with its newline. Separators that some readers of lines take for a newline are escaped. */
function line(record: unknown): string {
  return `${JSON.stringify(record).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`
}
