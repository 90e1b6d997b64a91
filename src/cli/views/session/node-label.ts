import type { EventNode } from '../../../domain/conversation/conversation'
import { cut, oneLine } from '../../print/text'

/** `main thread`, `Explore a1b2c3d4 "find the callers"`, with the depth from 2 on; `(orphan)` where the launch was not seen. */
export function nodeLabel(node: EventNode, cells = 60): string {
  if (node.kind === 'main') return 'main thread'
  const name = node.kind === 'agent' ? oneLine(node.type ?? 'agent') : node.kind
  const id = node.subagentId === null ? '' : ` ${oneLine(node.subagentId)}`
  const about = node.description === null ? '' : ` "${oneLine(node.description)}"`
  const depth = node.depth !== null && node.depth > 1 ? ` (depth ${node.depth})` : ''
  const orphan = node.isOrphan ? ' (orphan)' : ''
  const place = `${depth}${orphan}`
  return cut(`${name}${id}${about}`, cells) + place
}
