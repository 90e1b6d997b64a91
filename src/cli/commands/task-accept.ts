import { defineCommand } from '../command'
import { answerTask, TASK_ARG } from '../task-move'

export const command = defineCommand({
  summary: 'Accept an offered task for the agent that it is offered to',
  args: [TASK_ARG],
  options: { agent: { kind: 'text', value: 'AGENT', help: 'the agent that accepts (default: whoever calls)' } },
  examples: [{ line: 'lode task accept t-7f3k9q2m', does: 'the agent may take it now' }],
  async run(context, { args: [id = ''], options }) {
    const { client } = await context.connection()
    answerTask(context, await client.tasks.accept(id, { agentId: options.agent }))
  },
})
