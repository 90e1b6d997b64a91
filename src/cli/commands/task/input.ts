import { defineCommand } from '../../kit/command'
import { TEXT_ARG, taskText } from '../../tasks/create-task'
import { TASK_ARG } from '../../tasks/task-move'

export const command = defineCommand({
  summary: 'Send input to the agent that runs a task',
  details:
    'The agent receives the text after its current tool call; --now interrupts its turn. The task must have a live attempt.',
  args: [TASK_ARG, { ...TEXT_ARG, help: 'the text to send; - reads it from stdin' }],
  options: { now: { kind: 'flag', help: 'interrupt the current turn' } },
  examples: [
    { line: "lode task input t-7f3k9q2m 'Use the other branch'", does: 'send it after the current tool call' },
    {
      line: "lode task input t-7f3k 'Stop, that is the wrong file' --now",
      does: 'interrupt the turn and send it at once',
    },
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
