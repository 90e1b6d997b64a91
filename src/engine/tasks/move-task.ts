import { AppError } from '../../domain/errors'
import type { TaskStatus } from '../../domain/task/task'
import { isFinal } from '../../domain/task/task'
import { isRefused, type Move, movedTask } from '../../domain/task/task-machine'
import type { TaskPatch, TaskRow } from '../../domain/task/task-store'
import { ownAddress } from '../mail/address'
import { produceResult } from '../mail/produce'
import { lacking, takingAgentOf } from '../unit/agent-presence'
import { mayLetBegin } from '../unit/rights'
import { nameOf, type Unit } from '../unit/unit'

/** Moves that let a task be taken that nobody could take. */
const STARTS: ReadonlySet<Move['kind']> = new Set(['queue', 'retry', 'revive'])

export interface MoveOptions {
  /** The task's attempt goes on ending after this move: a waiter for the conversation waits until then. */
  hasLiveAttempt?: boolean
  /** More that changes with it. */
  and?: TaskPatch
}

/**
 * Moves a task: the one place that writes a status. The row, its feed entry `task.moved`, a line in its log and everything that
 * follows for tasks that depend on it or wait for it commit together.
 *
 * @returns the task as it is now.
 * @throws `conflict`  the state does not allow it; `details.status` · `forbidden` a person must let it begin
 */
export async function moveTask(unit: Unit, task: TaskRow, move: Move, options: MoveOptions = {}): Promise<TaskRow> {
  if (STARTS.has(move.kind)) mayLetBegin(unit, task)
  const now = await writeMove(unit, task, move, options.and)
  if (isFinal(now.status)) await produceResult(unit, now, ownAddress(unit.caller))
  // Also where there is no receiver: it may have been the last of those waited for.
  if (isFinal(now.status) && now.replyTo !== null) unit.addressesWithMail.add(now.replyTo)
  await settleOthers(unit, task, now, move, options.hasLiveAttempt ?? false)
  return now
}

async function writeMove(unit: Unit, task: TaskRow, move: Move, and: TaskPatch | undefined): Promise<TaskRow> {
  const moved = movedTask(task, move, unit.now)
  if (isRefused(moved)) {
    const details = { taskId: task.id, status: task.status }
    throw new AppError('conflict', moved.refused, moved.hint === null ? { details } : { hint: moved.hint, details })
  }
  const patch = { ...moved.patch, ...and }
  const by = nameOf(unit.caller)
  const attempt = (patch.attemptCount ?? task.attemptCount) || null
  const text = `${task.status} -> ${moved.to}: ${moved.reason}`
  // None waits for another's answer: over a network they cost one round trip.
  await Promise.all([
    unit.tasks.updateTask(task.key, patch),
    endsOffers(task.status, moved.to) ? unit.tasks.removeOffer(task.key) : undefined,
    unit.feed('task.moved', { taskId: task.id, from: task.status, to: moved.to, reason: moved.reason, by }),
    unit.tasks.appendLog(task.key, [{ at: unit.now, attempt, kind: 'move', text }]),
  ])
  return { ...task, ...patch }
}

/** An offer stands for tasks that nobody has begun. (A claim looks for one by itself.) */
const endsOffers = (from: TaskStatus, to: TaskStatus): boolean =>
  (from === 'unassigned' || from === 'pending') && (isFinal(to) || to === 'paused' || to === 'backlog')

/** What the move means to tasks that depend on this one, and to children that wait for its conversation. */
async function settleOthers(
  unit: Unit,
  before: TaskRow,
  task: TaskRow,
  move: Move,
  hasLiveAttempt: boolean,
): Promise<void> {
  if (isFinal(task.status)) await updateDependents(unit, task)
  if (move.kind === 'retry' || move.kind === 'revive') await reviveDependents(unit, task)
  const wasBegun = before.attemptCount > 0
  if (wasBegun && !isAtWork(task, hasLiveAttempt)) await wakeChildren(unit, task)
}

/**
 * Whether a task's conversation is being written, or will be by itself: a child that continues it waits for that. A task that waits
 * for others is not: it might wait for that very child.
 */
export function isAtWork(
  task: Pick<TaskRow, 'status' | 'attemptCount' | 'waitingFor' | 'pausedBy'>,
  hasLiveAttempt: boolean,
): boolean {
  if (hasLiveAttempt || task.status === 'in_progress') return true
  if (task.attemptCount === 0) return false
  if (task.status === 'paused') return task.pausedBy !== 'person'
  const isForOthers = task.waitingFor === 'dependency' || task.waitingFor === 'children'
  return (task.status === 'unassigned' || task.status === 'pending') && !isForOthers
}

