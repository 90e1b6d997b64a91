import { defineCommand } from '../command'
import { messageView } from '../views/message-views'

export const command = defineCommand({
  summary: 'Show a message with the steps of its way',
  args: [{ name: 'ID', help: "the message's id, or a unique beginning of it" }],
  examples: [
    {
      line: 'lode message show 3f2a4c1e-0b5d-8c6a-9e7f-1a2b3c4d5e6f',
      does: 'each route that it took, with the evidence',
    },
  ],
  async run(context, { args: [id = ''] }) {
    const answer = await (await context.client()).messages.get(id)
    context.answer(answer, () => messageView(answer.message, answer.steps))
  },
})
