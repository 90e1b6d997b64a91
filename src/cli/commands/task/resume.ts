import { defineCommand } from '../../kit/command'
import { answerTask, noteAwayAgent, noteWithoutServer, TASK_ARG } from '../../tasks/task-move'

export const command = defineCommand({
  summary: 'Resume a paused task in the same conversation',
  args: [TASK_ARG],
  examples: [{ line: 'lode task resume t-7f3k9q2m', does: 'let a worker continue the task' }],
  async run(context, { args: [id = ''] }) {
    const { client, url } = await context.connection()
    const moved = await client.tasks.resume(id)
    answerTask(context, moved)
    noteWithoutServer(context, url)
    if (url !== null) await noteAwayAgent(context, client, moved)
  },
})
