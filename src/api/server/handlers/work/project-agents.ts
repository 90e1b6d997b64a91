import { basename } from 'node:path'
import type { AgentFile } from '../../../../domain/agent'
import { type SessionId, sessionId } from '../../../../domain/ids'
import type { Caller } from '../../../../domain/task/worker-protocol'
import { requireProven } from '../../../../domain/token/remembered-token'
import { sha256Hex } from '../../../../util/crypto'
import type { Context } from '../../context'

/** What a new task says of its place. */
interface Placed {
  agentId?: string | undefined
  dir?: string | undefined
  sessionId?: SessionId | undefined
  spawnedBy?: { sessionId: SessionId } | undefined
}

/**
 * A task may name an agent that a file of its project describes. Such a one is made, or brought in step with its file, and named by
 * its id from then on. Agents that are known by the name go first.
 */
export async function withProjectAgent<Given extends Placed>(
  given: Given,
  caller: Caller,
  context: Context,
): Promise<Given> {
  const { agentId: named } = given
  if (named === undefined || (await context.store.tasks.isAgent(named))) return given
  // What follows may make an agent.
  requireProven(caller.remembered)
  const folder = await folderOf(given, caller, context)
  if (folder === null) return given
  const found = (await context.services.agentFiles(folder)).find(({ agent }) => agent.name === named)
  if (found === undefined) return given
  return { ...given, agentId: await ensure(found.root, found.agent, context) }
}

/** Where the caller is, on this machine. A run says it by its attempt alone: what it writes down opens no folder. */
export async function folderOf(given: Placed, caller: Caller, context: Context): Promise<string | null> {
  if (caller.kind === 'attempt') return await folderOfRun(caller, context)
  if (given.dir !== undefined) return caller.kind === 'operator' ? given.dir : null
  const session = given.sessionId ?? given.spawnedBy?.sessionId
  if (session === undefined || caller.kind !== 'operator') return null
  return (await context.store.sessions.find(sessionId(session)))?.cwd ?? null
}

async function folderOfRun(caller: Caller & { kind: 'attempt' }, { store, services }: Context): Promise<string | null> {
  const attempts = await store.tasks.attempts(caller.taskId)
  const live = attempts.find(({ id }) => id === caller.attemptId)
  if (live?.cwd == null) return null
  return live.host === services.hostname() ? live.cwd : null
}

/** Projects may have agents of one name: the folder is part of it. */
async function ensure(root: string, agent: AgentFile, { store, services }: Context): Promise<string> {
  const mark = sha256Hex(root).slice(0, 6)
  const name = `${agent.name}@${basename(root).slice(0, 30) || 'root'}-${mark}`
  const known = await store.tasks.findAgent(name)
  const { instructions, model, description } = agent
  const isSame =
    known !== undefined &&
    known.model === model &&
    known.description === description &&
    (await store.tasks.instructions(known.id)) === instructions
  if (isSame) return known.id
  return (await services.tasks.describeAgent({ kind: 'operator' }, name, { instructions, model, description })).id
}
