import { defineCommand } from '../command'
import { planView } from '../views/plan-views'

export const command = defineCommand({
  summary: 'Show a plan with its tasks and how far they are',
  args: [{ name: 'PLAN', help: "the plan's id, or a unique beginning of it" }],
  examples: [{ line: 'lode plan show p-7f3k9q2m', does: 'each task by its key, with what it waits for' }],
  async run(context, { args: [id = ''] }) {
    const found = await (await context.client()).plans.get(id)
    context.answer(found, () => planView(found, { now: context.io.now(), columns: context.io.columns }))
  },
})
