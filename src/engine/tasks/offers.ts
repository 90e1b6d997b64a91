import { AppError } from '../../domain/errors'
import { TASK_RANGES } from '../../domain/task/task-limits'
import type { AgentRow, TaskRow } from '../../domain/task/task-store'
import { MINUTE_MS } from '../../domain/time-units'
import { lacking } from '../unit/agent-presence'
import { logMove, publishUpdate, type Unit } from '../unit/unit'
import { checkWhole } from './check-fields'
import { isParentBusy, moveTask } from './move-task'

/** A standing offer ends by itself after this. */
export const OFFER_MS = 30 * MINUTE_MS

/**
 * Offers a task that nobody has begun to one agent: until that one answers, or the offer expires, no other gets it. A claim by the
 * offered agent, a worker's poll among them, accepts the offer.
 *
 * An assignment ends with it. An earlier offer is replaced.
 *
 * @throws `conflict` begun or ended, or the agent rejected it before or can't do it
 */
export async function makeOffer(
  unit: Unit,
  task: TaskRow,
  agent: AgentRow,
  expiresInMs: number | undefined,
): Promise<TaskRow> {
  const forMs = checkWhole('expiresInMs', expiresInMs ?? OFFER_MS, TASK_RANGES.offerMs)
  if (task.status !== 'unassigned' && task.status !== 'pending')
    throw new AppError(
      'conflict',
      `Task ${task.id} is ${task.status.replace('_', ' ')}: only a waiting task can be offered.`,
      {
        hint:
          task.status === 'backlog' ? 'Take it out of the backlog first.' : 'Run `lode task show` to see its state.',
        details: { taskId: task.id, status: task.status },
      },
    )
  const lacks = lacking(agent, task)
  if (lacks.length > 0)
    throw new AppError('conflict', `${agent.name} lacks ${lacks.join(', ')}.`, { hint: 'Offer it to another agent.' })
  if (await unit.tasks.isRejected(task.key, agent.key))
    throw new AppError('conflict', `${agent.name} has already rejected task ${task.id}.`, {
      hint: 'Offer it to another agent, or assign it.',
    })
  const open =
    task.agentKey === null
      ? task
      : await moveTask(unit, task, {
          kind: 'place',
          why: `offered to ${agent.name}`,
          changes: { agentKey: null, assignedBy: null },
        })
  const expiresAt = unit.now + forMs
  await unit.tasks.putOffer({ taskKey: task.key, agentKey: agent.key, expiresAt })
  await publishUpdate(unit, task, { offeredTo: agent.id, offerExpiresAt: new Date(expiresAt).toISOString() })
  await logMove(unit, task, `offered to ${agent.name}`)
  return open
}

/** @throws `conflict` nothing is offered to the agent (any more) */
export async function acceptOffer(unit: Unit, task: TaskRow, agent: AgentRow): Promise<TaskRow> {
  // Said again, or after the agent's poll took it.
  if (task.agentKey === agent.key && (task.status === 'pending' || task.status === 'in_progress')) return task
  await getOffer(unit, task, agent)
  await unit.tasks.removeOffer(task.key)
  return await moveTask(unit, task, {
    kind: 'place',
    why: `${agent.name} accepted it`,
    changes: { agentKey: agent.key, assignedBy: 'offer' },
  })
}

/**
 * Declines an offer, or an assignment that was not begun. The agent is never given the task again, unless somebody assigns it explicitly.
 *
 * @throws `conflict` neither
 */
export async function rejectOffer(
  unit: Unit,
  task: TaskRow,
  agent: AgentRow,
  reason: string | undefined,
): Promise<TaskRow> {
  const why =
    reason === undefined || reason.trim() === '' ? `${agent.name} rejected it` : `${agent.name} rejected it: ${reason}`
  const isAssigned = task.agentKey === agent.key && task.status === 'pending'
  if (!isAssigned) {
    if (await unit.tasks.isRejected(task.key, agent.key)) return task
    await getOffer(unit, task, agent)
  }
  await unit.tasks.removeOffer(task.key)
  await unit.tasks.addRejection(task.key, agent.key, reason ?? null)
  if (isAssigned)
    return await moveTask(unit, task, { kind: 'place', why, changes: { agentKey: null, assignedBy: null } })
  await offerEnded(unit, task, why)
  return task
}

/** Says that an offer stands no longer and the task is to be had by others. */
export async function offerEnded(unit: Unit, task: TaskRow, why: string): Promise<void> {
  await unit.tasks.updateTask(task.key, { reason: why })
  await publishUpdate(unit, task, { offeredTo: null, reason: why })
  await logMove(unit, task, why)
}

async function getOffer(unit: Unit, task: TaskRow, agent: AgentRow): Promise<void> {
  const offer = await unit.tasks.offer(task.key)
  if (offer?.agentKey === agent.key && offer.expiresAt > unit.now) return
  const isOver = offer?.agentKey === agent.key
  throw new AppError('conflict', `Task ${task.id} is ${isOver ? 'no longer' : 'not'} offered to ${agent.name}.`, {
    hint: 'Run `lode task show` to see its state.',
    details: { taskId: task.id, status: task.status },
  })
}

/** Assigns a task that nobody has begun, whatever was offered or rejected before. */
export async function assignTask(unit: Unit, task: TaskRow, agent: AgentRow | null): Promise<TaskRow> {
  await unit.tasks.removeOffer(task.key)
  if (agent !== null) await unit.tasks.removeRejection(task.key, agent.key)
  const changes = { agentKey: agent?.key ?? null, assignedBy: agent === null ? null : ('caller' as const) }
  if (task.status !== 'unassigned' && task.status !== 'pending') {
    await unit.tasks.updateTask(task.key, changes)
    return { ...task, ...changes }
  }
  const why = agent === null ? 'returned to the queue' : `assigned to ${agent.name}`
  return await moveTask(unit, task, { kind: 'place', why, changes, isParentBusy: await isParentBusy(unit, task) })
}
