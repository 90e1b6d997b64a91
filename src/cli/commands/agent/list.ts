import { defineCommand } from '../../kit/command'
import { agentFileTable, agentTable } from '../../views/task/agent-views'
import { section } from '../../views/task/task-views'

export const command = defineCommand({
  summary: 'List agents with capabilities and current tasks, and agents defined by project files',
  options: { online: { kind: 'flag', help: 'only agents that are online' } },
  examples: [
    { line: 'lode agent list', does: 'every registered agent' },
    { line: 'lode agent list --online', does: 'only agents that are online' },
  ],
  async run(context, { options }) {
    const { client, isRemote } = await context.connection()
    const place = isRemote || options.online ? {} : { dir: context.io.cwd }
    const answer = await client.agents.list(place, { signal: context.signal })
    const agents = answer.agents.filter(({ status }) => !options.online || status === 'online')
    const { files } = answer
    const view = { now: context.io.now(), columns: context.io.columns }
    context.answer(
      { agents, files },
      () => agentTable(agents, view) + section('defined by files of this project', agentFileTable(files, view)),
    )
    if (!context.globals.isJson && agents.length + files.length === 0)
      context.note("no agents found. 'lode up' includes a worker; 'lode work' starts another one.")
  },
})
