import { defineCommand } from '../../kit/command'
import { enrollmentTable } from '../../views/token-views'

export const command = defineCommand({
  summary: 'List the workers that were let in from other machines',
  details:
    "Workers of the server's own machine need no access of their own. `lode agent list` shows which workers are there.",
  examples: [{ line: 'lode worker list', does: 'each enrolled worker with its machine and state' }],
  async run(context) {
    const answer = await (await context.client()).workers.list()
    context.answer(answer, () =>
      enrollmentTable(answer.workers, { now: context.io.now(), columns: context.io.columns }),
    )
    if (!context.globals.isJson && answer.workers.length === 0)
      context.note("no worker was enrolled. Enroll one with 'lode worker enroll NAME'.")
  },
})
