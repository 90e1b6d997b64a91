import { type Address, address, taskOf } from '../../../domain/ids'
import { carrierOf } from '../../../domain/message/carrier'
import { isFinal } from '../../../domain/task/task'
import type { AttemptRow, TaskRow } from '../../../domain/task/task-store'
import { moveMessage } from '../../mail/move-message'
import { settleAt } from '../../mail/settle'
import { speakerOf } from '../../mail/speaker'
import { publishUpdate, type Unit } from '../../unit/unit'
import { countAwaited } from '../awaited'
import { followUp } from '../follow-up'
import { moveTask } from '../move-task'
import { addressOfTask } from './mail-of-runs'

/** How often a task may continue because of messages that arrived after it completed. */
export const MAX_RESUMES = 100

/**
 * Why a task whose run just completed is not over: tasks that report to it are open, or it has unread messages. A task with
 * `onChildDone: hold` is over in either case.
 *
 * @returns one clause, for a person; `null` = it is over
 */
export async function reasonToWait(unit: Unit, task: TaskRow, ended: AttemptRow): Promise<string | null> {
  if (task.onChildDone === 'hold') return null
  const to = await addressOfTask(unit, task)
  let mail = await unit.messages.mailAt(to)
  // The record may know by now that it was read.
  if (mail.flying + mail.delivered > 0) {
    await settleAt(unit, to)
    await consumeByEnd(unit, to, ended)
    mail = await unit.messages.mailAt(to)
  }
  const awaited = await countAwaited(unit, task, to)
  const unread = mail.waiting + mail.flying + mail.delivered
  if (awaited + unread === 0) return null
  if (task.attemptCount > MAX_RESUMES && (await unit.messages.completedAttempts(task.key)) > MAX_RESUMES) return null
  return [
    ...(awaited > 0 ? [`${awaited} ${awaited === 1 ? 'task' : 'tasks'} below it open`] : []),
    ...(unread > 0 ? [`${unread} ${unread === 1 ? 'message' : 'messages'} unread`] : []),
  ].join(', ')
}

/**
 * A run that came to a good end has read its first prompt, and what an earlier run was given in the conversation with which it went on. The
 * record may not have the lines yet that show it: a run for a message that was read would cost, and so would the next one.
 */
async function consumeByEnd(unit: Unit, to: Address, { id, taskId, conversation }: AttemptRow): Promise<void> {
  const wentOn = conversation?.rung === 'native' || conversation?.rung === 'restored'
  for (const row of await unit.messages.deliveredTo(to)) {
    const carrier = carrierOf(row.target ?? '')
    if (carrier.kind !== 'attempt') continue
    const isRead = carrier.attemptId === id ? row.route === 'resume' : wentOn && taskOf(carrier.attemptId) === taskId
    if (isRead) await moveMessage(unit, row, { kind: 'consume', evidence: `attempt ${id} had it and completed` })
  }
}

/** Handles all addresses at which a unit changed mail. Handling one may add others. */
export async function handleMail(unit: Unit): Promise<void> {
  for (const to of unit.addressesWithMail) {
    unit.addressesWithMail.delete(to)
    await handleMailAt(unit, to)
  }
}

/**
 * Handles the receiver of an address at which a message arrived, returned or was read, or to which a task reported its end.
 */
async function handleMailAt(unit: Unit, to: Address): Promise<void> {
  const task = unit.speakers.has(to) ? unit.speakers.get(to) : await speakerOf(unit, to)
  // What is handled may move it.
  unit.speakers.delete(to)
  if (task === undefined) return
  // The polls of its run listen for its own id.
  if (task.status === 'in_progress' && address(task.id) !== to) await publishUpdate(unit, task, { mailFor: to })
  else if (task.status === 'pending' && task.waitingFor === 'children') await endOrContinueWait(unit, task, to)
  else if (isFinal(task.status)) await followUp(unit, task, to)
}

/** A task that waits for others goes on when there is something for it, and is over when nothing can come any more. */
async function endOrContinueWait(unit: Unit, task: TaskRow, to: Address): Promise<void> {
  const mail = await unit.messages.mailAt(to)
  if (mail.flying > 0) return
  const news = mail.waiting + mail.delivered
  if (news > 0) {
    const why = news === 1 ? 'a message arrived for it' : `${news} messages arrived for it`
    await moveTask(unit, task, { kind: 'place', why, isAwaiting: false })
  } else if ((await countAwaited(unit, task, to)) === 0) {
    const why = 'it has nothing left to wait for'
    await moveTask(unit, task, { kind: 'complete', finishedBy: 'runner', output: task.output, why })
  }
}
