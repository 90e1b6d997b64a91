import { defineCommand } from '../../kit/command'
import { planView } from '../../views/task/plan-views'

export const command = defineCommand({
  summary: 'Show a plan with its tasks and their progress',
  args: [{ name: 'PLAN', help: "the plan's ID, or a unique prefix of it" }],
  examples: [{ line: 'lode plan show p-7f3k9q2m', does: 'each task by key, with the tasks it waits for' }],
  async run(context, { args: [id = ''] }) {
    const found = await (await context.client()).plans.get(id)
    context.answer(found, () => planView(found, { now: context.io.now(), columns: context.io.columns }))
  },
})
