import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { SUBAGENT_SESSION } from '../../sessions/subagent-session'

export const command = defineCommand({
  summary: "Mark a sub-agent's result as read, so that it is no longer offered",
  args: [{ name: 'ID', help: 'its ID, or a unique prefix of at least 4 characters', complete: 'subagent' }],
  options: {
    run: {
      kind: 'number',
      value: 'N',
      min: 1,
      max: 1_000_000,
      help: 'the Nth run of a continued sub-agent (default: the newest)',
    },
    session: SUBAGENT_SESSION,
  },
  examples: [{ line: 'lode subagent mark-read a1b2c3d', does: 'sessions are no longer reminded of its result' }],
  async run(context, { args: [id = ''], options: { run, session } }) {
    const client = await context.client()
    const read = await client.subagents.markRead(id, {
      ...(run !== undefined && { run }),
      ...(session !== undefined && { sessionId: session }),
    })
    context.answer(
      read,
      () => `${oneLine(read.id)} ${read.isNew ? 'is marked as read' : 'was already marked as read'}\n`,
    )
  },
})
