import type { Address, TaskId } from '../../domain/ids'
import { address } from '../../domain/ids'
import type { MessageSender } from '../../domain/message/message'
import type { QuestionRow, TaskRow } from '../../domain/task/task-store'
import { isTaskAddress } from './address'
import { addMessage, type MessageUnit, moveMessage } from './move-message'

/** Characters of an output that a result carries; the command beside it shows all. */
const OUTPUT_SHOWN = 6_000

/**
 * What tasks say by themselves: an end, a question, where they stand. Called in the unit of work that changes the task, so that no
 * crash can part the one from the other.
 */

/** An ellipsis says that there is more. */
const beginning = (text: string, limit: number): string => (text.length > limit ? `${text.slice(0, limit)}…` : text)

const senderOf = (task: Pick<TaskRow, 'id' | 'title'>): MessageSender => ({
  kind: 'task',
  address: address(task.id),
  name: task.title.slice(0, 300),
})

/** The task has ended: its outcome goes to its receiver. `by`: an end that the receiver itself made is no news to it. */
export async function produceResult(unit: MessageUnit, task: TaskRow, by: Address | null): Promise<void> {
  if (task.replyTo === null || task.replyTo === by) return
  await addMessage(unit, {
    to: task.replyTo,
    from: senderOf(task),
    kind: 'result',
    cause: `task ${task.id} ended ${task.attemptCount} ${task.finishedAt ?? unit.now}`,
    taskId: task.id,
    text: resultText(task),
    fullAt: (task.output ?? '').length > OUTPUT_SHOWN ? `lode task show ${task.id} --output` : null,
  })
}

function resultText(task: TaskRow): string {
  const { id, title, status, output, failureReason } = task
  const head = `Task ${id} "${title}" ${status}.`
  const why = status === 'completed' || failureReason === null ? '' : `\nReason: ${failureReason}`
  const outputText = output === null || output === '' ? '' : `\nOutput:\n${beginning(output, OUTPUT_SHOWN)}`
  const left = (output ?? '').length - OUTPUT_SHOWN
  return `${head}${why}${outputText}${left > 0 ? `\n(${left} more characters: lode task show ${id} --output)` : ''}`
}

/** A run of the task asks for something. */
export async function produceQuestion(unit: MessageUnit, task: TaskRow, question: QuestionRow): Promise<void> {
  if (task.replyTo === null) return
  const about = question.description === null ? '' : ` (${beginning(question.description, 500)})`
  const ends = new Date(question.deadline).toISOString()
  // A run may hear that a question waits, and who answers it; a session has a person.
  const isPersons = isTaskAddress(task.replyTo) && (unit.leads?.answers ?? 'never') === 'never'
  await addMessage(unit, {
    to: task.replyTo,
    from: senderOf(task),
    kind: 'question',
    cause: `question ${question.id}`,
    taskId: task.id,
    wantsReply: !isPersons,
    text: `Task ${task.id} "${task.title}" asks for permission to use ${question.toolName}${about}: ${beginning(question.input, 2_000)}\nWithout an answer it is ${question.default === 'allow' ? 'allowed' : 'denied'} at ${ends}.${isPersons ? ' A person answers this question, not you: continue with other work, or wait.' : ''}`,
    fullAt: `lode question list --task ${task.id}`,
  })
}

/** The question has its answer, or nobody waits for one any more. */
export async function dropQuestion(
  unit: MessageUnit,
  task: TaskRow,
  question: Pick<QuestionRow, 'id'>,
  why: string,
): Promise<void> {
  if (task.replyTo === null) return
  const message = await unit.messages.byCause(task.replyTo, `question ${question.id}`)
  if (message !== undefined) await moveMessage(unit, message, { kind: 'withdraw', why })
}

/** Where the task stands. An older word that nobody got yet gives way. */
export async function produceStatus(unit: MessageUnit, task: TaskRow, progress: string): Promise<void> {
  if (task.replyTo === null) return
  await supersedeStatus(unit, task.replyTo, task.id)
  await addMessage(unit, {
    to: task.replyTo,
    from: senderOf(task),
    kind: 'status',
    cause: `status ${task.id} ${unit.now}`,
    taskId: task.id,
    text: `Task ${task.id} "${task.title}": ${progress.slice(0, 2_000)}`,
  })
}

/** Statuses among what waits that are looked through. */
const LOOKED_THROUGH = 200

/** A status of this task that waits at the address is replaced by what comes now. */
export async function supersedeStatus(unit: MessageUnit, to: Address, task: TaskId): Promise<void> {
  for (const row of await unit.messages.waiting(to, LOOKED_THROUGH))
    if (row.kind === 'status' && row.taskId === task) await moveMessage(unit, row, { kind: 'supersede' })
}
