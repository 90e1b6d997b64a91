import { defineCommand } from '../../kit/command'
import { answerTask, noteAwayAgent, noteWithoutServer, REASON_OPTION, TASK_ARG } from '../../tasks/task-move'

export const command = defineCommand({
  summary: 'Retry a failed or cancelled task with a new attempt',
  details: 'Tasks that failed only because of this one wait for it again.',
  args: [TASK_ARG],
  options: REASON_OPTION,
  examples: [
    { line: 'lode task retry t-7f3k9q2m', does: 'continue where it stopped, in the same conversation if possible' },
  ],
  async run(context, { args: [id = ''], options }) {
    const { client, url } = await context.connection()
    const moved = await client.tasks.retry(id, { reason: options.reason })
    answerTask(context, moved)
    noteWithoutServer(context, url)
    if (url !== null) await noteAwayAgent(context, client, moved)
  },
})
