import type { SessionId } from '../../../domain/ids'
import type { LivePiece } from '../../../domain/session/live'
import { idOf, parsedJson, recordOf, textOf } from '../../json-lines/json-value'

/** The main thread's messages and the output of its commands, in pieces, until their items are completed. */
export function livePieces(line: Uint8Array, session: SessionId): LivePiece[] {
  const message = recordOf(parsedJson(line))
  const params = recordOf(message?.params)
  if (params === undefined || params.threadId !== session) return []
  const delta = textOf(params.delta)
  const item = recordOf(params.item)
  switch (message?.method) {
    case 'item/agentMessage/delta':
      return delta === undefined ? [] : [{ kind: 'words', text: delta }]
    case 'item/commandExecution/outputDelta': {
      const call = idOf(params.itemId)
      return delta === undefined || call === undefined ? [] : [{ kind: 'output', call, text: delta, isWhole: false }]
    }
    case 'item/completed': {
      const call = idOf(item?.id)
      return [
        ...(item?.type === 'agentMessage' ? [{ kind: 'said' } as const] : []),
        ...(call === undefined ? [] : [{ kind: 'done', call } as const]),
      ]
    }
    case 'turn/started':
    case 'turn/completed':
      return [{ kind: 'said' }]
    default:
      return []
  }
}
