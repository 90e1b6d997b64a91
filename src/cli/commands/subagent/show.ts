import { defineCommand } from '../../kit/command'
import { subagentFields } from '../../views/session/session-views'

export const command = defineCommand({
  summary: 'Show one sub-agent, background shell or monitor',
  args: [{ name: 'ID', help: 'its ID, or a unique prefix of at least 4 characters', complete: 'subagent' }],
  options: {
    session: {
      kind: 'text',
      short: 's',
      value: 'ID',
      help: 'its session, if several sessions have a sub-agent with this ID',
    },
  },
  examples: [
    { line: 'lode subagent show a1b2c3d', does: 'its launch, activity and result' },
    { line: 'lode subagent show a1b2c3d --session 3f2a9c1e --json', does: 'print JSON: {subagent, runs}' },
  ],
  async run(context, { args: [id = ''], options }) {
    const client = await context.client()
    const detail = await client.subagents.get(id, { sessionId: options.session })
    context.answer(detail, () => subagentFields(detail.subagent, context.io.now(), detail.runs))
  },
})
