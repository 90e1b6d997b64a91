import { defineCommand } from '../command'
import { agentFields } from '../views/agent-views'
import { section, taskTable } from '../views/task-views'

export const command = defineCommand({
  summary: 'Show a worker or lead with the tasks that it has',
  args: [{ name: 'AGENT', help: "the agent's id or name" }],
  examples: [{ line: 'lode agent show w1', does: 'the worker w1 and what it runs' }],
  async run(context, { args: [id = ''] }) {
    const client = await context.client()
    const detail = await client.agents.get(id)
    context.answer(detail, () => {
      const view = { now: context.io.now(), columns: context.io.columns }
      return agentFields(detail.agent, view.now) + section('tasks', taskTable(detail.tasks, view))
    })
  },
})
