import { defineCommand } from '../command'
import { answerTask, noteAwayAgent, noteWithoutServer, REASON_OPTION, TASK_ARG } from '../task-move'

export const command = defineCommand({
  summary: 'Try a failed or cancelled task again: same task, new attempt',
  details: 'Tasks that failed only because this one did wait for it again.',
  args: [TASK_ARG],
  options: REASON_OPTION,
  examples: [
    { line: 'lode task retry t-7f3k9q2m', does: 'goes on where it stopped, in the same conversation when it can' },
  ],
  async run(context, { args: [id = ''], options }) {
    const { client, url } = await context.connection()
    const moved = await client.tasks.retry(id, { reason: options.reason })
    answerTask(context, moved)
    noteWithoutServer(context, url)
    if (url !== null) await noteAwayAgent(context, client, moved)
  },
})
