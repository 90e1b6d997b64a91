import { defineCommand } from '../../kit/command'
import { answerTask, noteWithoutServer, REASON_OPTION, TASK_ARG } from '../../tasks/task-move'

export const command = defineCommand({
  summary: 'Release a task so that any worker may take it',
  details: 'Removes the assignment to an agent, and ends a live attempt without an outcome.',
  args: [TASK_ARG],
  options: REASON_OPTION,
  examples: [{ line: 'lode task release t-7f3k9q2m', does: 'use if the assigned worker does not come back' }],
  async run(context, { args: [id = ''], options }) {
    const { client, url } = await context.connection()
    answerTask(context, await client.tasks.release(id, { reason: options.reason }))
    noteWithoutServer(context, url)
  },
})
