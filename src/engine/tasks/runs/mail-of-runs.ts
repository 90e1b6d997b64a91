import { type Address, address, type TaskKey } from '../../../domain/ids'
import type { MessageRow } from '../../../domain/message/message-store'
import type { AttemptRow, TaskRow } from '../../../domain/task/task-store'
import type { Command } from '../../../domain/task/worker-protocol'
import { takeOff } from '../../mail/flights'
import { mailText } from '../../mail/mail-text'
import { addMessage, moveMessage } from '../../mail/move-message'
import { senderOf } from '../../mail/sender'
import { agentOf, publishUpdate, type Unit } from '../../unit/unit'

/** Messages that one run is given at once. */
const MESSAGES_PER_FLIGHT = 20
/** Messages named in a line of the task's log. */
const NAMED = 5

/** Runs whose input takes lines, with the addresses at which something waits for them. */
export async function mailFor(unit: Unit, held: readonly AttemptRow[]): Promise<[AttemptRow, Address][]> {
  const able = held.filter(
    (attempt) => attempt.bootId !== null && attempt.conversation !== null && attempt.wish === null,
  )
  if (able.length === 0) return []
  const byTask = new Map<TaskKey, AttemptRow>(able.map((attempt) => [attempt.taskKey, attempt]))
  return (await unit.messages.mailOf([...byTask.keys()])).flatMap(({ taskKey, to }) => {
    const attempt = byTask.get(taskKey)
    return attempt === undefined ? [] : [[attempt, to]]
  })
}

/**
 * What waits for the runs' tasks, as lines for their input. The uuid of such a line is the message's id: the record knows it by that.
 * A run that waits in a call gets it there; one that has not been asked yet gets it in its first prompt.
 */
export async function mailCommands(unit: Unit, mail: readonly [AttemptRow, Address][]): Promise<Command[]> {
  const commands: Command[] = []
  for (const [attempt, to] of mail) {
    if (await unit.messages.isAwaited(to)) continue
    const flying = await launchTo(unit, attempt, to, 'input')
    // What the worker wrote already is on its way; of a first prompt all is.
    for (const row of flying)
      if (row.route === 'input' && row.evidence === null && row.kind !== 'input') commands.push(inputOf(attempt, row))
  }
  return commands
}

const inputOf = ({ id: attemptId }: AttemptRow, row: MessageRow): Command => ({
  kind: 'input',
  attemptId,
  uuid: row.id,
  text: mailText([row]),
  urgency: 'next',
})

/** What waits for a task goes on with the first prompt of the attempt that resumes its conversation. */
export async function launchResume(unit: Unit, task: Pick<TaskRow, 'id'>, attempt: Carrier): Promise<void> {
  const to = await addressOfTask(unit, task)
  await launchTo(unit, attempt, to, 'resume')
}

/** How the cause of an input begins, with its urgency. */
const INPUT = { now: 'input now', next: 'input next' } as const

/**
 * Text from a director of the task for its live run. It goes to its input at once and unchanged, past everything else that waits
 * or is on its way: they may be what stops a run that is in a long call.
 */
export async function giveInput(
  unit: Unit,
  task: TaskRow,
  attempt: AttemptRow,
  text: string,
  urgency: 'now' | 'next',
): Promise<MessageRow['id']> {
  const to = await addressOfTask(unit, task)
  await unit.messages.turn(to)
  const row = await addMessage(unit, {
    to,
    from: await senderOf(unit, {}),
    kind: 'input',
    cause: `${INPUT[urgency]} ${crypto.randomUUID()}`,
    taskId: null,
    text,
  })
  if (row === undefined) throw new Error('Two inputs have the same ID.')
  const flying = await moveMessage(unit, row, { kind: 'queue', route: 'input', target: attempt.id })
  await logFlight(unit, attempt, to, 'input', [flying ?? row])
  await publishUpdate(unit, task, { input: row.id })
  return row.id
}

/** Inputs that are on their way to these runs and were not written yet, as they were said. */
export async function inputCommands(unit: Unit, held: readonly AttemptRow[]): Promise<Command[]> {
  const ids = new Map<string, AttemptRow>(held.filter(({ bootId }) => bootId !== null).map((one) => [one.id, one]))
  const commands: Command[] = []
  for (const { id, kind, route, evidence, target, text, cause } of await unit.messages.flownBy([...ids.keys()])) {
    const attempt = ids.get(target ?? '')
    if (attempt === undefined || kind !== 'input' || route !== 'input' || evidence !== null) continue
    const urgency = cause.startsWith(INPUT.now) ? 'now' : 'next'
    commands.push({ kind: 'input', attemptId: attempt.id, uuid: id, text, urgency })
  }
  return commands
}

type Carrier = Pick<AttemptRow, 'id' | 'number' | 'taskKey' | 'agentKey'>

/** Gives the attempt what waits at the address, and tells so in the task's log. */
async function launchTo(unit: Unit, attempt: Carrier, to: Address, route: 'input' | 'resume'): Promise<MessageRow[]> {
  const flight = await takeOff(unit, to, { route, target: attempt.id }, MESSAGES_PER_FLIGHT)
  const started = flight.filter(({ queuedAt, evidence }) => queuedAt === unit.now && evidence === null)
  if (started.length > 0) await logFlight(unit, attempt, to, route, started)
  return flight
}

async function logFlight(unit: Unit, attempt: Carrier, to: Address, route: string, rows: MessageRow[]): Promise<void> {
  const agent = await agentOf(unit, attempt.agentKey)
  const ids = rows.slice(0, NAMED).map(({ id }) => id)
  const more = rows.length > NAMED ? ` and ${rows.length - NAMED} more` : ''
  const what = rows.length === 1 ? 'message' : 'messages'
  const by = route === 'input' ? 'its input' : 'its first prompt'
  const text = `${what} ${ids.join(', ')}${more} for ${to} to ${attempt.id} in ${by}, worker ${agent?.name ?? 'unknown'}`
  await unit.tasks.appendLog(attempt.taskKey, [{ at: unit.now, attempt: attempt.number, kind: 'move', text }])
}

/**
 * What a worker says of a line that it was given: written, or taken up by the CLI. Neither proves that the transcript has it, so
 * the message stays in flight; but what was written is not given again.
 */
export async function noteInput(
  unit: Unit,
  attempt: AttemptRow,
  id: MessageRow['id'],
  status: 'sent' | 'delivered',
): Promise<void> {
  const row = await unit.messages.find(id)
  if (row?.status !== 'queued' || row.target !== attempt.id) return
  // The CLI carries out a command of its own itself: no model reads it, and it is not to be given again.
  if (row.kind === 'input' && row.text.trimStart().startsWith('/')) {
    await moveMessage(unit, row, { kind: 'consume', evidence: `a command of the CLI of ${attempt.id}` })
    return
  }
  if (status === 'sent' && row.evidence !== null) return
  const text = status === 'sent' ? `written to the input of ${attempt.id}` : `accepted by the CLI of ${attempt.id}`
  await unit.messages.update(id, { evidence: text })
  await unit.messages.addStep(id, { at: unit.now, status: row.status, route: row.route, text })
}

/** The address for which a run of the task speaks, and at which it reads. */
export const addressOfTask = async (unit: Unit, task: Pick<TaskRow, 'id'>): Promise<Address> =>
  await unit.messages.addressOf(address(task.id))
