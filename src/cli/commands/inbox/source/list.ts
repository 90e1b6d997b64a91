import { defineCommand } from '../../../kit/command'
import { sourceTable } from '../../../views/inbox-views'

export const command = defineCommand({
  summary: 'List the sources that may send requests',
  examples: [{ line: 'lode inbox source list', does: 'each source with the agent to notify and its callback' }],
  async run(context) {
    const answer = await (await context.client()).inbox.sources()
    context.answer(answer, () => sourceTable(answer.sources, { now: context.io.now(), columns: context.io.columns }))
    if (!context.globals.isJson && answer.sources.length === 0)
      context.note("no sources. Add one with 'lode inbox source add NAME'.")
  },
})
