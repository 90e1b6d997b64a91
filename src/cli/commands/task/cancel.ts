import { defineCommand } from '../../kit/command'
import { answerTask, REASON_OPTION, TASK_ARG } from '../../tasks/task-move'

export const command = defineCommand({
  summary: 'Cancel a task and stop its run',
  args: [TASK_ARG],
  options: REASON_OPTION,
  examples: [
    { line: 'lode task cancel t-7f3k9q2m', does: 'cancel it and stop every process of its run' },
    { line: "lode task cancel t-7f3k --reason 'done by hand'", does: 'cancel it and record why' },
  ],
  async run(context, { args: [id = ''], options }) {
    const { client } = await context.connection()
    answerTask(context, await client.tasks.cancel(id, { reason: options.reason }))
  },
})
