import { sessionId } from '../../../domain/ids'
import { SENT_KINDS } from '../../../domain/message/message'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { surelyCalling } from '../../sessions/calling-session'
import { taskText } from '../../tasks/create-task'

export const command = defineCommand({
  summary: 'Send a message to a task, session or agent',
  details: [
    'The message waits at the address until it can be delivered, survives restarts, and is delivered once. Inside a task run the sender',
    "is the task; inside an agent's session it is that session.",
  ].join('\n'),
  args: [
    {
      name: 'TO',
      help: "the ID of a task, session or agent, an agent's name, or parent; with --reply-to, - means the sender",
    },
    { name: 'TEXT', help: 'the message; - reads it from stdin' },
  ],
  options: {
    kind: { kind: 'text', value: 'KIND', choices: SENT_KINDS, help: `${SENT_KINDS.join(', ')} (default message)` },
    'reply-to': { kind: 'text', value: 'MESSAGE', help: 'the message to reply to' },
    'wants-reply': { kind: 'flag', help: 'ask for a reply' },
    key: { kind: 'text', value: 'TEXT', help: 'idempotency key: the same key sends the message only once' },
  },
  examples: [
    { line: "lode message send t-7f3k9q2m 'Use the new API'", does: 'send a message to the agent that runs the task' },
    {
      line: "lode message send - 'allow' --reply-to 3f2a4c1e-0b5d-8c6a-9e7f-1a2b3c4d5e6f",
      does: 'reply to the sender of that message',
    },
  ],
  async run(context, { args: [to = '', text = ''], options }) {
    const replyTo = options['reply-to']
    if (to === '-' && replyTo === undefined) throw usageError(context.path)('TO can be - only with --reply-to.')
    const words = await taskText(context, text)
    const client = await context.client()
    // A run's token names the sender.
    const session = context.io.env.LODELINE_TOKEN ? null : await surelyCalling(context, undefined)
    const { key } = options
    const answer = await client.messages.send(
      {
        ...(to !== '-' && { to }),
        text: words,
        kind: options.kind as (typeof SENT_KINDS)[number] | undefined,
        replyTo,
        ...(options['wants-reply'] && { wantsReply: true }),
        ...(session !== null && { sessionId: sessionId(session.id) }),
      },
      key === undefined ? {} : { idempotencyKey: key },
    )
    const { message } = answer
    context.answer(answer, () =>
      oneLine(`${message.id} ${message.status}: ${message.kind} to ${message.to}`).concat('\n'),
    )
  },
})
