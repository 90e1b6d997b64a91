import { defineCommand } from '../command'
import { noteAwayAgent, noteWithoutServer, TASK_ARG, taskLine } from '../task-move'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: "Start a task's worker, or find it again",
  details:
    'A task that is put off, paused or waits for others is to be had at once; one at work stays so. It is reached where it was.',
  args: [TASK_ARG],
  options: {},
  examples: [{ line: 'lode task deploy t-7f3k9q2m', does: 'says which worker has it, and where it is reached' }],
  async run(context, { args: [id = ''] }) {
    const { client, url } = await context.connection()
    const deployed = await client.tasks.deploy(id)
    const { task, address, attempt } = deployed
    const at = attempt === null ? 'no worker yet' : `worker ${attempt.agentName}, ${attempt.id}`
    context.answer(deployed, () => `${taskLine(task)}\n${oneLine(`address ${address}: ${at}`)}\n`)
    noteWithoutServer(context, url)
    if (url !== null) await noteAwayAgent(context, client, { task })
  },
})
