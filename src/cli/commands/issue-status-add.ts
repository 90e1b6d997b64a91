import { STATUS_CATEGORIES } from '../../domain/issue'
import { defineCommand } from '../command'
import { openTracker, SCOPE } from '../issue-call'
import { answerStatuses } from '../issue-statuses'

export const command = defineCommand({
  summary: 'Add a status of your own, or say anew what it counts as',
  details: [
    'active: ready to be started, as open is. wip: somebody is at it. done: over, and it blocks nobody. frozen: neither, as deferred.',
    'Without --as it counts as none of them. A status that the file has from elsewhere may be added too.',
  ].join('\n'),
  args: [{ name: 'NAME', help: 'small letters, digits, - and _' }],
  options: {
    as: { kind: 'text', value: 'CATEGORY', choices: STATUS_CATEGORIES, help: STATUS_CATEGORIES.join(', ') },
    ...SCOPE,
  },
  examples: [
    { line: 'lode issue status add in_review --as wip', does: "then 'lode issue update ID -s in_review'" },
    { line: 'lode issue status add shipped --as done', does: 'ends an issue as closed does' },
  ],
  async run(context, { args: [name = ''], options }) {
    const { issues, scope } = await openTracker(context, options)
    await issues.statuses({ ...scope, put: { name, category: options.as ?? null } })
    answerStatuses(context, await issues.statusList(scope))
  },
})
