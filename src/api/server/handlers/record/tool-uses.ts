import type { ToolUse } from '../../../../domain/conversation/tool-use'
import { AppError } from '../../../../domain/errors'
import { type SubagentId, toolUseId } from '../../../../domain/ids'
import type { TreeNode } from '../../../../domain/session/session'
import { toolUses } from '../../../contract/operations/events'
import { catchUp, resolveSessionId } from '../../find/find-session'
import { handle } from '../../handler'

/** Lines with one tool use's id that are looked through: its call and result, and copies of them. */
const LINES = 20

export const showToolUse = handle(toolUses.get, async ({ params, query }, context) => {
  if (query.sessionId === undefined) await catchUp(null, context)
  const session = query.sessionId === undefined ? undefined : await resolveSessionId(query.sessionId, context)
  const id = toolUseId(params.id)
  const found = (await context.store.toolUses.find(id)).filter(
    (one) => session === undefined || one.sessionId === session,
  )
  const [toolUse] = found
  if (toolUse === undefined)
    throw new AppError(
      'not_found',
      `No tool use ${params.id} is recorded${session === undefined ? '' : ` in ${session}`}.`,
    )
  if (found.length > 1) throw ambiguous(params.id, found)
  const { rows } = await context.store.events.list({ sessionId: toolUse.sessionId, toolUseId: id }, { limit: LINES })
  const tree = toolUse.launched === null ? undefined : await context.store.subagents.tree(toolUse.sessionId)
  return {
    toolUse,
    call: rows.find((event) => event.type === 'tool_call') ?? null,
    result: rows.find((event) => event.type === 'tool_result') ?? null,
    launched: tree === undefined || toolUse.launched === null ? null : nodeOf(tree, toolUse.launched),
  }
})

/** Walks without recursion: the depth is not ours to bound. */
function nodeOf(root: TreeNode, id: SubagentId): TreeNode | null {
  const left = [root]
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (node.subagent?.id === id) return node
    left.push(...node.children)
  }
  return null
}

function ambiguous(id: string, found: ToolUse[]): AppError {
  return new AppError('conflict', `${found.length} sessions have a tool use ${id}.`, {
    hint: 'Give the session too (`sessionId`).',
    details: { candidates: found.map(({ sessionId, name, calledAt }) => ({ sessionId, name, calledAt })) },
  })
}
