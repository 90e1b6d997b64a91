import { AppError } from '../../domain/errors'
import { defineCommand } from '../command'
import { openTracker, SCOPE } from '../issue-call'
import { answerStatuses } from '../issue-statuses'
import { plural } from '../measures'
import { quote } from '../parse-args'
import { didYouMean } from '../suggest'

export const command = defineCommand({
  summary: 'Take a status of your own away; issues that have it keep it',
  args: [{ name: 'NAME', help: 'the status' }],
  options: SCOPE,
  examples: [{ line: 'lode issue status remove in_review', does: 'no issue gets it any more' }],
  async run(context, { args: [name = ''], options }) {
    const { issues, scope } = await openTracker(context, options)
    const present = await issues.statusList(scope)
    const found = present.statuses.find((status) => status.name === name)
    if (found === undefined) {
      const names = present.statuses.flatMap((status) => (status.isBuiltIn ? [] : [status.name]))
      throw new AppError('not_found', `There is no status ${quote(name)} here.${didYouMean(name, names)}`, {
        hint: "'lode issue status list' shows all.",
      })
    }
    await issues.statuses({ ...scope, remove: name })
    if (found.count > 0) context.note(`${plural(found.count, 'issue')} kept it: it counts as no category now.`)
    answerStatuses(context, await issues.statusList(scope))
  },
})
