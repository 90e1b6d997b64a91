import { defineCommand } from '../command'
import { taskText } from '../create-task'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: 'Answer who sent a request',
  args: [
    { name: 'ID', help: "the request's id, or a unique beginning of it" },
    { name: 'TEXT', help: 'the answer; - reads it from stdin' },
  ],
  options: { close: { kind: 'flag', help: 'nothing more is to be done about it' } },
  examples: [{ line: "lode inbox reply i-7f3k9q2m 'It is fixed' --close", does: 'sent to its source, or kept for it' }],
  async run(context, { args: [id = '', text = ''], options }) {
    const words = await taskText(context, text)
    const client = await context.client()
    const answer = await client.inbox.reply(id, { text: words, close: options.close })
    context.answer(answer, () =>
      oneLine(`${answer.message.id} ${answer.message.status}: reply ${answer.replyId}`).concat('\n'),
    )
  },
})
