import type { Answers } from '../../../api/contract/operations'
import type { ConversationItem, EventNode } from '../../../domain/conversation/conversation'
import { isSessionMark } from '../../../domain/conversation/session-mark'
import { localTime } from '../../print/measures'
import { cut, oneLine, pad } from '../../print/text'
import { sessionMark } from './conversation-view'
import { nodeLabel } from './node-label'

/** Cells of the column that says whose line it is. */
const NODE_CELLS = 28
const KIND_CELLS = 13

/** A conversation by time, one line each: when, whose, what. */
export function flatConversation(answer: Answers['sessions']['conversation'], columns: number): string {
  const nodes = new Map(answer.nodes.map((node) => [node.subagentId, node]))
  const lines = answer.turns.flatMap((turn) => [
    ...(turn.start === null ? [] : flatLines(turn.start, nodes)),
    ...turn.items.flatMap((item) => flatLines(item, nodes)),
  ])
  return lines.map((line) => `${columns > 0 ? cut(line, columns) : line}\n`).join('')
}

function flatLines(item: ConversationItem, nodes: ReadonlyMap<string | null, EventNode>): string[] {
  if (isSessionMark(item.kind)) return [`== ${sessionMark(item)} ==`]
  const whose = pad(cut(nodeOf(item, nodes), NODE_CELLS), NODE_CELLS)
  const line = (at: string | null, kind: string, text: string) =>
    `${localTime(at) ?? '-'}  ${whose}  ${pad(kind, KIND_CELLS)}  ${text}`.trimEnd()
  const text = oneLine((item.text ?? '').slice(0, 600))
  const kind = item.count > 1 ? `${item.kind} x${item.count}` : item.kind
  if (item.tool === null) return [line(item.at, kind, text)]
  const { name, isError, result } = item.tool
  const shown = text === '' ? oneLine(name ?? 'tool') : text
  return [
    ...(item.text === null ? [] : [line(item.at, 'tool', shown)]),
    ...(result === null
      ? []
      : [line(result.at, isError === true ? 'failed' : 'answer', oneLine((result.text ?? '').slice(0, 600)))]),
  ]
}

function nodeOf(item: ConversationItem, nodes: ReadonlyMap<string | null, EventNode>): string {
  if (item.subagentId === null)
    return item.parentToolUseId === null ? 'main thread' : `agent of ${oneLine(item.parentToolUseId)}`
  const node = nodes.get(item.subagentId)
  return node === undefined ? oneLine(item.subagentId) : nodeLabel({ ...node, description: null }, NODE_CELLS)
}
