import { AppError } from '../../../../domain/errors'
import { openTracker, SCOPE } from '../../../issues/issue-call'
import { answerStatuses } from '../../../issues/issue-statuses'
import { quote } from '../../../kit/arguments/parse-args'
import { didYouMean } from '../../../kit/arguments/suggest'
import { defineCommand } from '../../../kit/command'
import { plural } from '../../../print/measures'

export const command = defineCommand({
  summary: 'Remove a custom status; issues that have it keep it',
  args: [{ name: 'NAME', help: 'the status' }],
  options: SCOPE,
  examples: [{ line: 'lode issue status remove in_review', does: 'no issue can be set to it afterwards' }],
  keepsTodosInFile: true,
  async run(context, { args: [name = ''], options }) {
    const { issues, scope } = await openTracker(context, options)
    const present = await issues.statusList(scope)
    const found = present.statuses.find((status) => status.name === name)
    if (found === undefined) {
      const names = present.statuses.flatMap((status) => (status.isBuiltIn ? [] : [status.name]))
      throw new AppError('not_found', `Status ${quote(name)} does not exist here.${didYouMean(name, names)}`, {
        hint: "Run 'lode issue status list' to see all statuses.",
      })
    }
    await issues.statuses({ ...scope, remove: name })
    if (found.count > 0) context.note(`${plural(found.count, 'issue')} kept it; the status has no category now.`)
    answerStatuses(context, await issues.statusList(scope))
  },
})
