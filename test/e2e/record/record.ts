/** The record of a session, brought into the oracle's words so that the two can be held against each other. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../../src/api/client'
import { listAll } from '../../../src/api/client/list-all'
import type { Subagent, Usage } from '../../../src/api/contract/wire'
import { NO_USAGE } from '../../../src/domain/cost/usage'
import { until } from '../../lab/until'
import type { OracleSession, OracleUsage } from './oracle'

/** The files of a session below a project's folder, as `lode session export` names them. */
export function sessionFiles(folder: string, id: string): Map<string, Buffer> {
  const files = new Map([[`${id}.jsonl`, readFileSync(join(folder, `${id}.jsonl`))]])
  const below = join(folder, id, 'subagents')
  for (const name of existsSync(below) ? readdirSync(below).sort() : []) {
    files.set(join(id, 'subagents', name), readFileSync(join(below, name)))
  }
  return files
}

/** Waits until the record holds every byte that the session's files hold now. */
export const settled = (client: Client, folder: string, id: string): Promise<void> =>
  filesSettled(
    client,
    id,
    () => new Map([...sessionFiles(folder, id)].map(([name, bytes]) => [join(folder, name), bytes])),
  )

/** @param files  those of the session as they are now, by their whole paths */
export async function filesSettled(
  client: Client,
  id: string,
  files: () => ReadonlyMap<string, Buffer>,
): Promise<void> {
  let missing = ''
  await until(`the record of ${id}`, async () => {
    const { journals } = await client.sessions.journals(id).catch(() => ({ journals: [] }))
    // A server and a worker with a folder of its own on its machine are two hosts: what the one follows the other no longer sends.
    const sizes = new Map<string, number>()
    for (const { path, incarnations } of journals)
      sizes.set(path, Math.max(sizes.get(path) ?? 0, incarnations[0]?.size ?? 0))
    missing = [...files()]
      .filter(([path, bytes]) => sizes.get(path) !== bytes.length)
      .map(([path, bytes]) => `${path}: ${sizes.get(path)} of ${bytes.length} bytes`)
      .join(', ')
    return missing === ''
  }).catch((error: unknown) => {
    throw new Error(`${error instanceof Error ? error.message : error}; still missing: ${missing}`)
  })
}

/** What `lode session export` gives, by relative path. */
export async function exported(client: Client, id: string, incarnation?: number): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  for await (const file of client.sessions.export(id, incarnation === undefined ? {} : { incarnation })) {
    files.set(file.relativePath, Buffer.concat(await Array.fromAsync(file.bytes)))
  }
  return files
}

/** Reads the record through the API into the oracle's form. */
export async function readRecord(client: Client, id: string): Promise<OracleSession> {
  const { session, subagents, backgroundTasks } = await client.sessions.get(id)
  const { todos } = await client.todos.list({ sessionId: session.id, includeRemoved: true })
  const shells = backgroundTasks.filter(({ kind }) => kind === 'shell')
  const events = await Array.fromAsync(listAll(client.events.list, { sessionId: session.id, limit: 1_000 }, 'events'))
  return {
    id: session.id,
    events: events.map((event) => ({
      uuid: event.id,
      node: event.subagentId,
      parentToolUseId: event.parentToolUseId,
      inherited: event.inherited,
      at: event.at ?? '',
    })),
    counts: {
      events: session.counts.events,
      toolCalls: session.counts.toolCalls,
      subagents: session.counts.subagents,
      compactions: session.counts.compactions,
    },
    subagents: subagents.map(toOracle).sort(byId),
    shells: shells
      .map((shell) => ({ id: shell.id as string, toolUseId: shell.toolUseId ?? '', status: ended(shell) }))
      .sort(byId),
    todos: todos.map(({ nativeId, content, description, activeForm, blockedBy, status }) => ({
      nativeId,
      content,
      description,
      activeForm,
      blockedBy,
      status,
    })),
    usage: plain(session.usage),
    usageMain: plain(session.usageMain),
    model: session.model,
    lastEventAt: session.lastEventAt,
  }
}

/**
 * All that the API reports of a session and that hooks may not change: how and when a state was noticed is theirs to say, and
 * of a nested sub-agent's answer they tell more than its file does.
 */
export async function readFacts(client: Client, id: string): Promise<unknown> {
  const { session, subagents, backgroundTasks } = await client.sessions.get(id)
  const events = await Array.fromAsync(listAll(client.events.list, { sessionId: session.id, limit: 1_000 }, 'events'))
  const { todos } = await client.todos.list({ sessionId: session.id, includeRemoved: true })
  const { tree } = await client.sessions.tree(id)
  const bare = ({ evidence, statusEvidence, startedAt, endedAt, model, resultPreview, ...rest }: Subagent) => rest
  return {
    session: { ...session, status: null, statusEvidence: null, endedAt: null },
    subagents: subagents.map(bare).sort(byId),
    backgroundTasks: backgroundTasks.map(bare).sort(byId),
    todos,
    events: events.sort((a, b) => compare(a.at ?? '', b.at ?? '') || compare(a.id, b.id)),
    progress: tree.todos,
  }
}

/** Events by time, then by id: files tell no order between two nodes. */
export function sorted(session: OracleSession): OracleSession {
  const events = [...session.events].sort((a, b) => compare(a.at, b.at) || compare(a.uuid, b.uuid))
  return { ...session, events }
}

function toOracle(agent: Subagent): OracleSession['subagents'][number] {
  return {
    id: agent.id,
    toolUseId: agent.toolUseId,
    parentToolUseId: agent.parentToolUseId,
    parentId: agent.parentId,
    depth: agent.depth,
    background: agent.background,
    type: agent.type,
    description: agent.description,
    events: agent.counts.events,
    toolCalls: agent.counts.toolCalls,
    usage: plain(agent.usage ?? NO_USAGE),
  }
}

const ended = (shell: Subagent): string | null =>
  ['completed', 'failed', 'killed'].includes(shell.status) ? shell.status : null
const plain = ({ inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens }: Usage): OracleUsage => ({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheCreationTokens,
})
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const byId = (a: { id: string }, b: { id: string }): number => compare(a.id, b.id)
