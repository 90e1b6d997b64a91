import type { Address } from '../../domain/ids'
import type { TaskRow } from '../../domain/task/task-store'
import { isTaskAddress } from '../mail/address'
import { logMove, SYSTEM, type Unit } from '../unit/unit'
import { askedOfRuns } from './check-fields'
import { checkNewTask, createTask } from './create-task'

/** Follow-ups in one conversation. */
const MAX_FOLLOW_UPS = 100

const TEXT =
  'You received a message after you finished. Read it below. Do the work that it makes necessary, if any, and report ' +
  'at the end what changed.'

/**
 * A message came for a task that is over. Where its maker wants that, a task of its own goes on in its conversation: with the same
 * session, on the same worker when it is there, and for the same address. There is one of them at a time. Else the message waits.
 */
export async function followUp(unit: Unit, task: TaskRow, to: Address): Promise<void> {
  if (task.status !== 'completed' || task.lastSessionId === null || !goesOn(task)) return
  const mail = await unit.messages.mailAt(to)
  if (mail.waiting === 0 || mail.flying > 0) return
  // The run that said it has finished may still be there: it gets it by its input.
  if ((await unit.tasks.liveAttempt(task.key)) !== undefined) return
  const former = await unit.messages.speakersFor(to, MAX_FOLLOW_UPS)
  if (former.some(({ isOpen }) => isOpen) || former.length >= MAX_FOLLOW_UPS) return
  const made = await makeFollowUp(unit, task, former[0]?.id)
  await unit.messages.putAlias(made.id, to, `continues the conversation of ${task.id}`)
  await logMove(unit, task, `${made.id} continues its conversation, with ${mail.waiting} unread for ${to}`)
}

/** Whether what comes late wakes it: as its maker said, else when a run made it. */
const goesOn = ({ onChildDone, creatorAgentKey, replyTo }: TaskRow): boolean =>
  onChildDone === null
    ? creatorAgentKey !== null && replyTo !== null && isTaskAddress(replyTo)
    : onChildDone === 'resume'

async function makeFollowUp(unit: Unit, task: TaskRow, former: TaskRow['id'] | undefined): Promise<TaskRow> {
  // A conversation may have got another id on its way.
  const last = former === undefined ? undefined : await unit.tasks.task(former)
  const nextSessionId = last?.lastSessionId ?? task.lastSessionId
  const input = {
    task: TEXT,
    title: `After ${task.title}`.slice(0, 300),
    source: 'message',
    priority: task.priority,
    tags: task.tags,
    ...(task.taskType === null ? {} : { taskType: task.taskType }),
    // A work tree is found again by where the conversation ran.
    ...(task.dir === null || task.isWorktree ? {} : { dir: task.dir }),
    requiredCapabilities: task.requiredCapabilities,
    agentClis: task.agentClis,
    continuity: 'continue' as const,
    onChildDone: 'resume' as const,
    ...askedOfRuns(task),
    retryPolicy: task.retryPolicy,
  }
  const system = { ...unit, caller: SYSTEM }
  const made = await createTask(system, input, checkNewTask(input), { parentTaskId: task.id, dependsOn: [] })
  const patch = { neededClis: task.neededClis, nextSessionId, replyTo: task.replyTo, specialistId: task.specialistId }
  await unit.tasks.updateTask(made.task.key, patch)
  return { ...made.task, ...patch }
}
