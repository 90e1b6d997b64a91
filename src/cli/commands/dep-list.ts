import { defineCommand } from '../command'
import { ISSUE_ARG, openTracker, SCOPE, sayNotices } from '../issue-call'
import { linkTable } from '../views/issue-views'

export const command = defineCommand({
  summary: 'List what an issue needs, or what needs it',
  args: [ISSUE_ARG],
  options: {
    direction: {
      kind: 'text',
      value: 'WAY',
      choices: ['down', 'up'],
      help: 'down: what it needs (default); up: what needs it',
    },
    type: { kind: 'text', short: 't', value: 'TYPE', help: 'only edges of this type' },
    ...SCOPE,
  },
  examples: [{ line: 'lode dep list ld-3k9q --direction up', does: 'what waits for it' }],
  async run(context, { args: [id = ''], options }) {
    const { issues, scope } = await openTracker(context, options)
    const { issue, dependencies, dependents, notices } = await issues.get(id, scope)
    const all = options.direction === 'up' ? dependents : dependencies
    const links = all.filter(({ type }) => options.type === undefined || type === options.type)
    const answer = { id: issue.id, direction: options.direction ?? 'down', links, notices }
    context.answer(answer, () => linkTable(links, { now: context.io.now(), columns: context.io.columns }))
    sayNotices(context, notices)
    if (links.length === 0 && !context.globals.isJson) context.note('none.')
  },
})
