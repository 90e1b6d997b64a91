import { AppError } from '../../domain/errors'
import type { SessionId, TaskId } from '../../domain/ids'
import type { Attempt } from '../../domain/task/task'
import type { AgentRow, TaskReads } from '../../domain/task/task-store'
import type { Caller } from '../../domain/task/worker-protocol'
import { isSameKey } from './secrets'

/** Who may look into what, for requests that read. `rights.ts` says who may do what. */

/**
 * A conversation's files: operators and leads every one, a worker what is at home on its machine or is to go on there.
 *
 * @param agent  the row of a caller that is an agent
 * @throws `forbidden`
 */
export async function mayHaveSession(
  reads: Pick<TaskReads, 'isOfHost'>,
  caller: Caller,
  agent: Pick<AgentRow, 'name' | 'hostName'> | null,
  session: SessionId,
): Promise<void> {
  if (caller.kind !== 'agent' || caller.agentKind !== 'worker') return
  const host = agent?.hostName ?? null
  if (host !== null && (await reads.isOfHost(host, session))) return
  throw new AppError('forbidden', `Session ${session} does not belong to this worker.`, {
    hint: 'A worker has access to the conversations of its machine and of its attempts.',
  })
}

/**
 * A task's log, which quotes what its run said and did: a run has that of its own task, of those above and of those below.
 * @throws `forbidden`
 */
export async function mayReadLog(reads: Pick<TaskReads, 'above'>, caller: Caller, task: TaskId): Promise<void> {
  if (caller.kind !== 'attempt' || caller.taskId === task) return
  if ((await reads.above(task)).includes(caller.taskId)) return
  if ((await reads.above(caller.taskId)).includes(task)) return
  throw new AppError('forbidden', `Task ${task} is neither above nor below the task of this run.`, {
    hint: `A run may read its own task, ${caller.taskId}, and the tasks above and below it.`,
  })
}

/** The text that opens an attempt quotes its conversation: for the run of the task, and the worker that runs it. @throws `forbidden` */
export async function mayReadPrompt(reads: Pick<TaskReads, 'attempts'>, caller: Caller, task: TaskId): Promise<void> {
  if (caller.kind === 'attempt' && caller.taskId !== task)
    throw new AppError('forbidden', `Task ${task} is not the task of this run.`, {
      hint: `A run may read only its own task, ${caller.taskId}.`,
    })
  if (caller.kind !== 'agent' || caller.agentKind !== 'worker') return
  if ((await reads.attempts(task)).some(({ isLive, agentId }) => isLive && agentId === caller.agentId)) return
  throw new AppError('forbidden', `This worker is not running task ${task}.`)
}

/** A run's output is told by its worker, or, where that is gone for good, by another of its machine; as `mayReport`. @throws `forbidden` */
export async function mayStream(
  reads: Pick<TaskReads, 'hostKeyOfAttempt'>,
  caller: Caller,
  agent: Pick<AgentRow, 'hostKeyHash'> | null,
  attempt: Pick<Attempt, 'id' | 'agentId'>,
): Promise<void> {
  if (caller.kind === 'operator') return
  const isWorker = caller.kind === 'agent' && caller.agentKind === 'worker'
  if (isWorker && caller.agentId === attempt.agentId) return
  if (isWorker && isSameKey(agent?.hostKeyHash, await reads.hostKeyOfAttempt(attempt.id))) return
  throw new AppError('forbidden', `Attempt ${attempt.id} does not belong to this agent.`)
}
