import { SEND_MESSAGE } from '../../domain/access/rules'
import { AppError } from '../../domain/errors'
import {
  type Address,
  address,
  type MessageId,
  messageId,
  type QuestionId,
  questionId,
  sessionId,
  UUID,
} from '../../domain/ids'
import { addressKind, MESSAGE_LIMITS, SENT_KINDS } from '../../domain/message/message'
import type { MessageRow } from '../../domain/message/message-store'
import type { Awaitable } from '../../domain/port'
import { MINUTE_MS } from '../../domain/time-units'
import { requireAccess } from '../access/require-access'
import { type AskedAddress, addressOf, askAddress, FORM_OF_ADDRESS, ownAddress, resolveAddress } from '../mail/address'
import { addMessage } from '../mail/move-message'
import { supersedeStatus } from '../mail/produce'
import { senderOf } from '../mail/sender'
import { speakerOf } from '../mail/speaker'
import { answerQuestion } from '../tasks/questions'
import { quoted } from '../unit/find-task'
import type { Unit } from '../unit/unit'
import type { SendMessage } from './message-inputs'

/** What the database says of a message's receiver, asked before it is known whether the message was sent before. */
export interface AskedReceiver extends AskedAddress {
  waiting: Awaitable<number>
}

/** Asks at once, for the database is far. `undefined` = only the unit itself finds who the receiver is. */
export function askReceiver(unit: Unit, { to, replyTo }: SendMessage): AskedReceiver | undefined {
  if (replyTo !== undefined || !FORM_OF_ADDRESS.test(to) || addressKind(address(to)) !== 'task') return undefined
  const asked = { ...askAddress(unit, to), waiting: unit.messages.countWaiting(address(to)) }
  // A message that was sent before waits for none of them; a database that fails fails the unit.
  for (const one of [asked.address, asked.isKnown, asked.waiting]) if (one instanceof Promise) void one.catch(() => {})
  return asked
}

/**
 * Puts a message at its address. Its sender follows from the caller's token.
 *
 * @param id  makes the cause: unpredictable, new for each message
 * @param asked  what was looked up of its receiver
 * @throws `invalid` `too_large` `not_found` `lease_lost` the calling run is over · `conflict` the question has another answer
 */
export async function sendMessage(
  unit: Unit,
  input: SendMessage,
  id: string,
  asked?: AskedReceiver,
): Promise<MessageRow> {
  const kind = SENT_KINDS.find((one) => one === input.kind) ?? 'message'
  if (input.kind === 'result')
    throw new AppError('invalid', "A result can't be sent as a message: a task reports its own result.", {
      hint: 'Use finish-task, or send another kind of message.',
    })
  checkText(input.text)
  const from = await senderOf(unit, input)
  const before = input.replyTo === undefined ? undefined : await answered(unit, input.replyTo)
  const to = await receiverOf(unit, input, before, asked)
  if (from.address !== null && from.address === to)
    throw new AppError('invalid', `${to} can't send a message to itself.`, { hint: 'Give another address.' })
  if (before === undefined || before.from.address !== to) await requireAccess(unit, SEND_MESSAGE, to)
  await checkRate(unit, from.address)
  const chain = before === undefined ? 0 : before.chain + 1
  if (chain > MESSAGE_LIMITS.chain)
    throw new AppError('too_large', `These two have already replied to each other ${MESSAGE_LIMITS.chain} times.`, {
      hint: 'Ask a person, or start a new chain without replyTo.',
      details: { field: 'replyTo', limit: MESSAGE_LIMITS.chain, unit: 'answers' },
    })
  if (kind === 'status' && from.kind === 'task' && unit.caller.kind === 'attempt')
    await supersedeStatus(unit, to, unit.caller.taskId)
  checkRoom(to, await (asked?.text === to ? asked.waiting : unit.messages.countWaiting(to)))
  if (before !== undefined) await answerByMessage(unit, before, input.text)
  const adding = addMessage(unit, {
    to,
    from,
    kind: before?.kind === 'question' && kind === 'message' ? 'answer' : kind,
    cause: `sent ${id}`,
    taskId: unit.caller.kind === 'attempt' ? unit.caller.taskId : null,
    replyTo: before?.id ?? null,
    chain,
    wantsReply: input.wantsReply === true,
    text: input.text,
  })
  // It holds the row of the speaker's task until the commit: an end of that task is seen here, or sees the message.
  const [row, speaker] = await Promise.all([adding, kind === 'status' ? undefined : speakerOf(unit, to)])
  if (kind !== 'status') unit.speakers.set(to, speaker)
  if (row === undefined) throw new Error(`Two messages have the ID ${id}.`)
  return row
}

