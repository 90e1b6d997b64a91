import { AppError } from '../../domain/errors'
import { type MessageId, sessionId } from '../../domain/ids'
import { neededClis } from '../../domain/task/agent-choice'
import { isFinal } from '../../domain/task/task'
import { TASK_LIMITS } from '../../domain/task/task-limits'
import type { Move } from '../../domain/task/task-machine'
import type { AttemptRow, TaskPatch, TaskRow } from '../../domain/task/task-store'
import { produceStatus } from '../mail/produce'
import { callingAgent, leaseLost, mayNameConversation } from '../unit/rights'
import { nameOf, publishUpdate, type Unit } from '../unit/unit'
import { checkSessionId, checkText } from './check-fields'
import { moveTask } from './move-task'
import { endAttempt, endOf } from './runs/end-attempt'
import { giveInput } from './runs/mail-of-runs'
import type { FinishTask, TaskInput } from './task-inputs'

/** Progress, finish, conversation, input: what is said of and to a task in progress. Rights are checked by the service. */

/** @throws `lease_lost` the calling attempt holds the task no longer · `conflict` it has ended */
export async function setProgress(unit: Unit, task: TaskRow, progress: string): Promise<void> {
  checkText('progress', progress, TASK_LIMITS.progress)
  requireInHand(unit, task)
  await unit.tasks.updateTask(task.key, { progress, progressAt: unit.now })
  await renewOwnLease(unit, task)
  await publishUpdate(unit, task, { progress: progress.slice(0, 200) })
  await produceStatus(unit, task, progress)
}

/**
 * The first final state wins.
 *
 * @throws `conflict` it has another final state, or another text in the same one · `lease_lost`
 */
export async function finishTask(unit: Unit, task: TaskRow, input: FinishTask): Promise<TaskRow> {
  const given = outputOf(input)
  const output = given === null ? null : checkText('output', given, TASK_LIMITS.output)
  const failureReason =
    input.failureReason === undefined
      ? null
      : checkText('failureReason', input.failureReason, TASK_LIMITS.failureReason)
  if (isFinal(task.status) && !(unit.caller.kind === 'attempt' && task.status === 'cancelled')) {
    if (isSameEnd(task, input.status, output, failureReason)) return task
    throw new AppError('conflict', `Task ${task.id} is already ${task.status}; the first final state counts.`, {
      details: { taskId: task.id, status: task.status },
    })
  }
  requireInHand(unit, task)
  const move = endMove(unit, input.status, output, failureReason)
  const live = task.status === 'in_progress' ? await unit.tasks.liveAttempt(task.key) : undefined
  if (live === undefined) return await moveTask(unit, task, move)
  // Nothing of ours runs it: only this reports its end.
  if (live.bootId === null) return await endAttempt(unit, task, live, endOf(input.status, failureReason ?? ''), move)
  const finished = await moveTask(unit, task, move, { hasLiveAttempt: true })
  // The run of an agent ends by itself; a person's word ends it.
  if (unit.caller.kind === 'operator') await stopRun(unit, live, move.why)
  return finished
}

