import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { budgetLine, parseAmount } from '../../views/budget-views'

export const command = defineCommand({
  summary: 'Allow more than a budget until its period ends',
  args: [{ name: 'NAME', help: "the budget's name", complete: 'budget' }],
  options: {
    more: {
      kind: 'text',
      value: 'N',
      help: 'how much, in dollars or tokens as the budget is (default: its limit once more)',
    },
  },
  examples: [
    { line: 'lode budget allow daily', does: 'as much again; the tasks that wait go on' },
    { line: 'lode budget allow daily --more 5', does: '$5 more today' },
  ],
  async run(context, { args: [name = ''], options: { more } }) {
    const client = await context.client()
    const unit = (await client.budgets.list()).budgets.find((one) => one.name === name)?.unit ?? 'usd'
    const answer = await client.budgets.allow(name, {
      ...(more !== undefined && { more: parseAmount('--more', more, unit) }),
    })
    context.answer(answer, () => oneLine(budgetLine(answer.budget)).concat('\n'))
  },
})
