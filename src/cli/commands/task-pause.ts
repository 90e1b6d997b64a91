import { defineCommand } from '../command'
import { answerTask, REASON_OPTION, TASK_ARG } from '../task-move'

export const command = defineCommand({
  summary: 'Stop a task so that its conversation can go on later',
  args: [TASK_ARG],
  options: REASON_OPTION,
  examples: [{ line: 'lode task pause t-7f3k9q2m', does: "its run is ended in order; 'lode task resume' goes on" }],
  async run(context, { args: [id = ''], options }) {
    const { client } = await context.connection()
    answerTask(context, await client.tasks.pause(id, { reason: options.reason }))
  },
})
