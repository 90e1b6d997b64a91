import type { AgentName } from '../../../domain/ids'
import { limitEnd, moveAfterAttempt } from '../../../domain/task/after-attempt'
import { chooseCli, othersThan } from '../../../domain/task/agent-choice'
import type { Move } from '../../../domain/task/task-machine'
import type { AgentRow, AttemptPatch, AttemptRow, TaskRow } from '../../../domain/task/task-store'
import type { AttemptEnd } from '../../../domain/task/worker-protocol'
import { isOnline } from '../../unit/agent-presence'
import { agentOf, type Unit } from '../../unit/unit'
import { afterBudgetStop } from '../budget-hold'
import { isAtWork, moveTask, wakeChildren } from '../move-task'
import { withdrawQuestions } from '../questions'
import { reasonToWait } from './handle-mail'
import { addressOfTask } from './mail-of-runs'

/** An end with nothing known of the process. */
export const endOf = (outcome: AttemptEnd['outcome'], reason: string): AttemptEnd => ({
  outcome,
  failureClass: outcome === 'lost' ? 'lease_lost' : null,
  reason,
  resetAt: null,
  output: null,
  exitCode: null,
  signal: null,
  numTurns: null,
  costUsd: null,
  usage: null,
})

/**
 * Ends a live attempt and moves its task accordingly. A task that left `in_progress` before (the agent said that it finished, or
 * somebody cancelled it) stays as it is: then only the attempt is closed.
 *
 * @param move  what becomes of a task in progress; left out: what the end says
 * @returns the task as it is now.
 */
export async function endAttempt(
  unit: Unit,
  task: TaskRow,
  attempt: AttemptRow,
  end: AttemptEnd,
  move?: Move,
): Promise<TaskRow> {
  await closeAttempt(unit, task, attempt, end)
  const costUsd = end.costUsd === null ? task.costUsd : (task.costUsd ?? 0) + end.costUsd
  if (task.status !== 'in_progress') return await afterDetached(unit, task, costUsd)
  const awaits = move === undefined && end.outcome === 'completed' ? await reasonToWait(unit, task, attempt) : null
  const isLimited = move === undefined && end.failureClass === 'usage_limit'
  if (isLimited) await limitAgent(unit, attempt, end)
  const others = isLimited && attempt.wish === null ? await othersOf(unit, task, attempt) : []
  const next =
    others.length > 0
      ? fallOver(attempt, others, unit.now)
      : await afterBudgetStop(unit, task, move ?? moveAfterAttempt(task, attempt, end, unit.now, awaits))
  const and = { ...(costUsd === task.costUsd ? {} : { costUsd }), ...(others.length > 0 && { neededClis: others }) }
  const moved = await moveTask(unit, task, next, { and })
  if (next.kind === 'await') unit.addressesWithMail.add(await addressOfTask(unit, task))
  if (next.kind === 'pause' && next.by === 'shutdown') return await continueIfReplaced(unit, moved, attempt)
  return moved
}

async function closeAttempt(unit: Unit, task: TaskRow, attempt: AttemptRow, end: AttemptEnd): Promise<void> {
  const patch: AttemptPatch = {
    leaseExpiresAt: null,
    endedAt: unit.now,
    outcome: end.outcome,
    failureClass: end.failureClass,
    failureReason: end.outcome === 'completed' || end.reason === '' ? null : end.reason.slice(0, 4_000),
    exitCode: end.exitCode,
    signal: end.signal,
    numTurns: end.numTurns,
    costUsd: end.costUsd,
    usage: end.usage,
    ...(end.transcriptBytes !== undefined &&
      attempt.conversation !== null && {
        conversation: { ...attempt.conversation, transcriptBytes: end.transcriptBytes },
      }),
  }
  await unit.tasks.updateAttempt(attempt.key, patch)
  const { taskId, id: attemptId } = attempt
  await unit.feed('attempt.updated', { taskId, attemptId, state: 'ended', outcome: end.outcome })
  // Only a worker's run asks.
  if (attempt.bootId !== null) await withdrawQuestions(unit, task, attempt)
}

