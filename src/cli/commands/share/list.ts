import { defineCommand } from '../../kit/command'
import { shareTable } from '../../views/token-views'

export const command = defineCommand({
  summary: 'List the links that show a session, newest first',
  examples: [{ line: 'lode share list', does: 'each link with its session, turns, last use and state' }],
  async run(context) {
    const answer = await (await context.client()).shares.list()
    context.answer(answer, () => shareTable(answer.shares, { now: context.io.now(), columns: context.io.columns }))
    if (!context.globals.isJson && answer.shares.length === 0)
      context.note("no links. Make one with 'lode share create SESSION'.")
  },
})
