import type { SessionId } from '../../domain/ids'
import type { LivePiece } from '../../domain/session/live'
import { idOf, listOf, recordOf, textOf } from '../json-lines/json-value'
import { acpMessage } from './messages'

/** Words and outputs by the Agent Client Protocol. A call or the end of the turn ends what the model was saying. */
export function acpLivePieces(line: Uint8Array, session: SessionId): LivePiece[] {
  const message = acpMessage(line)
  const params = recordOf(message?.params)
  // The answer to a prompt: the turn is over.
  if (params === undefined) return recordOf(message?.result)?.stopReason === undefined ? [] : [{ kind: 'said' }]
  const update = recordOf(params.update)
  if (update === undefined || params.sessionId !== session) return []
  const call = idOf(update.toolCallId)
  switch (update.sessionUpdate) {
    case 'agent_message_chunk': {
      const text = textOf(recordOf(update.content)?.text)
      return text === undefined ? [] : [{ kind: 'words', text }]
    }
    case 'user_message_chunk':
    case 'tool_call':
      return [{ kind: 'said' }]
    case 'tool_call_update': {
      if (call === undefined) return []
      if (update.status === 'completed' || update.status === 'failed') return [{ kind: 'done', call }]
      const text = listOf(update.content)
        .map((part) => textOf(recordOf(recordOf(part)?.content)?.text) ?? '')
        .join('')
      return text === '' ? [] : [{ kind: 'output', call, text, isWhole: true }]
    }
    default:
      return []
  }
}