function checkText(text: string): void {
  if (text.trim() === '') throw new AppError('invalid', 'The message has no text.')
  if (text.length > MESSAGE_LIMITS.text)
    throw new AppError('too_large', `The text has ${text.length} characters; the maximum is ${MESSAGE_LIMITS.text}.`, {
      hint: 'Write it to a file, and send the path.',
      details: { field: 'text', limit: MESSAGE_LIMITS.text, unit: 'characters' },
    })
}

function checkRoom(to: Address, waiting: number): void {
  if (waiting < MESSAGE_LIMITS.waiting) return
  throw new AppError('too_large', `${MESSAGE_LIMITS.waiting} messages are already waiting for ${to}.`, {
    hint: 'Nobody is reading them. Ask a person.',
    details: { limit: MESSAGE_LIMITS.waiting, unit: 'messages' },
  })
}

/** A run that goes round in circles, or whose prompt makes it shout, is stopped before it fills everybody's conversation. */
async function checkRate(unit: Unit, from: Address | null): Promise<void> {
  const { perMinute } = MESSAGE_LIMITS
  if (unit.caller.kind !== 'attempt' || from === null) return
  if ((await unit.messages.countSent(from, unit.now - MINUTE_MS, perMinute)) < perMinute) return
  throw new AppError('too_large', `${from} has sent ${perMinute} messages within a minute.`, {
    hint: 'Wait a minute, and put what belongs together into one message.',
    details: { limit: perMinute, unit: 'messages within a minute' },
  })
}

async function answered(unit: Unit, ref: string): Promise<MessageRow> {
  const id: MessageId | null = UUID.test(ref.toLowerCase()) ? messageId(ref.toLowerCase()) : null
  const row = id === null ? undefined : await unit.messages.find(id)
  const own = ownAddress(unit.caller)
  // What it may not read is not there.
  if (row === undefined || (own !== null && row.to !== own))
    throw new AppError('not_found', `There is no message ${quoted(ref)}.`, {
      hint: 'Use read-messages to see the IDs.',
    })
  return row
}

async function receiverOf(
  unit: Unit,
  input: SendMessage,
  before: MessageRow | undefined,
  asked: AskedAddress | undefined,
): Promise<Address> {
  if (before === undefined || input.to !== '')
    return await ofItsRun(unit, await resolveAddress(unit, input.to, asked), input.to)
  if (before.from.address !== null) return before.from.address
  throw new AppError('invalid', 'The sender of that message has no address.', { hint: 'Pass `to`.' })
}

/**
 * A run gets what is said to its task: a session that a run is in is spoken to there. What another run may say goes by the address that
 * it names.
 *
 * @param given  the session's own ID, or an alias
 */
async function ofItsRun(unit: Unit, to: Address, given: string): Promise<Address> {
  if (addressKind(to) !== 'session' || unit.caller.kind === 'attempt') return to
  const run = (await unit.registry.liveRunIn(sessionId(given))) ?? (await unit.registry.liveRunIn(sessionId(to)))
  return run === undefined ? to : await addressOf(unit, run.taskId)
}

const QUESTION = /^question (q-[0-9a-z]+)$/

/** An answer to what a run asks for is its answer, where it says so in its first word. */
async function answerByMessage(unit: Unit, asked: MessageRow, text: string): Promise<void> {
  const id = QUESTION.exec(asked.cause)?.[1]
  if (id === undefined) return
  const word = /^\s*(allow|deny)\b[\s:,.-]*/i.exec(text)
  if (word === null)
    throw new AppError('invalid', 'Answer this question with allow or deny.', {
      hint: 'Begin the text with one of the two words. The run receives the rest.',
    })
  const behavior = word[1]?.toLowerCase() === 'allow' ? 'allow' : 'deny'
  const message = text.slice(word[0].length).trim()
  const question: QuestionId = questionId(id)
  await answerQuestion(unit, question, message === '' ? { behavior } : { behavior, message })
}
