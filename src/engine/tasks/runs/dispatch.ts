import { AppError, isAppError } from '../../../domain/errors'
import { type AttemptId, attemptId } from '../../../domain/ids'
import { chooseCli } from '../../../domain/task/agent-choice'
import { exceedsMode, raiseCeilingHint } from '../../../domain/task/permission-mode'
import type { AgentRow, NewAttempt, OfferRow, TaskRow } from '../../../domain/task/task-store'
import type { Assignment } from '../../../domain/task/worker-protocol'
import { lacking } from '../../unit/agent-presence'
import { newToken } from '../../unit/secrets'
import type { Unit } from '../../unit/unit'
import { budgetInTheWay, budgetIsUsedUp, holdForBudget } from '../budget-hold'
import { moveTask } from '../move-task'
import { conversationSource } from './conversation-source'
import { launchResume } from './mail-of-runs'

/** Where and for how long an attempt is opened. */
export interface Opening {
  /** The worker's process; `null` = nothing of ours runs it (an agent in a terminal, a program). */
  bootId: string | null
  leaseMs: number
}

/** A task that went to an agent; `assignmentOf` makes the answer of it. */
export interface Taken extends Omit<Assignment, 'task'> {
  key: TaskRow['key']
}

/**
 * Gives the agent the task that is next for it. This and `takeThis` are the only ways in which a task goes to an agent, whether it
 * came from the pool, an offer, an assignment, a parent or a pause.
 *
 * @param isAssignedOnly  nothing of the pool
 * @returns `undefined` when there is none.
 */
export async function takeNext(
  unit: Unit,
  agent: AgentRow,
  opening: Opening,
  isAssignedOnly: boolean,
): Promise<Taken | undefined> {
  if (isLimited(agent, unit.now) || agent.drainingSince !== null) return undefined
  for (;;) {
    const task = await unit.tasks.claimable(agent, unit.now, isAssignedOnly, unit.spawnLimits?.running)
    if (task === undefined) return undefined
    if (await isStillEnding(unit, task)) continue
    if (await waitsForBudget(unit, task, agent)) continue
    const offer = task.agentKey === null ? await unit.tasks.offer(task.key) : undefined
    return await take(unit, task, agent, opening, offer)
  }
}

/** Whether a former attempt holds the task yet. Then it waits for that one's end, or its lease's. */
async function isStillEnding(unit: Unit, task: TaskRow): Promise<boolean> {
  const live = await unit.tasks.liveAttempt(task.key)
  if (live === undefined) return false
  await moveTask(unit, task, {
    kind: 'place',
    why: `attempt ${live.number} is still ending`,
    changes: { notBefore: Math.max(live.leaseExpiresAt ?? 0, unit.now + 1_000) },
    timeWait: 'retry',
  })
  return true
}

/** Whether a budget that is used up holds the task. Then it waits until somebody allows more, or the next period begins. */
async function waitsForBudget(unit: Unit, task: TaskRow, agent: AgentRow): Promise<boolean> {
  const budget = await budgetInTheWay(unit, task, chooseCli(task.neededClis, agent, unit.now) ?? null)
  if (budget === undefined) return false
  await holdForBudget(unit, task, budget)
  return true
}

/**
 * Gives the agent this very task.
 *
 * @throws `conflict` it is not to be had by this agent now; the message says why
 */
export async function takeThis(unit: Unit, task: TaskRow, agent: AgentRow, opening: Opening): Promise<Taken> {
  const refuse = (why: string, hint?: string): AppError => {
    const details = { taskId: task.id, status: task.status }
    return new AppError('conflict', why, hint === undefined ? { details } : { hint, details })
  }
  if (agent.drainingSince !== null)
    throw refuse(`${agent.name} takes no new tasks.`, `Run 'lode machine resume ${agent.name}' to change that.`)
  if (isLimited(agent, unit.now))
    throw refuse(`${agent.name} has reached a usage limit, until ${new Date(agent.limitedUntil ?? 0).toISOString()}.`)
  const lacks = lacking(agent, task)
  if (lacks.length > 0) throw refuse(`${agent.name} lacks ${lacks.join(', ')}, which task ${task.id} requires.`)
  if (chooseCli(task.neededClis, agent, unit.now) === undefined)
    throw refuse(`${agent.name} has reached the usage limit of ${task.neededClis.join(', ') || 'its agent CLI'}.`)
  const { permissionMode: mode } = task
  const { maxPermissionMode: most } = agent
  if (mode !== null && most !== null && exceedsMode(mode, most))
    throw refuse(
      `${agent.name} may not run task ${task.id}: it needs ${mode}, but the highest mode allowed is ${most}.`,
      raiseCeilingHint(mode),
    )
  if (task.dir !== null && !(await unit.tasks.runsIn(agent.key, task.dir)))
    throw refuse(
      `${agent.name} runs no tasks in ${task.dir}.`,
      `Add the folder with 'lode config set worker.dirs' on that worker's machine.`,
    )
  const budget = await budgetInTheWay(unit, task, chooseCli(task.neededClis, agent, unit.now) ?? null)
  if (budget !== undefined)
    throw refuse(`${budgetIsUsedUp(budget, unit.now)}.`, `Run \`lode budget allow ${budget.name}\` to allow more.`)
  const offer = await unit.tasks.offer(task.key)
  if (offer !== undefined && offer.agentKey !== agent.key && offer.expiresAt > unit.now)
    throw refuse(`Task ${task.id} is offered to another agent.`, 'Claim another task, or wait until the offer expires.')
  if (await unit.tasks.isRejected(task.key, agent.key))
    throw refuse(`${agent.name} has already rejected task ${task.id}.`, 'To give it the task nevertheless, assign it.')
  const live = await unit.tasks.liveAttempt(task.key)
  if (live !== undefined)
    throw refuse(
      task.status === 'in_progress'
        ? `Task ${task.id} is in progress.`
        : `Attempt ${live.number} of ${task.id} is still ending.`,
    )
  return await take(unit, task, agent, opening, offer)
}