/** One by one and each as it is by then: what happens to one may have moved the next. */
async function* dependentsOf(unit: Unit, task: TaskRow): AsyncGenerator<TaskRow> {
  const found = await unit.tasks.dependents(task.key)
  for (const [index, { key }] of found.entries()) {
    const dependent = index === 0 ? found[0] : await unit.tasks.taskByKey(key)
    if (dependent !== undefined) yield dependent
  }
}

async function updateDependents(unit: Unit, task: TaskRow): Promise<void> {
  for await (const dependent of dependentsOf(unit, task)) {
    if (task.status === 'completed') await dependencyCompleted(unit, task, dependent)
    else if (!isFinal(dependent.status) && dependent.onDependencyFailure === 'fail')
      await moveTask(unit, dependent, dependencyFailed(task))
  }
}

/** The move of a task that depends on one that failed or was cancelled. */
export function dependencyFailed(on: Pick<TaskRow, 'id' | 'status'>): Move & { kind: 'fail' } {
  const failureReason = `its dependency ${on.id} ${on.status === 'cancelled' ? 'was cancelled' : 'failed'}`
  return {
    kind: 'fail',
    finishedBy: 'system',
    failureClass: 'dependency_failed',
    failureReason,
    output: null,
    why: failureReason,
  }
}

async function dependencyCompleted(unit: Unit, task: TaskRow, dependent: TaskRow): Promise<void> {
  const unmetCount = Math.max(0, dependent.unmetCount - 1)
  const isWaiting = dependent.status === 'unassigned' || dependent.status === 'pending'
  if (isWaiting && unmetCount === 0)
    await moveTask(unit, dependent, {
      kind: 'place',
      why: `its dependency ${task.id} completed`,
      changes: { unmetCount },
      isParentBusy: await isParentBusy(unit, dependent),
    })
  else await unit.tasks.updateTask(dependent.key, { unmetCount })
}

/** Tasks that failed only because of this one wait for it again, unless another of theirs has failed as well. */
async function reviveDependents(unit: Unit, task: TaskRow): Promise<void> {
  for await (const dependent of dependentsOf(unit, task)) {
    if (dependent.status !== 'failed' || dependent.failureClass !== 'dependency_failed') continue
    const others = await unit.tasks.dependencies(dependent.key)
    if (others.some(({ key, status }) => key !== task.key && (status === 'failed' || status === 'cancelled'))) continue
    await moveTask(unit, dependent, { kind: 'revive', why: `its dependency ${task.id} is tried again` })
  }
}

/** Whether the task continues a parent that is at work now, so that it has to wait. */
export async function isParentBusy(unit: Unit, task: TaskRow): Promise<boolean> {
  if (task.parentKey === null || task.continuity !== 'continue' || task.continueNow) return false
  // Begun already: it has a conversation of its own, or an operator gave it one.
  if (task.lastSessionId !== null || task.nextSessionId !== null) return false
  const parent = await unit.tasks.taskByKey(task.parentKey)
  if (parent === undefined || parent.attemptCount === 0) return false
  return isAtWork(parent, isFinal(parent.status) && (await unit.tasks.liveAttempt(parent.key)) !== undefined)
}

/** Children that waited for the parent's conversation go to where it was last, if that agent is there and has not rejected them. */
export async function wakeChildren(unit: Unit, parent: TaskRow): Promise<void> {
  const children = await unit.tasks.waitingChildren(parent.key)
  if (children.length === 0) return
  const agent = await takingAgentOf(unit, parent)
  for (const child of children) {
    // Only now it is known in which CLI the conversation went on.
    const clis = child.agentClis.length === 0 ? parent.neededClis : child.neededClis
    if (clis.join() !== child.neededClis.join()) await unit.tasks.updateTask(child.key, { neededClis: clis })
    const isOurs = child.assignedBy === null || child.assignedBy === 'affinity'
    const isFit =
      agent !== undefined &&
      lacking(agent, { ...child, neededClis: clis }).length === 0 &&
      // It would never take it, and nobody else could.
      !(await unit.tasks.isRejected(child.key, agent.key))
    const route = !isOurs
      ? {}
      : isFit && agent
        ? ({ agentKey: agent.key, assignedBy: 'affinity' } as const)
        : { agentKey: null, assignedBy: null }
    await moveTask(
      unit,
      { ...child, neededClis: clis },
      {
        kind: 'place',
        why: `its parent ${parent.id} is ${parent.status.replace('_', ' ')}`,
        changes: route,
        isParentBusy: false,
      },
    )
  }
}
