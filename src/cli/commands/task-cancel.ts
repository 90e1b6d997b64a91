import { defineCommand } from '../command'
import { answerTask, REASON_OPTION, TASK_ARG } from '../task-move'

export const command = defineCommand({
  summary: 'Cancel a task and end its run',
  args: [TASK_ARG],
  options: REASON_OPTION,
  examples: [
    { line: 'lode task cancel t-7f3k9q2m', does: 'ends it, and its run with every process of it' },
    { line: "lode task cancel t-7f3k --reason 'done by hand'", does: 'says why' },
  ],
  async run(context, { args: [id = ''], options }) {
    const { client } = await context.connection()
    answerTask(context, await client.tasks.cancel(id, { reason: options.reason }))
  },
})
