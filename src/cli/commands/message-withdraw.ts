import { defineCommand } from '../command'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: 'Take back a message that nobody got yet',
  args: [{ name: 'ID', help: "the message's id, or a unique beginning of it" }],
  examples: [{ line: 'lode message withdraw 3f2a4c1e-0b5d-8c6a-9e7f-1a2b3c4d5e6f', does: 'it is offered no more' }],
  async run(context, { args: [id = ''] }) {
    const answer = await (await context.client()).messages.withdraw(id)
    context.answer(answer, () => oneLine(`${answer.message.id} ${answer.message.status}`).concat('\n'))
  },
})
