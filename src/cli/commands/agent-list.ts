import { defineCommand } from '../command'
import { agentFileTable, agentTable } from '../views/agent-views'
import { section } from '../views/task-views'

export const command = defineCommand({
  summary: 'List agents with what they can do and what they run, and those that files here describe',
  options: { online: { kind: 'flag', help: 'only those that are there now' } },
  examples: [
    { line: 'lode agent list', does: 'every agent that ever joined' },
    { line: 'lode agent list --online', does: 'those that are there now' },
  ],
  async run(context, { options }) {
    const { client, isRemote } = await context.connection()
    const place = isRemote || options.online ? {} : { dir: context.io.cwd }
    const answer = await client.agents.list({ ...place, signal: context.signal })
    const agents = answer.agents.filter(({ status }) => !options.online || status === 'online')
    const { files } = answer
    const view = { now: context.io.now(), columns: context.io.columns }
    context.answer(
      { agents, files },
      () => agentTable(agents, view) + section('described by files of this project', agentFileTable(files, view)),
    )
    if (!context.globals.isJson && agents.length + files.length === 0)
      context.note("no agents. 'lode up' includes a worker; 'lode work' starts another.")
  },
})
