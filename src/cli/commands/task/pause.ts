import { defineCommand } from '../../kit/command'
import { answerTask, REASON_OPTION, TASK_ARG } from '../../tasks/task-move'

export const command = defineCommand({
  summary: 'Pause a task; its conversation can continue later',
  args: [TASK_ARG],
  options: REASON_OPTION,
  examples: [{ line: 'lode task pause t-7f3k9q2m', does: "stop its run cleanly; 'lode task resume' continues it" }],
  async run(context, { args: [id = ''], options }) {
    const { client } = await context.connection()
    answerTask(context, await client.tasks.pause(id, { reason: options.reason }))
  },
})
