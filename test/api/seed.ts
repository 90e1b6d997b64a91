import { createHash } from 'node:crypto'
import type { FeedKind } from '../../src/domain/feed'
import { type SessionId, type SubagentKey, taskId } from '../../src/domain/ids'
import type { SessionRow } from '../../src/domain/record/record-store'
import type { Store, WriteTx } from '../../src/domain/store'
import type { AgentRow, AttemptRow, NewTask, TaskRow } from '../../src/domain/task/task-store'
import { appendBytes, type SampleSession, sampleHost, sampleSession, sessionChange } from '../store-contract/sample'
import { sampleAgent, sampleAttempt, sampleTask } from '../store-contract/tasks-sample'

/** What tests of the API put into a store before they ask. */

export const sha256 = (text: string): Uint8Array => new Uint8Array(createHash('sha256').update(text).digest())

/** So many entries of the feed, in one commit. */
export const addFeed = (
  store: Store,
  count: number,
  kind: FeedKind = 'session.updated',
  session: SessionId | null = null,
) =>
  store.write(async ({ record }) => {
    const row = { kind, sessionKey: null, sessionNativeId: session, data: '{}' }
    await record.appendFeed(Array.from({ length: count }, () => row))
  })

/** An entry of a task, as its commit would write it. */
export const addTaskEntry = (store: Store, kind: FeedKind, data: Record<string, unknown>) =>
  store.write((tx) => tx.appendFeed(kind, null, data))

/** An agent with this token; its name is its id. */
export const addAgent = (store: Store, id: string, token: string, row: Partial<AgentRow> = {}): Promise<AgentRow> =>
  store.write(async ({ tasks }) => {
    const told = { id: id as AgentRow['id'], name: id, hostName: 'host-1', tokenHash: sha256(token) }
    const found = await tasks.agentByKey(await tasks.insertAgent({ ...sampleAgent(), ...told, ...row }))
    if (found === undefined) throw new Error('the agent was not stored')
    return found
  })

export const addTask = (store: Store, id: string, row: Partial<NewTask> = {}): Promise<TaskRow> =>
  store.write(async ({ tasks }) => await tasks.insertTask(sampleTask({ id: taskId(id), ...row })))

/** The live attempt number 1 of a task. */
export const addAttempt = (
  store: Store,
  task: Pick<TaskRow, 'key' | 'id'>,
  agent: Pick<AgentRow, 'key'>,
  { token, ...row }: Partial<AttemptRow> & { token?: string } = {},
): Promise<AttemptRow> =>
  store.write(async ({ tasks }) => {
    const sample = sampleAttempt(task, agent.key, { hostName: 'host-1' })
    if (token !== undefined) sample.tokenHash = sha256(token)
    await tasks.updateAttempt(await tasks.insertAttempt(sample), row)
    const found = await tasks.attempt(sample.id)
    if (found === undefined) throw new Error('the attempt was not stored')
    return found
  })

/** A session in a unit of the test's own. */
export async function putSession(
  tx: WriteTx,
  id: string,
  { bytes, project, ...change }: Partial<SessionRow> & { bytes?: Uint8Array<ArrayBuffer>; project?: string } = {},
): Promise<SampleSession> {
  const session = await sampleSession(tx, { id })
  if (bytes !== undefined) await appendBytes(tx.record, session.incarnation, 0, bytes)
  if (project !== undefined)
    await tx.record.setSessionProject(
      session.key,
      (await tx.record.project(await sampleHost(tx.record), project, null, project)) as never,
    )
  await tx.record.mergeSession([sessionChange(session.key, change)])
  return session
}

export const addSession = (store: Store, id: string, given: Parameters<typeof putSession>[2] = {}) =>
  store.write((tx) => putSession(tx, id, given))

/** The session's to-dos by their texts, as its agent would write them; those of an earlier call that are left out are removed. */
export const putTodos = (
  { record }: WriteTx,
  session: SampleSession,
  texts: string[],
  { at = 1, agent = null }: { at?: number; agent?: { key: SubagentKey; id: string } | null } = {},
) =>
  record.applyTodoChanges([
    {
      sessionKey: session.key,
      listName: agent === null ? 'todo' : `todo:${agent.id}`,
      subagentKey: agent?.key ?? null,
      toolUseId: `toolu_todo_${at}`,
      at,
      source: 1,
      change: { op: 'snapshot', items: texts.map((content) => ({ content, status: 'pending' })) },
    },
  ])
