import { defineCommand } from '../../kit/command'
import { quote, usageError } from '../../kit/parse-args'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: "Answer a run's question: allow or deny a tool call",
  args: [
    { name: 'ID', help: "the question's ID, or a unique prefix of it", complete: 'question' },
    { name: 'ANSWER', help: 'allow or deny', complete: ['allow', 'deny'] },
  ],
  options: { message: { kind: 'text', short: 'm', value: 'TEXT', help: 'a message for the agent' } },
  examples: [
    { line: 'lode question answer q-7f3k9q2m allow', does: 'allow the tool call' },
    {
      line: "lode question answer q-7f3k9q2m deny -m 'use npm ci'",
      does: 'deny the tool call and give the agent a reason',
    },
  ],
  async run(context, { args: [id = '', behavior = ''], options }) {
    if (behavior !== 'allow' && behavior !== 'deny')
      throw usageError(context.path)(`ANSWER must be allow or deny, not ${quote(behavior)}.`)
    const client = await context.client()
    const answered = await client.questions.answer(id, { behavior, message: options.message })
    const { question } = answered
    context.answer(
      answered,
      () => `${oneLine(`${question.id} ${question.status}: ${behavior} ${question.toolName}`)}\n`,
    )
  },
})
