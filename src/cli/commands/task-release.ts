import { defineCommand } from '../command'
import { answerTask, noteWithoutServer, REASON_OPTION, TASK_ARG } from '../task-move'

export const command = defineCommand({
  summary: 'Give a task back, so that any worker may take it',
  details: 'Ends its assignment to an agent, and a live attempt without an outcome.',
  args: [TASK_ARG],
  options: REASON_OPTION,
  examples: [{ line: 'lode task release t-7f3k9q2m', does: 'when the worker that it waits for does not come back' }],
  async run(context, { args: [id = ''], options }) {
    const { client, url } = await context.connection()
    answerTask(context, await client.tasks.release(id, { reason: options.reason }))
    noteWithoutServer(context, url)
  },
})
