import { MOST_PARTS } from '../../domain/record/kept-text'
import { isRecord, type JsonRecord, listOf, recordOf } from '../json-lines/json-value'

/** A message of the first releases in the form of today. */
export interface SplitMessage {
  info: JsonRecord
  parts: JsonRecord[]
}

/**
 * Releases before July 2025 kept a message with its parts and all facts in one document: `{id, role, parts: […], metadata: {time, sessionID,
 * tool, assistant}}`. `null` = it is no such message.
 */
export function splitMessage(data: JsonRecord): SplitMessage | null {
  const metadata = recordOf(data.metadata)
  if (metadata === undefined || !Array.isArray(data.parts)) return null
  const { modelID, providerID, cost, tokens, path, summary } = recordOf(metadata.assistant) ?? {}
  const { time, error } = metadata
  const facts = { modelID, providerID, cost, tokens, path, summary }
  const told = recordOf(metadata.tool) ?? {}
  return {
    info: { id: data.id, role: data.role, time, error, ...facts },
    parts: listOf(data.parts)
      .slice(0, MOST_PARTS)
      .filter(isRecord)
      .map((part) => (part.type === 'tool-invocation' ? toolOf(part, told) : { ...part, time })),
  }
}

function toolOf(part: JsonRecord, told: JsonRecord): JsonRecord {
  const { state, toolCallId, toolName, args, result } = recordOf(part.toolInvocation) ?? {}
  const facts = recordOf(typeof toolCallId === 'string' ? told[toolCallId] : undefined) ?? {}
  const { time, error, ...metadata } = facts
  const status = error === true ? 'error' : state === 'result' ? 'completed' : state === 'call' ? 'running' : 'pending'
  return {
    ...{ type: 'tool', callID: toolCallId, tool: toolName },
    state: { status, input: args, output: result, error: result, time, metadata },
  }
}
