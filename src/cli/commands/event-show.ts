import { defineCommand } from '../command'
import { contentView } from '../views/content-view'
import { eventFields } from '../views/event-views'

export const command = defineCommand({
  summary: 'Show one event and all that its line holds, with --json the line itself as well',
  args: [
    { name: 'SESSION', help: "the session's id, or a unique beginning of it" },
    { name: 'ID', help: "the event's id, or a unique beginning of it" },
  ],
  examples: [
    {
      line: 'lode event show 3f2a9c1e 0b0c7f7e-6c1a-4a53-9a51-1f7f6f1d2c3b',
      does: 'texts, calls with their whole input, answers and changes to files',
    },
    {
      line: 'lode event show 3f2a9c1e 0b0c7f7e-6c1a-4a53-9a51-1f7f6f1d2c3b --json',
      does: 'the event, the very line that it was made from, and its parts, as {event, line, content}',
    },
  ],
  async run(context, { args: [session = '', id = ''] }) {
    const client = await context.client()
    const [detail, { blocks, isCut }] = await Promise.all([
      client.sessions.event(session, id),
      client.sessions.content(session, id),
    ])
    context.answer(
      { ...detail, content: { blocks, isCut } },
      () => eventFields(detail.event) + contentView({ blocks, isCut }),
    )
  },
})
