import type { Client } from '../../../api/client/client'
import { AppError } from '../../../domain/errors'
import { quote, usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import type { Context } from '../../kit/context'
import { oneLine } from '../../print/text'

const ANSWERS = ['allow', 'deny', 'always'] as const
const isAnswer = (word: string): word is (typeof ANSWERS)[number] => ANSWERS.some((answer) => answer === word)

export const command = defineCommand({
  summary: "Answer a run's question: allow or deny a tool call",
  details:
    "'always' adds a rule to worker.allow on the server's machine: the widest that the question offers. It prints the rule.",
  args: [
    { name: 'ID', help: "the question's ID, or a unique prefix of it", complete: 'question' },
    { name: 'ANSWER', help: 'allow, deny, or always: allow, and add a rule for such calls', complete: ANSWERS },
  ],
  options: { message: { kind: 'text', short: 'm', value: 'TEXT', help: 'a message for the agent' } },
  examples: [
    { line: 'lode question answer q-7f3k9q2m allow', does: 'allow the tool call' },
    { line: 'lode question answer q-7f3k9q2m always', does: 'allow it and such calls from now on' },
    {
      line: "lode question answer q-7f3k9q2m deny -m 'use npm ci'",
      does: 'deny the tool call and give the agent a reason',
    },
  ],
  async run(context, { args: [id = '', behavior = ''], options }) {
    if (!isAnswer(behavior))
      throw usageError(context.path)(`ANSWER must be allow, deny or always, not ${quote(behavior)}.`)
    const client = await context.client()
    if (behavior === 'always') return await allowAlways(context, client, id, options.message)
    const answered = await client.questions.answer(id, { behavior, message: options.message })
    const { question } = answered
    context.answer(
      answered,
      () => `${oneLine(`${question.id} ${question.status}: ${behavior} ${question.toolName}`)}\n`,
    )
  },
})

/** Open questions that are looked through: there are as many as runs that wait. */
const MOST_OPEN = 500

async function allowAlways(
  context: Context,
  client: Client,
  id: string,
  message: string | undefined,
): Promise<undefined> {
  if (message !== undefined) throw usageError(context.path)('Use --message with allow or deny.')
  const { questions } = await client.questions.list({ status: 'open', limit: MOST_OPEN })
  const [found, ...others] = questions.filter((question) => question.id.startsWith(id))
  if (found === undefined || others.length > 0)
    throw new AppError(
      'not_found',
      `${found === undefined ? 'No open question' : 'More than one open question'} begins with ${quote(id)}.`,
      {
        hint: "Run 'lode question list' to see the open questions.",
      },
    )
  const rule = found.alwaysRules.at(-1)
  if (rule === undefined)
    throw new AppError('invalid', 'No rule can stand for this call alone.', { hint: "Answer it with 'allow'." })
  const { question } = await client.questions.alwaysAllow(found.id, { rule })
  context.answer(
    { question },
    () => `${oneLine(`${found.id} answered: allow ${found.toolName}, always by the rule ${rule}`)}\n`,
  )
  return undefined
}
