import type { TreePlace } from '../../../domain/overview/tree-id'
import type { TreeEntry } from '../../../domain/overview/tree-level'
import type { ReadContext } from '../../sql/read-context'
import { itemEntries } from '../entries'
import type { Look } from '../look'
import { pathToSession } from '../path'
import { findSession, pathWithin, readOutline } from './level-session'

/** Nothing stands below a call or a to-do; its ancestors are given, so that a link to it can be followed. */
export async function leafLevel(
  context: ReadContext,
  place: Extract<TreePlace, { kind: 'tool' | 'todo' }>,
  look: Look,
): Promise<{ path: TreeEntry[]; entries: TreeEntry[]; total: number; nextCursor: null } | undefined> {
  const session = await findSession(context, place.sessionId)
  if (session === undefined) return undefined
  const outline = await readOutline(context, session, look)
  const id: string = place.kind === 'tool' ? place.toolUseId : place.todoId
  for (const [under, items] of outline?.below ?? []) {
    const found = items.find((item) => item.kind === place.kind && item.id === id)
    if (found === undefined) continue
    const node = under === null ? undefined : outline?.nodes.get(under)
    const path = [
      ...(await pathToSession(context, session)),
      ...(await pathWithin(context, session, node, look)),
      ...(await itemEntries(context, session, [found])),
    ]
    return { path, entries: [], total: 0, nextCursor: null }
  }
  return undefined
}
