import { defineCommand } from '../command'
import { quote, usageError } from '../parse-args'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: 'Answer what a run asks: allow or deny a tool call',
  args: [
    { name: 'ID', help: "the question's id, or a unique beginning of it" },
    { name: 'ANSWER', help: 'allow or deny', complete: ['allow', 'deny'] },
  ],
  options: { message: { kind: 'text', short: 'm', value: 'TEXT', help: 'what the agent is told with it' } },
  examples: [
    { line: 'lode question answer q-7f3k9q2m allow', does: 'the call goes on' },
    { line: "lode question answer q-7f3k9q2m deny -m 'use npm ci'", does: 'it does not, and the agent is told why' },
  ],
  async run(context, { args: [id = '', behavior = ''], options }) {
    if (behavior !== 'allow' && behavior !== 'deny')
      throw usageError(context.path)(`ANSWER is allow or deny, not ${quote(behavior)}.`)
    const client = await context.client()
    const answered = await client.questions.answer(id, { behavior, message: options.message })
    const { question } = answered
    context.answer(
      answered,
      () => `${oneLine(`${question.id} ${question.status}: ${behavior} ${question.toolName}`)}\n`,
    )
  },
})
