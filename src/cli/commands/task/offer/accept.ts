import { defineCommand } from '../../../kit/command'
import { answerTask, TASK_ARG } from '../../../tasks/task-move'

export const command = defineCommand({
  summary: 'Accept an offered task',
  args: [TASK_ARG],
  options: {
    agent: { kind: 'text', value: 'AGENT', complete: 'agent', help: 'the agent that accepts (default: the caller)' },
  },
  examples: [{ line: 'lode task accept t-7f3k9q2m', does: 'the agent may now take the task' }],
  async run(context, { args: [id = ''], options }) {
    const { client } = await context.connection()
    answerTask(context, await client.tasks.accept(id, { agentId: options.agent }))
  },
})
