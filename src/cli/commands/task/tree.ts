import { defineCommand } from '../../kit/command'
import { withTreeCosts } from '../../tasks/task-costs'
import { TASK_ARG } from '../../tasks/task-move'
import { taskTree } from '../../views/task/task-tree'

export const command = defineCommand({
  summary: 'Show a task and its descendants as a tree',
  args: [TASK_ARG],
  examples: [{ line: 'lode task tree t-7f3k9q2m', does: 'the task, its children, their children and so on' }],
  async run(context, { args: [id = ''] }) {
    const client = await context.client()
    const found = await client.tasks.tree(id)
    const answer = { ...found, tree: await withTreeCosts(client, found.tree) }
    context.answer(answer, () => taskTree(answer.tree, { now: context.io.now(), columns: context.io.columns }))
    if (answer.isCut) context.note('the task has more than 10,000 descendants; the rest is left out.')
  },
})