/** The output with a line for each artifact. */
function outputOf({ output, artifacts = [] }: FinishTask): string | null {
  if (artifacts.length === 0) return output ?? null
  const lines = artifacts.map(({ name, path, url }) => {
    const where = [path, url].filter((place) => place !== undefined)
    return `- ${oneLine(name)}${where.length === 0 ? '' : `: ${where.map(oneLine).join(' ')}`}`
  })
  return [...(output === undefined || output === '' ? [] : [output, '']), 'Artifacts:', ...lines].join('\n')
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

async function stopRun(unit: Unit, live: AttemptRow, why: string): Promise<void> {
  await unit.tasks.updateAttempt(live.key, { wish: 'cancel', wishReason: why })
  await unit.feed('attempt.updated', { taskId: live.taskId, attemptId: live.id, state: 'live', wish: 'cancel' })
}

function endMove(
  unit: Unit,
  status: 'completed' | 'failed',
  output: string | null,
  failureReason: string | null,
): Move & { kind: 'complete' | 'fail' } {
  const finishedBy = unit.caller.kind === 'operator' ? 'person' : 'agent'
  const report = `${nameOf(unit.caller)} reported it as ${status}`
  if (status === 'completed') return { kind: 'complete', finishedBy, output, why: report }
  const why = failureReason === null ? report : `${report}: ${failureReason}`
  return { kind: 'fail', finishedBy, failureClass: 'agent', failureReason: failureReason ?? report, output, why }
}

/** A repeated finish call: omitted fields match any stored value. */
function isSameEnd(task: TaskRow, status: string, output: string | null, failureReason: string | null): boolean {
  if (task.status !== status) return false
  if (output !== null && output !== task.output) return false
  return status === 'completed' || failureReason === null || failureReason === task.failureReason
}

/** An agent may write to a task that it has begun and nobody took from it; a person to any that has not ended. */
function requireInHand(unit: Unit, task: TaskRow): void {
  if (task.status === 'in_progress') return
  if (unit.caller.kind === 'attempt') throw leaseLost(`Task ${task.id} is ${task.status}, not in progress`)
  if (!isFinal(task.status) && unit.caller.kind === 'operator') return
  throw new AppError('conflict', `Task ${task.id} is ${task.status}.`, {
    hint: isFinal(task.status) ? 'Retry it first.' : 'Claim it first.',
    details: { taskId: task.id, status: task.status },
  })
}

/** An agent without a worker that renews the lease renews it with its own calls. */
async function renewOwnLease(unit: Unit, task: TaskRow): Promise<void> {
  if (unit.caller.kind === 'operator' || task.status !== 'in_progress') return
  const live = await unit.tasks.liveAttempt(task.key)
  if (live === undefined || live.bootId !== null || live.leaseExpiresAt === null) return
  // A lease that is new yet costs no write.
  if (live.leaseExpiresAt - unit.now < live.leaseMs * 0.9) await unit.tasks.renewLeases([live.key], unit.now)
}

/**
 * From the agent that has the task, or a claim by hand: its conversation. From an operator: what the next attempt resumes.
 *
 * @throws `invalid` no uuid · `forbidden` a run that has a worker, or a conversation of others · `lease_lost` · `conflict` completed
 */
export async function setConversation(unit: Unit, task: TaskRow, claudeSessionId: string): Promise<void> {
  const id = sessionId(checkSessionId('claudeSessionId', claudeSessionId))
  if (unit.caller.kind === 'operator') {
    if (task.status === 'completed')
      throw new AppError('conflict', `Task ${task.id} is completed, so it has no further attempts.`, {
        hint: `Create a follow-up: a task whose parent is ${task.id}.`,
        details: { taskId: task.id, status: task.status },
      })
    const clis = neededClis(task.agentClis, await unit.tasks.agentOfSession(id))
    await unit.tasks.updateTask(task.key, { nextSessionId: id, forkAt: null, startRung: null, neededClis: clis })
  } else {
    requireInHand(unit, task)
    if (task.lastSessionId === id && task.nextSessionId === null && task.startRung === null) return
    const live = await unit.tasks.liveAttempt(task.key)
    if (unit.caller.kind === 'attempt' && live?.bootId != null)
      throw new AppError('forbidden', `The worker of ${task.id} reports its conversation, not its run.`)
    await mayNameConversation(unit, task, (await callingAgent(unit))?.hostName ?? null, id)
    await unit.tasks.updateTask(task.key, knownConversation(id))
    if (live !== undefined) await noteConversation(unit, task, live, id)
  }
  await publishUpdate(unit, task, { claudeSessionId: id })
}

/** What the task keeps once its attempt is in a conversation: what was wished for is fulfilled. */
export const knownConversation = (id: TaskRow['lastSessionId']): TaskPatch => ({
  lastSessionId: id,
  nextSessionId: null,
  startRung: null,
})

/** Without a worker nobody says how the conversation came about but the ids themselves. */
async function noteConversation(
  unit: Unit,
  task: TaskRow,
  live: AttemptRow,
  id: NonNullable<TaskRow['lastSessionId']>,
) {
  const isOwn = task.lastSessionId === id || task.nextSessionId === id
  const conversation = live.conversation
    ? { ...live.conversation, sessionId: id }
    : {
        rung: isOwn ? ('native' as const) : ('fresh' as const),
        sessionId: id,
        resumedSessionId: isOwn ? id : null,
        forked: false,
        forkPoint: null,
        whyNot: [],
      }
  await unit.tasks.updateAttempt(live.key, { conversation })
}

/**
 * Says something to the run, as a message that is on its way to it at once: when the run is gone before a model has read it, it
 * comes back and goes to the next one.
 *
 * @returns the message's id
 * @throws `conflict` no run is there to hear it
 */
export async function addInput(unit: Unit, task: TaskRow, input: TaskInput): Promise<MessageId> {
  const text = checkText('text', input.text, TASK_LIMITS.text)
  if (text.trim() === '') throw new AppError('invalid', 'The text is empty.')
  const live = task.status === 'in_progress' ? await unit.tasks.liveAttempt(task.key) : undefined
  if (live === undefined || live.bootId === null)
    throw new AppError('conflict', `Task ${task.id} has no run that could receive the text.`, {
      hint:
        task.status === 'in_progress'
          ? 'It was claimed without a worker.'
          : 'Change the text of the task, or create a follow-up.',
      details: { taskId: task.id, status: task.status },
    })
  return await giveInput(unit, task, live, text, input.urgency ?? 'next')
}
