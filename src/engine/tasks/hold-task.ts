import { AppError } from '../../domain/errors'
import { isFinal } from '../../domain/task/task'
import { TASK_LIMITS } from '../../domain/task/task-limits'
import type { AttemptRow, TaskPatch, TaskRow } from '../../domain/task/task-store'
import { logMove, nameOf, publishUpdate, type Unit } from '../unit/unit'
import { checkText } from './check-fields'
import { isParentBusy, moveTask } from './move-task'
import { endAttempt, endOf, loseAttempt } from './runs/end-attempt'
import { addressOfTask } from './runs/mail-of-runs'

/** Cancel, pause, resume, retry, release: what a person or a lead does to a task. Rights are checked by the service. */

const withReason = (unit: Unit, what: string, reason: string | undefined): string => {
  const by = `${what} by ${nameOf(unit.caller)}`
  return reason === undefined || reason.trim() === '' ? by : `${by}: ${checkText('reason', reason, TASK_LIMITS.reason)}`
}

/**
 * The task is cancelled at once, so that the caller sees it; later writes of its run are refused. Its attempt stays open until
 * the worker says that the process ended, at the latest until its lease ends: it is not renewed any more.
 *
 * @throws `conflict` completed or failed already
 */
export async function cancelTask(unit: Unit, task: TaskRow, reason: string | undefined): Promise<TaskRow> {
  if (task.status === 'cancelled') return task
  const why = withReason(unit, 'cancelled', reason)
  const live = await unit.tasks.liveAttempt(task.key)
  if (live === undefined) return await moveTask(unit, task, { kind: 'cancel', why })
  if (live.bootId === null) return await endAttempt(unit, task, live, endOf('cancelled', why), { kind: 'cancel', why })
  const cancelled = await moveTask(unit, task, { kind: 'cancel', why }, { hasLiveAttempt: true })
  await setWish(unit, live, 'cancel', why)
  return cancelled
}

/**
 * A run is asked to stop so that its conversation can be resumed; the task is `paused` when it says that it did. A task that nobody
 * runs is paused at once.
 *
 * @throws `conflict` in the backlog, or ended
 */
export async function pauseTask(unit: Unit, task: TaskRow, reason: string | undefined): Promise<TaskRow> {
  if (task.status === 'paused' && task.pausedBy === 'person') return task
  const why = withReason(unit, 'paused', reason)
  const pause = { kind: 'pause', by: 'person', until: null, why } as const
  if (task.status !== 'in_progress') return await moveTask(unit, task, pause)
  const live = await unit.tasks.liveAttempt(task.key)
  if (live === undefined) return await moveTask(unit, task, pause)
  if (live.bootId === null) return await endAttempt(unit, task, live, endOf('paused', why), pause)
  if (live.wish === 'pause') {
    // Stopped for a budget before: now it waits for the person.
    await unit.budgets.release(task.key)
    return task
  }
  await setWish(unit, live, 'pause', why)
  return await publishWish(unit, task, `is being ${why}`)
}

/** @throws `conflict` neither paused nor being paused */
export async function resumeTask(unit: Unit, task: TaskRow): Promise<TaskRow> {
  const why = withReason(unit, 'resumed', undefined)
  if (task.status === 'paused')
    return await moveTask(unit, task, { kind: 'resume', why, isParentBusy: await isParentBusy(unit, task) })
  const live = task.status === 'in_progress' ? await unit.tasks.liveAttempt(task.key) : undefined
  if (live?.wish !== 'pause') return await moveTask(unit, task, { kind: 'resume', why })
  // The worker may have heard the wish already: the reason alone says that it was taken back (`moveAfterAttempt`).
  await setWish(unit, live, null, why)
  return await publishWish(unit, task, `continues: ${why}`)
}

/**
 * Starts the task's worker, or finds it again: whatever it waits for that is not another task's outcome is waited for no longer. One that
 * is at work stays so; one whose worker was lost goes on with another. Its address is what it was.
 *
 * @throws `conflict` it has ended
 */
export async function deployTask(unit: Unit, task: TaskRow): Promise<TaskRow> {
  const why = withReason(unit, 'deployed', undefined)
  const live = await unit.tasks.liveAttempt(task.key)
  const isLost = live !== undefined && (live.leaseExpiresAt ?? 0) < unit.now
  const found = isLost ? await loseAttempt(unit, task, live, `${why}: its worker went silent`, false) : task
  const placed = await placeNow(unit, found, why)
  const agent = live === undefined || isLost ? undefined : await unit.tasks.agentByKey(live.agentKey)
  const at = agent === undefined ? 'no worker has it yet' : `worker ${agent.name} has it as ${live?.id}`
  await logMove(unit, placed, `${why}: address ${await addressOfTask(unit, placed)}, ${at}`)
  return placed
}

