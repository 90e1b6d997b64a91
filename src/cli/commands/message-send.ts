import { sessionId } from '../../domain/ids'
import { SENT_KINDS } from '../../domain/message'
import { surelyCalling } from '../calling-session'
import { defineCommand } from '../command'
import { taskText } from '../create-task'
import { usageError } from '../parse-args'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: 'Send a message to a task, session or agent',
  details: [
    'It waits at the address until the receiver can be reached, whatever happens to processes meanwhile, and comes once. Within a',
    "run it is from the run's task; within an agent's session from that session.",
  ].join('\n'),
  args: [
    {
      name: 'TO',
      help: "a task's, session's or agent's id, an agent's name, or parent; with --reply-to - stands for the sender",
    },
    { name: 'TEXT', help: 'what to say; - reads it from stdin' },
  ],
  options: {
    kind: { kind: 'text', value: 'KIND', choices: SENT_KINDS, help: `${SENT_KINDS.join(', ')} (default message)` },
    'reply-to': { kind: 'text', value: 'MESSAGE', help: 'the message that this one answers' },
    'wants-reply': { kind: 'flag', help: 'ask for an answer' },
    key: { kind: 'text', value: 'TEXT', help: 'the same key sends the same message only once' },
  },
  examples: [
    { line: "lode message send t-7f3k9q2m 'Use the new API'", does: 'told to whoever runs that task' },
    {
      line: "lode message send - 'allow' --reply-to 3f2a4c1e-0b5d-8c6a-9e7f-1a2b3c4d5e6f",
      does: 'answers the sender of that message',
    },
  ],
  async run(context, { args: [to = '', text = ''], options }) {
    const replyTo = options['reply-to']
    if (to === '-' && replyTo === undefined) throw usageError(context.path)('TO is - only with --reply-to.')
    const words = await taskText(context, text)
    const client = await context.client()
    // Who sends from a run is told by its token.
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
