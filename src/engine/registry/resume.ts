import { AppError } from '../../domain/errors'
import { eventId, type SessionId, sessionId, type TaskKey } from '../../domain/ids'
import { neededClis } from '../../domain/task/agent-choice'
import { checkNativeId } from '../tasks/check-fields'
import { type CheckedTask, checkNewTask, createTask } from '../tasks/create-task'
import type { CreateTask } from '../tasks/task-inputs'
import type { Unit } from '../unit/unit'
import { knownSession } from './register'
import type { ResumeAsTask } from './registry-inputs'

/** The prompt of a conversation that goes on without anything new being said to it. */
const GO_ON = 'Go on where you stopped.'

const taskOf = ({ text, forkAt: _, ...input }: ResumeAsTask): CreateTask => ({
  ...input,
  task: text ?? GO_ON,
  source: 'resume',
})

/** @throws `invalid` `too_large` */
export const checkedResume = (input: ResumeAsTask): CheckedTask => checkNewTask(taskOf(input))

/**
 * A task that goes on in the conversation. It belongs to the conversation's address, and reports to nobody: the receiver would be the
 * very conversation in which it runs.
 */
export async function resumeAsTask(
  unit: Unit,
  given: SessionId,
  input: ResumeAsTask,
  checked: CheckedTask,
): Promise<TaskKey> {
  const at = await knownSession(unit, given)
  const session = sessionId(checkNativeId('sessionId', given))
  const forkAt = input.forkAt === undefined ? null : eventId(input.forkAt)
  const live = forkAt === null ? await unit.registry.liveRunIn(session) : undefined
  if (live !== undefined)
    throw new AppError('conflict', `A run of ${live.taskId} is using this conversation.`, {
      hint: `To send it text, run 'lode task input ${live.taskId} TEXT'.`,
      details: { taskId: live.taskId },
    })
  const ids = { parentTaskId: null, dependsOn: [] }
  const { task } = await createTask(unit, { ...taskOf(input), sessionId: sessionId(at) }, checked, ids)
  const clis = neededClis(task.agentClis, await unit.tasks.agentOfSession(session))
  await unit.tasks.updateTask(task.key, { nextSessionId: session, forkAt, replyTo: null, neededClis: clis })
  return task.key
}
