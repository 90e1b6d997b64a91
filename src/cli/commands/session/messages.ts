import { listRows, PAGING } from '../../kit/arguments/paging'
import { defineCommand } from '../../kit/command'
import { plural } from '../../print/measures'
import { oneLine } from '../../print/text'
import { followMessages, isOpen, messageBlock } from '../../tasks/follow-messages'

export const command = defineCommand({
  summary: "Show the messages sent to a session's address, oldest first",
  args: [{ name: 'ID', help: 'any ID of the session, or a task or agent', complete: 'session' }],
  options: {
    after: {
      kind: 'number',
      value: 'SEQ',
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      help: 'only messages after this position',
    },
    ack: { kind: 'flag', help: 'acknowledge the shown messages, so that nobody else receives them' },
    follow: { kind: 'flag', short: 'f', help: 'wait for new messages until Ctrl-C; needs a server' },
    ...PAGING,
  },
  examples: [
    { line: 'lode session messages 3f2a9c1e', does: 'results, questions and other messages with their status' },
    { line: 'lode session messages 3f2a9c1e --ack', does: 'show the messages and acknowledge them' },
  ],
  async run(context, { args: [id = ''], options }) {
    const client = await context.client()
    const { after, ack, follow } = options
    const { rows: messages, nextCursor } = await listRows(options, async ({ limit, cursor }) => {
      const page = await client.messages.at(id, { limit, cursor, ...(after !== undefined && { after }) })
      return { rows: page.messages, nextCursor: page.nextCursor }
    })
    context.answer({ messages, nextCursor }, () =>
      messages.map((message) => messageBlock(message, context.io.now())).join('\n'),
    )
    const open = messages.filter(isOpen)
    if (ack && open.length > 0) {
      const done = await client.messages.acknowledge(id, { ids: open.map((message) => message.id) })
      context.note(`${plural(done.messages.length, 'message')} acknowledged`)
    }
    if (messages.length === 0) context.note('no messages.')
    if (nextCursor !== null) context.note(`there are more; use --all, or --cursor ${oneLine(nextCursor)}`)
    else if (follow) await followMessages(context, id, messages.at(-1)?.seq ?? after ?? 0, ack)
  },
})
