import { defineCommand } from '../command'
import { block } from '../text'
import { agentFields } from '../views/agent-views'
import { section, taskTable } from '../views/task-views'

export const command = defineCommand({
  summary: 'Show an agent with the tasks that it has and the instructions of its runs',
  args: [{ name: 'AGENT', help: "the agent's id or name" }],
  examples: [{ line: 'lode agent show w1', does: 'the worker w1 and what it runs' }],
  async run(context, { args: [id = ''] }) {
    const client = await context.client()
    const detail = await client.agents.get(id)
    context.answer(detail, () => {
      const view = { now: context.io.now(), columns: context.io.columns }
      const told = detail.instructions ? `\ninstructions:\n${block(detail.instructions)}\n` : ''
      return agentFields(detail.agent, view.now) + section('tasks', taskTable(detail.tasks, view)) + told
    })
  },
})
