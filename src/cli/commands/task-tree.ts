import { defineCommand } from '../command'
import { withTreeCosts } from '../task-costs'
import { TASK_ARG } from '../task-move'
import { taskTree } from '../views/task-tree'

export const command = defineCommand({
  summary: 'Show a task with everything below it as a tree',
  args: [TASK_ARG],
  examples: [{ line: 'lode task tree t-7f3k9q2m', does: 'the task, its children, theirs ...' }],
  async run(context, { args: [id = ''] }) {
    const client = await context.client()
    const found = await client.tasks.tree(id)
    const answer = { ...found, tree: await withTreeCosts(client, found.tree) }
    context.answer(answer, () => taskTree(answer.tree, { now: context.io.now(), columns: context.io.columns }))
    if (answer.isCut) context.note('there are more than 10,000 tasks below it; the rest is left out.')
  },
})
