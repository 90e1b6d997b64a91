import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { taskText } from '../../tasks/create-task'

export const command = defineCommand({
  summary: 'Reply to the sender of a request',
  args: [
    { name: 'ID', help: "the request's ID, or a unique prefix of it", complete: 'request' },
    { name: 'TEXT', help: 'the reply; - reads it from stdin' },
  ],
  options: { close: { kind: 'flag', help: 'also close the request' } },
  examples: [
    {
      line: "lode inbox reply i-7f3k9q2m 'It is fixed' --close",
      does: 'reply and close; the source receives or fetches the reply',
    },
  ],
  async run(context, { args: [id = '', text = ''], options }) {
    const words = await taskText(context, text)
    const client = await context.client()
    const answer = await client.inbox.reply(id, { text: words, close: options.close })
    context.answer(answer, () =>
      oneLine(`${answer.message.id} ${answer.message.status}: reply ${answer.replyId}`).concat('\n'),
    )
  },
})