/** The task had moved on while its attempt was still ending: who waited for that goes on now. */
async function afterDetached(unit: Unit, task: TaskRow, costUsd: number | null): Promise<TaskRow> {
  if (costUsd !== task.costUsd) await unit.tasks.updateTask(task.key, { costUsd })
  if (task.status === 'pending' && task.waitingFor === 'retry')
    return await moveTask(
      unit,
      { ...task, costUsd, notBefore: null },
      { kind: 'place', why: 'its previous attempt has ended' },
    )
  if (!isAtWork(task, false)) await wakeChildren(unit, task)
  // What came while it was ending was not for its run any more.
  unit.addressesWithMail.add(await addressOfTask(unit, task))
  return { ...task, costUsd }
}

/** Other CLIs of the task's list that its worker has, and may turn to: a person allowed it there. */
async function othersOf(unit: Unit, task: TaskRow, attempt: AttemptRow): Promise<AgentName[]> {
  const agent = await agentOf(unit, attempt.agentKey)
  if (agent?.fallsOver !== true || attempt.agentCli === null) return []
  const others = othersThan(attempt.agentCli, task.agentClis)
  return typeof chooseCli(others, agent, unit.now) === 'string' && others.length > 0 ? others : []
}

/** The task goes on at once in another CLI, which is no try. */
const fallOver = ({ number, agentCli }: AttemptRow, others: readonly AgentName[], now: number): Move => ({
  kind: 'park',
  until: now,
  isTry: false,
  why: `attempt ${number} reached the usage limit of ${agentCli}; it continues in ${others.join(' or ')}`,
})

/**
 * The agent gets nothing more before its limit ends; of several agent CLIs only the one that met it. All agents of one account share its
 * limits.
 */
async function limitAgent(unit: Unit, attempt: AttemptRow, end: AttemptEnd): Promise<void> {
  const agent = await agentOf(unit, attempt.agentKey)
  if (agent === undefined) return
  const until = limitEnd(end.resetAt, unit.now)
  const others = agent.account === null ? [] : await unit.tasks.agentsOfAccount(agent.account)
  for (const one of [agent, ...others.filter(({ key }) => key !== agent.key)])
    await limitOne(unit, one, attempt.agentCli, until)
}

async function limitOne(unit: Unit, agent: AgentRow, agentCli: AgentName | null, until: number): Promise<void> {
  const had = agent.clis?.map(({ name }) => name) ?? []
  if (agentCli !== null && had.length > 0 && !had.includes(agentCli)) return
  if (agentCli !== null && had.length > 1) {
    const cliLimits = { ...agent.cliLimits, [agentCli]: Math.max(until, agent.cliLimits[agentCli] ?? 0) }
    await unit.tasks.updateAgent(agent.key, { cliLimits })
    return
  }
  await unit.tasks.updateAgent(agent.key, { limitedUntil: Math.max(until, agent.limitedUntil ?? 0) })
  await unit.feed('agent.updated', { agentId: agent.id, limitedUntil: new Date(until).toISOString() })
}

/** A shutdown that is reported after the agent's next process began: nobody would come to continue it. */
async function continueIfReplaced(unit: Unit, task: TaskRow, attempt: AttemptRow): Promise<TaskRow> {
  const agent = await agentOf(unit, attempt.agentKey)
  if (agent === undefined || agent.bootId === attempt.bootId || !isOnline(agent, unit.now)) return task
  return await moveTask(unit, task, { kind: 'resume', why: `${agent.name} is back` })
}

/** The attempt's worker vanished. A wish that stood is fulfilled by that. */
export async function loseAttempt(
  unit: Unit,
  task: TaskRow,
  attempt: AttemptRow,
  why: string,
  keepAgent: boolean,
): Promise<TaskRow> {
  const outcome = attempt.wish === 'cancel' && task.status === 'cancelled' ? 'cancelled' : 'lost'
  const move: Move | undefined = attempt.wish === null ? { kind: 'lose', keepAgent, why } : undefined
  return await endAttempt(unit, task, attempt, endOf(outcome, why), move)
}
