import { defineCommand } from '../../kit/command'
import { tokenTable } from '../../views/token-views'

export const command = defineCommand({
  summary: 'List the tokens of people and programs, newest first',
  examples: [{ line: 'lode token list', does: 'each token with its owner, last use and state' }],
  async run(context) {
    const answer = await (await context.client()).tokens.list()
    context.answer(answer, () => tokenTable(answer.tokens, { now: context.io.now(), columns: context.io.columns }))
    if (!context.globals.isJson && answer.tokens.length === 0)
      context.note("no tokens. Create one with 'lode token create --role viewer --name NAME'.")
  },
})
