import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../api/client'
import type { AttemptId, SessionId, TaskId } from '../domain/ids'
import type { Attempt, TaskNode } from '../domain/task/task'
import { MINUTE_MS } from '../domain/time-units'
import { descendantsOf, isSameProcess, type ProcessIdentity, startOf } from '../util/process/process-tree'
import { PARCELS_FILE } from './story'
import { KILLED_AT, TASKS } from './task-story'
import { readTranscriptFiles } from './transcript-files'

/** What the act needs of a worker. */
export interface DemoWorker {
  name: string
  /** Resolves once nothing runs there. */
  idle(): Promise<void>
  /** Ends it and all that it runs. */
  stop(): Promise<void>
}

export interface TaskActOptions {
  client: Client
  worker: DemoWorker
  claudeRoot: string
  /** The agent's project, where the tasks run. */
  project: string
  /** Shows a sentence. */
  say: (text: string) => void
  /** Draws a task with its children. */
  drawTasks: (root: TaskNode) => string
  signal: AbortSignal
}

/** What was seen on the way, for the proof. */
export interface TaskActSeen {
  packId: TaskId
  labelId: TaskId
  /** The attempt that was killed, and its CLI with everything that it had started. */
  killed: { attemptId: AttemptId; processes: ProcessIdentity[] }
  /** The first task's conversation, and its child's. */
  parentSession: SessionId
  childSession: SessionId
  /** Its files before a child continued it, by path. */
  parentFiles: Map<string, Buffer>
}

/**
 * Two tasks: the first one's CLI is killed at work and goes on, the second continues the conversation of the first.
 *
 * @throws `signal`'s reason when it was ended early; Error when a task does not come to where it can be killed, or continued
 */
export async function playTasks(options: TaskActOptions): Promise<TaskActSeen> {
  const { client, worker, claudeRoot, project, say, signal } = options
  say(`\n5. A task for a worker: "${TASKS.pack}"`)
  // Tried again at once, for those who watch; usually a second later.
  const { task: pack } = await client.tasks.create({
    task: TASKS.pack,
    dir: project,
    agentId: worker.name,
    timeoutMs: TASK_MS,
    retryPolicy: { initialIntervalMs: 0 },
  })
  const ended = new AbortController()
  const following = followTask(options, pack.id).finally(() =>
    ended.abort(new Error(`task ${pack.id} ended before its agent could be killed at work`)),
  )
  const [killed] = await Promise.all([killAtWork(options, pack.id, ended.signal), following])
  const parentSession = await conversationOf(client, pack.id)
  const parentFiles = readTranscriptFiles(claudeRoot, parentSession).files

  say(`\n6. A child of that task: "${TASKS.label}"`)
  const { task: label } = await client.tasks.create({ task: TASKS.label, parentTaskId: pack.id, timeoutMs: TASK_MS })
  await followTask(options, label.id)
  // It said that it is done from within: its process may be a moment longer.
  await worker.idle()
  signal.throwIfAborted()
  const { tree } = await client.tasks.tree(pack.id)
  say(`\n${options.drawTasks(tree).trimEnd()}`)
  const childSession = await conversationOf(client, label.id)
  return { packId: pack.id, labelId: label.id, killed, parentSession, childSession, parentFiles }
}

/** A run takes seconds; one that hangs is ended, and the proof says so. */
export const TASK_MS = MINUTE_MS

/** Shows the task's moves and what its attempts say of themselves, until it has ended. */
export async function followTask(
  { client, say, signal }: Pick<TaskActOptions, 'client' | 'say' | 'signal'>,
  id: TaskId,
): Promise<void> {
  for await (const { kind, text } of client.tasks.followLog(id, {}, { signal }))
    if (kind === 'move' || kind === 'run') say(`      ${kind === 'move' ? 'task' : 'run'}: ${text}`)
  signal.throwIfAborted()
}

/**
 * Kills the CLI of the first attempt while its shell packs: it, not the worker, and none of what it has started.
 *
 * @param ended  aborted when the task has ended, or nobody watches it any more
 */
async function killAtWork(
  { client, project, say }: TaskActOptions,
  id: TaskId,
  ended: AbortSignal,
): Promise<TaskActSeen['killed']> {
  while (linesIn(join(project, PARCELS_FILE)) < KILLED_AT) {
    ended.throwIfAborted()
    await Bun.sleep(10)
  }
  const { id: attemptId, process: run } = await newest(client, id)
  const startedAt = run === null ? null : startOf(run.pid)
  if (run === null || startedAt === null) throw new Error(`attempt ${attemptId} has no process`)
  // Whatever the record says, only what this process has started is killed.
  if (!descendantsOf(process.pid).some(({ pid }) => pid === run.pid)) throw new Error(`process ${run.pid} is not ours`)
  const processes = [{ pid: run.pid, startedAt }, ...descendantsOf(run.pid)]
  process.kill(run.pid, 'SIGKILL')
  say(`    Its Claude Code (process ${run.pid}) is killed with SIGKILL, in the middle of that shell.`)
  return { attemptId, processes }
}

/** Those of them that are still there. */
export const stillAlive = (processes: readonly ProcessIdentity[]): ProcessIdentity[] => processes.filter(isSameProcess)

async function newest(client: Client, id: TaskId): Promise<Attempt> {
  const attempt = (await client.tasks.get(id)).attempts.at(-1)
  if (!attempt) throw new Error(`task ${id} has no attempt`)
  return attempt
}

async function conversationOf(client: Client, id: TaskId): Promise<SessionId> {
  const { conversation, failureReason } = await newest(client, id)
  if (conversation === null) throw new Error(`task ${id} has no conversation: ${failureReason}`)
  return conversation.sessionId
}

/** Whole lines of a file; none when it is not there yet. */
function linesIn(path: string): number {
  try {
    return readFileSync(path, 'utf8').split('\n').length - 1
  } catch {
    return 0
  }
}
