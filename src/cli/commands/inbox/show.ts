import { defineCommand } from '../../kit/command'
import { inboxView } from '../../views/inbox-views'

export const command = defineCommand({
  summary: 'Show an external request with its tasks and replies',
  args: [{ name: 'ID', help: "the request's ID, or a unique prefix of it", complete: 'request' }],
  examples: [{ line: 'lode inbox show i-7f3k9q2m', does: 'the full text, tasks and replies' }],
  async run(context, { args: [id = ''] }) {
    const answer = await (await context.client()).inbox.get(id)
    context.answer(answer, () => inboxView(answer.message))
  },
})
