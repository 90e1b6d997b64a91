import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { budgetTable, usageLimitLine, usageWindowLine } from '../../views/budget-views'
import { section } from '../../views/task/task-views'

export const command = defineCommand({
  summary: 'List the budgets, and what is used of each',
  examples: [{ line: 'lode budget list', does: 'each budget with its limit and what is used in this period' }],
  async run(context) {
    const answer = await (await context.client()).budgets.list()
    context.answer(answer, () =>
      [
        budgetTable(answer.budgets, { now: context.io.now(), columns: context.io.columns }),
        section(
          'windows of subscriptions',
          answer.usageWindows.map((one) => `${oneLine(usageWindowLine(one))}\n`).join(''),
        ),
      ].join(''),
    )
    if (context.globals.isJson) return
    if (answer.budgets.length === 0) context.note("no budgets. Add one with 'lode budget add NAME --usd N'.")
    for (const limit of answer.usageLimits) context.note(oneLine(usageLimitLine(limit)))
  },
})
