import { defineCommand } from '../../kit/command'
import { messageView } from '../../views/message-views'

export const command = defineCommand({
  summary: 'Show a message with its delivery steps',
  args: [{ name: 'ID', help: "the message's ID, or a unique prefix of it", complete: 'message' }],
  examples: [
    {
      line: 'lode message show 3f2a4c1e-0b5d-8c6a-9e7f-1a2b3c4d5e6f',
      does: 'each delivery route with its evidence',
    },
  ],
  async run(context, { args: [id = ''] }) {
    const answer = await (await context.client()).messages.get(id)
    context.answer(answer, () => messageView(answer.message, answer.steps, answer.waits))
  },
})
