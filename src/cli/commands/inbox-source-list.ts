import { defineCommand } from '../command'
import { sourceTable } from '../views/inbox-views'

export const command = defineCommand({
  summary: 'List who may send requests',
  examples: [{ line: 'lode inbox source list', does: 'their names, who is told, and where replies go' }],
  async run(context) {
    const answer = await (await context.client()).inbox.sources()
    context.answer(answer, () => sourceTable(answer.sources, { now: context.io.now(), columns: context.io.columns }))
    if (!context.globals.isJson && answer.sources.length === 0)
      context.note("nobody may. Let somebody with 'lode inbox source add NAME'.")
  },
})
