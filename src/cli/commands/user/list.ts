import { defineCommand } from '../../kit/command'
import { userTable } from '../../views/user-views'

export const command = defineCommand({
  summary: 'List the people who were added, by name',
  examples: [{ line: 'lode user list', does: 'each person with the role and the last use' }],
  async run(context) {
    const answer = await (await context.client()).users.list()
    context.answer(answer, () => userTable(answer.users, { now: context.io.now(), columns: context.io.columns }))
    if (!context.globals.isJson && answer.users.length === 0)
      context.note("no people. Add one with 'lode user add NAME --role ROLE'.")
  },
})
