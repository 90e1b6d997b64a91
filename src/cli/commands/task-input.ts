import { defineCommand } from '../command'
import { TEXT_ARG, taskText } from '../create-task'
import { TASK_ARG } from '../task-move'

export const command = defineCommand({
  summary: 'Say something to the agent that works on a task',
  details: 'It is told after the tool call that runs now; with --now its turn is interrupted. An attempt must be live.',
  args: [TASK_ARG, { ...TEXT_ARG, help: 'what to say; - reads it from stdin' }],
  options: { now: { kind: 'flag', help: 'interrupt what it does' } },
  examples: [
    { line: "lode task input t-7f3k9q2m 'Use the other branch'", does: 'after the running tool call' },
    { line: "lode task input t-7f3k 'Stop, that is the wrong file' --now", does: 'at once' },
  ],
  async run(context, { args: [id = '', text = ''], options }) {
    const client = await context.client()
    const said = await client.tasks.input(id, {
      text: await taskText(context, text),
      urgency: options.now ? 'now' : 'next',
    })
    context.answer(said, () => `queued ${said.uuid}\n`)
  },
})
