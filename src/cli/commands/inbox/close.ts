import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Close a request: no further action is needed',
  args: [{ name: 'ID', help: "the request's ID, or a unique prefix of it", complete: 'request' }],
  examples: [{ line: 'lode inbox close i-7f3k9q2m', does: 'close the request; leads are no longer notified of it' }],
  async run(context, { args: [id = ''] }) {
    const answer = await (await context.client()).inbox.close(id)
    context.answer(answer, () => oneLine(`${answer.message.id} ${answer.message.status}`).concat('\n'))
  },
})
