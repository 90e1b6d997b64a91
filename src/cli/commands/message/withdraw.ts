import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Withdraw a message that nobody has received yet',
  args: [{ name: 'ID', help: "the message's ID, or a unique prefix of it", complete: 'message' }],
  examples: [
    { line: 'lode message withdraw 3f2a4c1e-0b5d-8c6a-9e7f-1a2b3c4d5e6f', does: 'the message is no longer offered' },
  ],
  async run(context, { args: [id = ''] }) {
    const answer = await (await context.client()).messages.withdraw(id)
    context.answer(answer, () => oneLine(`${answer.message.id} ${answer.message.status}`).concat('\n'))
  },
})
