import { defineCommand } from '../command'
import { openTracker, SCOPE } from '../issue-call'
import { answerStatuses } from '../issue-statuses'

export const command = defineCommand({
  summary: 'List the statuses that issues may have, and what each counts as',
  options: SCOPE,
  examples: [
    { line: 'lode issue status list', does: 'built-in ones first' },
    { line: 'lode issue status list --json', does: 'as {statuses, notices}' },
  ],
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    answerStatuses(context, await issues.statusList(scope))
  },
})
