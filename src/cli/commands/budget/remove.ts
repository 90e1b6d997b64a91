import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Remove a budget; tasks that wait for it go on',
  args: [{ name: 'NAME', help: "the budget's name", complete: 'budget' }],
  examples: [{ line: 'lode budget remove daily', does: 'forget the budget' }],
  async run(context, { args: [name = ''] }) {
    await (await context.client()).budgets.remove(name)
    context.answer({ removed: name }, () => oneLine(`removed ${name}`).concat('\n'))
  },
})