async function placeNow(unit: Unit, task: TaskRow, why: string): Promise<TaskRow> {
  switch (task.status) {
    case 'backlog':
      return await moveTask(unit, task, { kind: 'queue', why, isParentBusy: await isParentBusy(unit, task) })
    case 'paused': {
      const due = { ...task, notBefore: null }
      await unit.tasks.updateTask(task.key, { notBefore: null })
      return await moveTask(unit, due, { kind: 'resume', why, isParentBusy: await isParentBusy(unit, task) })
    }
    case 'unassigned':
    case 'pending': {
      const isReady = task.notBefore === null && task.waitingFor !== 'children'
      if (isReady) return task
      const changes = { notBefore: null }
      return await moveTask(unit, task, { kind: 'place', why, changes, isAwaiting: false })
    }
    case 'in_progress': {
      const live = await unit.tasks.liveAttempt(task.key)
      return live?.wish === 'pause' ? await resumeTask(unit, task) : task
    }
    default:
      throw new AppError('conflict', `Task ${task.id} is ${task.status}: it no longer has a worker.`, {
        hint:
          task.status === 'completed'
            ? `Send it a message, or create a follow-up: a task whose parent is ${task.id}.`
            : `To try it again, run lode task retry ${task.id}.`,
        details: { taskId: task.id, status: task.status },
      })
  }
}

/**
 * The one way back from failed and cancelled. Tasks that failed only because of this one wait for it again.
 *
 * @throws `conflict` neither failed nor cancelled
 */
export async function retryTask(unit: Unit, task: TaskRow, reason: string | undefined): Promise<TaskRow> {
  const why = withReason(unit, 'tried again', reason)
  const live = await unit.tasks.liveAttempt(task.key)
  // A run that is still ending is hurried; the next attempt begins when it is gone, or its lease.
  if (live !== undefined && live.wish !== 'cancel') await setWish(unit, live, 'cancel', why)
  const dependencies = await unit.tasks.dependencies(task.key)
  const unmetCount = dependencies.filter(({ status }) => status !== 'completed').length
  const counted = { ...task, unmetCount }
  // A lease that ended and was not swept yet: the sweep ends the attempt before it wakes the task.
  const until = live === undefined ? null : Math.max(live.leaseExpiresAt ?? 0, unit.now + 1)
  return await moveTask(
    unit,
    counted,
    { kind: 'retry', until, why, isParentBusy: await isParentBusy(unit, counted) },
    { and: unmetCount === task.unmetCount ? {} : { unmetCount }, hasLiveAttempt: live !== undefined },
  )
}

/**
 * Gives up an assignment that was not begun, or a live attempt: back to where others may take it. A run is stopped first.
 *
 * @throws `conflict` nobody has it
 */
export async function releaseTask(unit: Unit, task: TaskRow, reason: string | undefined): Promise<TaskRow> {
  const why = withReason(unit, 'released', reason)
  if (task.status === 'in_progress') {
    const live = await unit.tasks.liveAttempt(task.key)
    if (live === undefined) return await moveTask(unit, task, { kind: 'release', why })
    if (live.bootId === null)
      return await endAttempt(unit, task, live, endOf('released', why), { kind: 'release', why })
    // A `cancel` wish on a task in progress: the run stops, the task goes on elsewhere.
    await setWish(unit, live, 'cancel', why)
    return await publishWish(unit, task, `is being ${why}`)
  }
  const changes = { agentKey: null, assignedBy: null }
  if (task.status === 'pending' && task.agentKey !== null)
    return await moveTask(unit, task, { kind: 'place', why, changes })
  throw new AppError('conflict', `No agent has task ${task.id}: it is ${task.status}.`, {
    ...(isFinal(task.status) ? {} : { hint: 'Run `lode task show` to see its state.' }),
    details: { taskId: task.id, status: task.status },
  })
}

export async function setWish(
  unit: Unit,
  attempt: AttemptRow,
  wish: AttemptRow['wish'],
  reason: string,
): Promise<void> {
  await unit.tasks.updateAttempt(attempt.key, { wish, wishReason: reason })
  await unit.feed('attempt.updated', { taskId: attempt.taskId, attemptId: attempt.id, state: 'live', wish })
}

export async function publishWish(unit: Unit, task: TaskRow, reason: string): Promise<TaskRow> {
  const patch: TaskPatch = { reason }
  await unit.tasks.updateTask(task.key, patch)
  await publishUpdate(unit, task, { reason })
  await logMove(unit, task, reason)
  return { ...task, ...patch }
}
