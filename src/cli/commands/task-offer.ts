import { defineCommand } from '../command'
import { parseSpan } from '../moments'
import { answerTask, TASK_ARG } from '../task-move'

export const command = defineCommand({
  summary: 'Offer a task to an agent, which may accept or reject it',
  args: [TASK_ARG, { name: 'AGENT', help: "the agent's id or name" }],
  options: { expires: { kind: 'text', value: 'SPAN', help: 'the offer ends after this (default 30m)' } },
  examples: [{ line: 'lode task offer t-7f3k9q2m w1 --expires 5m', does: 'nobody else gets it until the offer ends' }],
  async run(context, { args: [id = '', agentId = ''], options }) {
    const client = await context.client()
    const expiresInMs = options.expires === undefined ? undefined : parseSpan('--expires', options.expires)
    answerTask(context, await client.tasks.offer(id, { agentId, expiresInMs }))
  },
})
