import { defineCommand } from '../command'
import { agentTable } from '../views/agent-views'

export const command = defineCommand({
  summary: 'List workers and leads with what they can do and what they run',
  options: { online: { kind: 'flag', help: 'only those that are there now' } },
  examples: [
    { line: 'lode agent list', does: 'every agent that ever joined' },
    { line: 'lode agent list --online', does: 'those that are there now' },
  ],
  async run(context, { options }) {
    const client = await context.client()
    const answer = await client.agents.list({ signal: context.signal })
    const agents = answer.agents.filter(({ status }) => !options.online || status === 'online')
    context.answer({ agents }, () => agentTable(agents, { now: context.io.now(), columns: context.io.columns }))
    if (!context.globals.isJson && agents.length === 0)
      context.note("no agents. 'lode up' includes a worker; 'lode work' starts another.")
  },
})
