import { defineCommand } from '../command'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: 'Say that nothing more is to be done about a request',
  args: [{ name: 'ID', help: "the request's id, or a unique beginning of it" }],
  examples: [{ line: 'lode inbox close i-7f3k9q2m', does: 'leads are not told of it again' }],
  async run(context, { args: [id = ''] }) {
    const answer = await (await context.client()).inbox.close(id)
    context.answer(answer, () => oneLine(`${answer.message.id} ${answer.message.status}`).concat('\n'))
  },
})
