import { CALLER_KINDS } from '../api/contract/callers'
import { AppError } from '../domain/errors'
import { messagesText } from '../domain/message/message-text'
import type { ToolHost } from './host'
import { choice, defineTool, flag, list, optional, text, whole } from './tool'
import { addressOf, awaitedText, callName, ofSession, awaitTasks as waitForTasks, waitMsOf } from './wait'

/** Messages and their characters in one answer. */
const MESSAGES_PER_ANSWER = 20
const ROOM = 50_000

export const awaitTasks = defineTool({
  name: 'await-tasks',
  description:
    'Waits for tasks that you sent and gives their results, with messages for you; also returns when one asks you something. After waitMs it tells what is known: call it again.',
  callers: CALLER_KINDS,
  isAlwaysShown: true,
  input: {
    ids: optional(list('Default: all of yours that are open')),
    mode: optional(choice(['all', 'any'], 'Default all')),
    waitMs: optional(whole('Default 45000, at most 600000')),
  },
  run: async (args, call) => awaitedText(await waitForTasks(call, args)),
})

export const sendMessage = defineTool({
  name: 'send-message',
  description:
    'Sends a message to a task, session or agent, or to your requester (`parent`). For what your task came to use finish-task.',
  callers: CALLER_KINDS,
  input: {
    text: text('The message'),
    to: optional(text('parent, or the id of a task, session or agent; not needed with replyTo')),
    kind: optional(choice(['status', 'question', 'message'], 'status: where you stand. Default message')),
    replyTo: optional(text('Id of the message that this answers; a question of a run: begin with allow or deny')),
    wait: optional(flag('Wait for the answer')),
    waitMs: optional(whole('Default 45000, at most 600000')),
  },
  async run({ text: words, to, kind, replyTo, wait, waitMs }, call) {
    const { host, client, toolUseId } = call
    const at = addressOf(host)
    if (wait === true && at === null) throw noAddress()
    const idempotencyKey = at !== null && toolUseId !== null ? { idempotencyKey: `mcp ${at} ${toolUseId}` } : {}
    const { message } = await client.messages.send(
      {
        text: words,
        ...(to !== undefined && { to }),
        ...(kind !== undefined && { kind }),
        ...(replyTo !== undefined && { replyTo }),
        ...(wait === true && { wantsReply: true }),
        ...ofSession(call),
      },
      idempotencyKey,
    )
    const sent = `Sent to ${message.to}: message ${message.id}.`
    if (wait !== true || at === null) return sent
    const taken = await client.messages.take(at, {
      call: callName(call),
      limit: MESSAGES_PER_ANSWER,
      waitMs: waitMsOf(waitMs),
    })
    const isAnswered = taken.messages.some((one) => one.replyTo === message.id)
    const told = messagesText(taken.messages, ROOM, taken.count).text
    const how = isAnswered ? 'The answer is there.' : 'No answer yet; read-messages with waitMs waits on.'
    return [sent, how, told].filter((line) => line !== '').join('\n')
  },
})

export const readMessages = defineTool({
  name: 'read-messages',
  description: 'Gives messages that wait for you: results, questions, answers. Each is given once.',
  callers: CALLER_KINDS,
  input: {
    waitMs: optional(whole('Wait so long when there is none; default 0')),
    acknowledge: optional(list('Ids that you have: needed of agents without a transcript only')),
  },
  async run({ waitMs = 0, acknowledge }, call) {
    const { host, client } = call
    const at = addressOf(host)
    if (at === null) throw noAddress()
    if (acknowledge !== undefined && acknowledge.length > 0) await client.messages.acknowledge(at, { ids: acknowledge })
    const taken = await client.messages.take(at, {
      call: callName(call),
      limit: MESSAGES_PER_ANSWER,
      waitMs: waitMsOf(waitMs),
    })
    const told = messagesText(taken.messages, ROOM, taken.count).text
    if (told === '') return 'No message waits for you.'
    return isUnrecorded(host) ? `${told}\n\nSay with \`acknowledge\` which you have: the next ones come then.` : told
  },
})

/** What it is given leaves no line that could be found. */
const isUnrecorded = ({ taskId, sessionId }: ToolHost) => taskId === null && sessionId === null

const noAddress = (): AppError =>
  new AppError('invalid', 'Whose messages to read is not known.', {
    hint: 'Call `join` first: a run, a session and a joined agent have an address.',
  })
