import { defineCommand } from '../command'
import { inboxView } from '../views/inbox-views'

export const command = defineCommand({
  summary: 'Show a request from outside with its tasks and replies',
  args: [{ name: 'ID', help: "the request's id, or a unique beginning of it" }],
  examples: [{ line: 'lode inbox show i-7f3k9q2m', does: 'its whole text, and what came of it' }],
  async run(context, { args: [id = ''] }) {
    const answer = await (await context.client()).inbox.get(id)
    context.answer(answer, () => inboxView(answer.message))
  },
})
