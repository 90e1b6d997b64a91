import { defineCommand } from '../../kit/command'
import { block } from '../../print/text'
import { agentFields } from '../../views/task/agent-views'
import { section, taskTable } from '../../views/task/task-views'

export const command = defineCommand({
  summary: 'Show an agent with its tasks and instructions',
  args: [{ name: 'AGENT', help: "the agent's ID or name", complete: 'agent' }],
  examples: [{ line: 'lode agent show w1', does: 'the worker w1 and its tasks' }],
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
