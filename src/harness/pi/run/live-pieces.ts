import type { LivePiece } from '../../../domain/session/live'
import { idOf, parsedJson, recordOf, textOf } from '../../json-lines/json-value'
import { wordsOf } from '../parts'

/** The message that the model is writing, and what running tools have given out so far. */
export function livePieces(line: Uint8Array): LivePiece[] {
  const record = recordOf(parsedJson(line))
  const call = idOf(record?.toolCallId)
  switch (record?.type) {
    case 'message_update': {
      const event = recordOf(record.assistantMessageEvent)
      const delta = event?.type === 'text_delta' ? textOf(event.delta) : undefined
      return delta === undefined ? [] : [{ kind: 'words', text: delta }]
    }
    case 'message_start':
    case 'message_end':
    case 'agent_settled':
      return [{ kind: 'said' }]
    case 'tool_execution_update': {
      const text = wordsOf(recordOf(record.partialResult)?.content)
      return call === undefined ? [] : [{ kind: 'output', call, text, isWhole: true }]
    }
    case 'tool_execution_end':
      return call === undefined ? [] : [{ kind: 'done', call }]
    default:
      return []
  }
}
