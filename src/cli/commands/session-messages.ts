import { defineCommand } from '../command'
import { followMessages, isOpen, messageBlock } from '../follow-messages'
import { plural } from '../measures'
import { oneLine } from '../text'
import { listRows, PAGING } from './paging'

export const command = defineCommand({
  summary: "Show what came to a session's address, oldest first",
  args: [{ name: 'ID', help: 'any id of the session; a task or agent is an address as well' }],
  options: {
    after: {
      kind: 'number',
      value: 'SEQ',
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
      help: 'only what came after this position',
    },
    ack: { kind: 'flag', help: 'acknowledge what is shown: it is offered to nobody else' },
    follow: { kind: 'flag', short: 'f', help: 'wait for more until Ctrl-C; needs a server' },
    ...PAGING,
  },
  examples: [
    { line: 'lode session messages 3f2a9c1e', does: 'results, questions and the like, with where each of them is' },
    { line: 'lode session messages 3f2a9c1e --ack', does: 'the same, and say that they have arrived' },
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
      const done = await client.messages.acknowledge(
        id,
        open.map((message) => message.id),
      )
      context.note(`${plural(done.messages.length, 'message')} acknowledged`)
    }
    if (messages.length === 0) context.note('no messages.')
    if (nextCursor !== null) context.note(`there are more: --all, or --cursor ${oneLine(nextCursor)}`)
    else if (follow) await followMessages(context, id, messages.at(-1)?.seq ?? after ?? 0, ack)
  },
})
