import { defineCommand } from '../../kit/command'
import { contentView } from '../../views/session/content-view'
import { eventFields } from '../../views/session/event-views'

export const command = defineCommand({
  summary: 'Show one event and the content of its transcript line',
  args: [
    { name: 'SESSION', help: "the session's ID, or a unique prefix of it", complete: 'session' },
    { name: 'ID', help: "the event's ID, or a unique prefix of it" },
  ],
  examples: [
    {
      line: 'lode event show 3f2a9c1e 0b0c7f7e-6c1a-4a53-9a51-1f7f6f1d2c3b',
      does: 'texts, complete tool inputs, results and file changes',
    },
    {
      line: 'lode event show 3f2a9c1e 0b0c7f7e-6c1a-4a53-9a51-1f7f6f1d2c3b --json',
      does: 'print JSON with the original line: {event, line, content}',
    },
  ],
  options: {
    reveal: { kind: 'flag', help: 'show secrets as they are; only for an operator, and written to the audit log' },
  },
  async run(context, { args: [session = '', id = ''], options }) {
    const reveal = options.reveal ? { reveal: true } : {}
    const client = await context.client()
    const [detail, { blocks, isCut }] = await Promise.all([
      client.sessions.event(session, id, reveal),
      client.sessions.content(session, id, reveal),
    ])
    context.answer(
      { ...detail, content: { blocks, isCut } },
      () => eventFields(detail.event) + contentView({ blocks, isCut }),
      { isExact: true },
    )
  },
})
