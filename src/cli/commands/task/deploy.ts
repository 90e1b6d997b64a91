import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { noteAwayAgent, noteWithoutServer, TASK_ARG, taskLine } from '../../tasks/task-move'

export const command = defineCommand({
  summary: 'Make a task available to workers at once, or find its worker',
  details:
    "Makes a deferred, paused or waiting task available at once; a running task keeps running. The task's address stays the same.",
  args: [TASK_ARG],
  options: {},
  examples: [{ line: 'lode task deploy t-7f3k9q2m', does: 'print its worker and address' }],
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
