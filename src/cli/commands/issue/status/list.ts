import { openTracker, SCOPE } from '../../../issues/issue-call'
import { answerStatuses } from '../../../issues/issue-statuses'
import { defineCommand } from '../../../kit/command'

export const command = defineCommand({
  summary: 'List the statuses of this tracker with their categories',
  options: SCOPE,
  examples: [
    { line: 'lode issue status list', does: 'built-in statuses first' },
    { line: 'lode issue status list --json', does: 'print JSON: {statuses, notices}' },
  ],
  keepsTodosInFile: true,
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    answerStatuses(context, await issues.statusList(scope))
  },
})
