import { AppError } from '../../domain/errors'
import { STATUS_CATEGORIES } from '../../domain/issue'
import { defineCommand } from '../command'
import { openTracker, SCOPE } from '../issue-call'
import { answerStatuses, ownStatuses } from '../issue-statuses'
import { quote } from '../parse-args'

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
    const present = await issues.statusList(scope)
    if (present.statuses.some((status) => status.isBuiltIn && status.name === name))
      throw new AppError('conflict', `${quote(name)} is built in.`, {
        hint: "Choose another name; 'lode issue status list' shows those that are taken.",
      })
    const others = ownStatuses(present).filter((status) => status.name !== name)
    await issues.statuses({ ...scope, statuses: [...others, { name, category: options.as ?? null }] })
    answerStatuses(context, await issues.statusList(scope))
  },
})
