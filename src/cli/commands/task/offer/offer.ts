import { defineCommand } from '../../../kit/command'
import { parseSpan } from '../../../print/moments'
import { answerTask, TASK_ARG } from '../../../tasks/task-move'

export const command = defineCommand({
  summary: 'Offer a task to an agent, which may accept or reject it',
  args: [TASK_ARG, { name: 'AGENT', help: "the agent's ID or name", complete: 'agent' }],
  options: { expires: { kind: 'text', value: 'SPAN', help: 'how long the offer is valid (default 30m)' } },
  examples: [
    { line: 'lode task offer t-7f3k9q2m w1 --expires 5m', does: 'reserve the task for w1 until the offer expires' },
  ],
  async run(context, { args: [id = '', agentId = ''], options }) {
    const client = await context.client()
    const expiresInMs = options.expires === undefined ? undefined : parseSpan('--expires', options.expires)
    answerTask(context, await client.tasks.offer(id, { agentId, expiresInMs }))
  },
})
