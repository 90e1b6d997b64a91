import { defineCommand } from '../command'
import { subagentFields } from '../views/session-views'

export const command = defineCommand({
  summary: 'Show one sub-agent or background task',
  args: [{ name: 'ID', help: 'its id, or a unique beginning of 4 characters or more' }],
  options: {
    session: {
      kind: 'text',
      short: 's',
      value: 'ID',
      help: 'its session, where several sessions have such a sub-agent',
    },
  },
  examples: [
    { line: 'lode subagent show a1b2c3d', does: 'what launched it, what it does, what came out' },
    { line: 'lode subagent show a1b2c3d --session 3f2a9c1e --json', does: 'the same as {subagent, runs}' },
  ],
  async run(context, { args: [id = ''], options }) {
    const client = await context.client()
    const detail = await client.subagents.get(id, { sessionId: options.session })
    context.answer(detail, () => subagentFields(detail.subagent, context.io.now(), detail.runs))
  },
})