const isLimited = (agent: AgentRow, now: number): boolean => agent.limitedUntil !== null && agent.limitedUntil > now

/** Opens the attempt: its number is the fencing token, its lease begins, its token is made and told once. */
async function take(
  unit: Unit,
  task: TaskRow,
  agent: AgentRow,
  opening: Opening,
  offer: OfferRow | undefined,
): Promise<Taken> {
  const agentCli = chooseCli(task.neededClis, agent, unit.now) ?? null
  const conversation = await conversationSource(unit, task, task.attemptCount)
  const isOffered = offer?.agentKey === agent.key
  const why = reasonOf(task, agent, isOffered)
  const claimed = await moveTask(unit, task, {
    kind: 'claim',
    agentKey: agent.key,
    assignedBy: isOffered ? 'offer' : 'claim',
    why,
  })
  // Its next attempts go on in the same CLI.
  if (agentCli !== null && task.neededClis.join() !== agentCli)
    await unit.tasks.updateTask(task.key, { neededClis: [agentCli] })
  const { token, hash } = newToken('lat', unit.random)
  const attempt = {
    taskKey: task.key,
    agentKey: agent.key,
    bootId: opening.bootId,
    hostName: agent.hostName,
    tokenHash: hash,
    dispatchReason: why,
    agentCli,
    leaseMs: opening.leaseMs,
    leaseExpiresAt: unit.now + opening.leaseMs,
  }
  const [{ id, generation }] = await Promise.all([
    openAttempt(unit, task, attempt, claimed.attemptCount),
    offer === undefined ? undefined : unit.tasks.removeOffer(task.key),
    unit.budgets.release(task.key),
  ])
  await unit.feed('attempt.updated', { taskId: task.id, attemptId: id, agentId: agent.id, state: 'opened' })
  if (conversation.kind === 'own' && opening.bootId !== null)
    await launchResume(unit, task, { id, number: generation, taskKey: task.key, agentKey: agent.key })
  return { key: task.key, attemptId: id, generation, token, leaseMs: opening.leaseMs, conversation, agentCli }
}

/**
 * Inserts the attempt. If its number is taken already, since the task's row counts fewer attempts than there are, it gets the next one:
 * otherwise every later claim would be refused for this task, and get no other.
 */
async function openAttempt(
  unit: Unit,
  task: Pick<TaskRow, 'id' | 'key'>,
  attempt: Omit<NewAttempt, 'id' | 'number'>,
  generation: number,
): Promise<{ id: AttemptId; generation: number }> {
  const insert = async (number: number) => {
    const id = attemptId(`${task.id}.${number}`)
    await unit.tasks.insertAttempt({ ...attempt, id, number })
    return { id, generation: number }
  }
  try {
    return await insert(generation)
  } catch (error) {
    if (!isAppError(error) || error.code !== 'conflict') throw error
    const newest = await unit.tasks.newestAttempt(task.key)
    if (newest === undefined || newest.number < generation) throw error
    await unit.tasks.updateTask(task.key, { attemptCount: newest.number + 1 })
    return await insert(newest.number + 1)
  }
}

/** What its worker hears of it. */
export async function assignmentOf(unit: Unit, { key, ...taken }: Taken): Promise<Assignment> {
  return { ...taken, task: await unit.tasks.shown(key) }
}

/** Why it went to this agent, for a person. */
function reasonOf(task: TaskRow, agent: AgentRow, isOffered: boolean): string {
  const { name } = agent
  if (isOffered) return `${name} accepted the offer`
  if (task.agentKey === null) return task.attemptCount === 0 ? `claimed by ${name}` : `claimed again, by ${name}`
  switch (task.assignedBy) {
    case 'affinity':
      return task.attemptCount === 0
        ? `to ${name}, which has the parent's working directory`
        : `to ${name}, which has the conversation`
    case 'offer':
      return `${name} had accepted it`
    default:
      return `assigned to ${name}`
  }
}
