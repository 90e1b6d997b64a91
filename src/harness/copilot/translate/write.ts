import type { ContentImage } from '../../../domain/conversation/line-content'
import {
  type CallPart,
  type NeutralConversation,
  type TranslationTarget,
  translationNote,
} from '../../../domain/harness/translation'
import { CallNames, NO_ANSWER } from '../../json-lines/call-names'
import { isRecord } from '../../json-lines/json-value'
import { type AgentStep, stepsOf } from '../../json-lines/steps'

interface Line {
  type: string
  data: object
}

/**
 * Writes a conversation as the events of a session that `copilot --resume` continues.
 *
 * Checked with 1.0.102: the CLI reads lines with fields that it does not know, and gives the model again what stands in messages and
 * answers. Each line says in `translatedFrom` where it comes from, so that the record counts it for its origin alone.
 */
export function writeConversation(
  conversation: NeutralConversation,
  target: TranslationTarget,
): { name: string; bytes: Uint8Array } {
  const { sessionId, origin, now } = target
  const names = new CallNames(conversation.parts.filter((part): part is CallPart => part.kind === 'call'))
  const steps = stepsOf(conversation)
  const events: Line[] = [
    startOf(target),
    userMessage(translationNote(origin), [], NOTE_SOURCE),
    ...steps.flatMap((step, turn) =>
      step.kind === 'person' ? [userMessage(step.text, step.images)] : answerOf(step, names, String(turn)),
    ),
  ]
  const translatedFrom = { agent: origin.agent, sessionId: origin.sessionId }
  let parentId: string | null = null
  let text = ''
  for (const [at, event] of events.entries()) {
    const id = crypto.randomUUID()
    // Each a millisecond after the one before: readers that sort by time keep the order.
    const timestamp = new Date(now + at).toISOString()
    text += `${JSON.stringify({ ...event, id, timestamp, parentId, translatedFrom })}\n`
    parentId = id
  }
  return { name: `${sessionId}.jsonl`, bytes: new TextEncoder().encode(text) }
}

/** The author of the note at the head: no person. */
const NOTE_SOURCE = 'system'

function startOf({ sessionId, cwd, version, now }: TranslationTarget): Line {
  const release = version ?? '1.0.102'
  const startTime = new Date(now).toISOString()
  return {
    type: 'session.start',
    data: {
      ...{ sessionId, version: 1, producer: 'lodeline', copilotVersion: release, startTime },
      ...{ context: { cwd }, alreadyInUse: false },
    },
  }
}

function userMessage(content: string, images: readonly ContentImage[], source?: string): Line {
  const attachments = images.map(({ mediaType, base64 }, at) => ({
    ...{ type: 'blob', data: base64, mimeType: mediaType, displayName: `image ${at + 1}` },
  }))
  return {
    type: 'user.message',
    data: {
      ...{ content, messageId: crypto.randomUUID() },
      ...(images.length > 0 && { attachments }),
      ...(source !== undefined && { source }),
    },
  }
}

/** A message has one text: each text is a message, and the last one makes the call. */
function answerOf({ texts, call }: AgentStep, names: CallNames, turnId: string): Line[] {
  const last = call === null ? undefined : (texts.at(-1) ?? '')
  const alone = call === null ? texts : texts.slice(0, -1)
  return [
    { type: 'assistant.turn_start', data: { turnId } },
    ...alone.map((text) => assistantMessage(text, [], turnId)),
    ...(call === null || last === undefined ? [] : callLines(call, last, names, turnId)),
    { type: 'assistant.turn_end', data: { turnId } },
  ]
}

function assistantMessage(content: string, toolRequests: object[], turnId: string): Line {
  return { type: 'assistant.message', data: { messageId: crypto.randomUUID(), content, toolRequests, turnId } }
}

function callLines(call: CallPart, text: string, names: CallNames, turnId: string): Line[] {
  const toolCallId = names.idOf(call)
  const name = names.nameOf(call)
  const input = isRecord(call.input) ? call.input : { input: call.input ?? null }
  const answer = call.answer ?? { text: NO_ANSWER, isError: true, images: [] }
  const binaryResultsForLlm = answer.images.map(({ mediaType, base64 }) => ({
    ...{ type: 'image', data: base64, mimeType: mediaType },
  }))
  const result = { content: answer.text, ...(answer.images.length > 0 && { binaryResultsForLlm }) }
  return [
    assistantMessage(text, [{ toolCallId, name, arguments: input, type: 'function' }], turnId),
    { type: 'tool.execution_start', data: { toolCallId, toolName: name, arguments: input, turnId } },
    {
      type: 'tool.execution_complete',
      data: {
        ...{ toolCallId, turnId, success: !answer.isError, result },
        ...(answer.isError && { error: { message: answer.text, code: 'failure' } }),
      },
    },
  ]
}
