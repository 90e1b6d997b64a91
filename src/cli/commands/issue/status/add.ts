import { STATUS_CATEGORIES } from '../../../../domain/issue/issue'
import { openTracker, SCOPE } from '../../../issues/issue-call'
import { answerStatuses } from '../../../issues/issue-statuses'
import { defineCommand } from '../../../kit/command'

export const command = defineCommand({
  summary: 'Add a custom status, or change its category',
  details: [
    'active: can be started, like open. wip: in progress. done: finished, blocks nothing. frozen: on hold, like deferred.',
    'Without --as, the status has no category. You can also add a status that the file already uses.',
  ].join('\n'),
  args: [{ name: 'NAME', help: 'lower-case letters, digits, - and _' }],
  options: {
    as: { kind: 'text', value: 'CATEGORY', choices: STATUS_CATEGORIES, help: STATUS_CATEGORIES.join(', ') },
    ...SCOPE,
  },
  examples: [
    { line: 'lode issue status add in_review --as wip', does: "add a status for 'lode issue update ID -s in_review'" },
    { line: 'lode issue status add shipped --as done', does: 'add a status that finishes an issue, like closed' },
  ],
  keepsTodosInFile: true,
  async run(context, { args: [name = ''], options }) {
    const { issues, scope } = await openTracker(context, options)
    await issues.statuses({ ...scope, put: { name, category: options.as ?? null } })
    answerStatuses(context, await issues.statusList(scope))
  },
})
