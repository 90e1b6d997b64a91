import { type ContentBlock, PARSED_LINE_BYTES } from '../../../../domain/conversation/line-content'
import type { EventId } from '../../../../domain/ids'
import type { EditCall } from '../../../../domain/session/outcome'
import type { StoredSession } from '../../../../domain/session/session-store'
import { sessions } from '../../../contract/operations/sessions'
import { DEFAULT_CHANGES } from '../../../contract/protocol'
import type { Context } from '../../context'
import { getSession } from '../../find/find-session'
import { handle } from '../../handler'
import { readLine } from './read-line'

type PatchBlock = Extract<ContentBlock, { kind: 'patch' }>

/** A page holds at most this many bytes of lines that were read for it. */
const PAGE_BYTES = 32 * 1_024 * 1_024

export const sessionChanges = handle(sessions.changes, async ({ params, query }, context) => {
  const session = await getSession(params.id, context)
  const { limit = DEFAULT_CHANGES, cursor, path = null } = query
  const request = { limit, ...(cursor !== undefined && { cursor }) }
  const page = await context.store.sessions.edits(session.id, request, path)
  const left = { bytes: PAGE_BYTES }
  const changes = []
  for (const call of page.rows)
    changes.push({
      toolUseId: call.id,
      subagentId: call.subagentId,
      eventId: call.call ?? call.answer,
      at: call.at,
      files: call.files,
      patches: await patchesOf(session, call, left, context),
    })
  return { changes, nextCursor: page.nextCursor }
})

/** As the answer tells it, which knows the places in the file; else as the call asked for it. */
async function patchesOf(
  session: StoredSession,
  { files, call, answer }: EditCall,
  left: { bytes: number },
  context: Context,
): Promise<PatchBlock[]> {
  for (const line of [answer, call]) {
    if (line === null || left.bytes <= 0) continue
    const all = await patchesIn(session, line, left, context)
    // A line may hold several calls.
    const own = all.filter(({ path }) => files.includes(path))
    if (all.length > 0) return own.length > 0 ? own : all
  }
  return []
}

async function patchesIn(
  { id, agent }: StoredSession,
  event: EventId,
  left: { bytes: number },
  context: Context,
): Promise<PatchBlock[]> {
  const line = await readLine(id, event, { maxBytes: Math.min(left.bytes, PARSED_LINE_BYTES) }, context)
  if (line === undefined) return []
  left.bytes -= line.length
  const { blocks } = await context.services.agentLines.contentOf(agent, line)
  return blocks.filter((block) => block.kind === 'patch')
}
