import { defineCommand } from '../command'
import { SUBAGENT_SESSION } from '../subagent-session'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: 'Mark the result of a sub-agent as read, so that it is offered no more',
  args: [{ name: 'ID', help: 'its id, or a unique beginning of 4 characters or more' }],
  options: {
    run: {
      kind: 'number',
      value: 'N',
      min: 1,
      max: 1_000_000,
      help: 'its Nth run, where it was continued (default: the newest)',
    },
    session: SUBAGENT_SESSION,
  },
  examples: [{ line: 'lode subagent mark-read a1b2c3d', does: 'no session is told of its result again' }],
  async run(context, { args: [id = ''], options: { run, session } }) {
    const client = await context.client()
    const read = await client.subagents.markRead(id, {
      ...(run !== undefined && { run }),
      ...(session !== undefined && { sessionId: session }),
    })
    context.answer(read, () => `${oneLine(read.id)} ${read.isNew ? 'is marked as read' : 'was read already'}\n`)
  },
})
