import { defineCommand } from '../command'
import { eventFields, eventText } from '../views/event-views'

export const command = defineCommand({
  summary: 'Show one event, and with --json its line as it stands in the journal',
  args: [
    { name: 'SESSION', help: "the session's id, or a unique beginning of it" },
    { name: 'ID', help: "the event's id" },
  ],
  examples: [
    {
      line: 'lode event show 3f2a9c1e 0b0c7f7e-6c1a-4a53-9a51-1f7f6f1d2c3b --json',
      does: 'the event and the very line that it was made from, as {event, line}',
    },
  ],
  async run(context, { args: [session = '', id = ''] }) {
    const client = await context.client()
    const detail = await client.sessions.event(session, id)
    context.answer(detail, () => eventFields(detail.event) + eventText(detail.event))
  },
})
