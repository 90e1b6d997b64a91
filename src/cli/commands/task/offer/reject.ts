import { defineCommand } from '../../../kit/command'
import { answerTask, REASON_OPTION, TASK_ARG } from '../../../tasks/task-move'

export const command = defineCommand({
  summary: 'Reject an offered task; the agent is not offered it again',
  args: [TASK_ARG],
  options: {
    agent: { kind: 'text', value: 'AGENT', complete: 'agent', help: 'the agent that rejects (default: the caller)' },
    ...REASON_OPTION,
  },
  examples: [
    { line: "lode task reject t-7f3k9q2m --agent w1 --reason 'no GPU'", does: 'return the task to the queue' },
  ],
  async run(context, { args: [id = ''], options }) {
    const { client } = await context.connection()
    answerTask(context, await client.tasks.reject(id, { agentId: options.agent, reason: options.reason }))
  },
})
