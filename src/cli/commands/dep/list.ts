import { ISSUE_ARG, openTracker, printNotices, SCOPE } from '../../issues/issue-call'
import { defineCommand } from '../../kit/command'
import { linkTable } from '../../views/issue-views'

export const command = defineCommand({
  summary: "List an issue's dependencies, or the issues that depend on it",
  args: [ISSUE_ARG],
  options: {
    direction: {
      kind: 'text',
      value: 'WAY',
      choices: ['down', 'up'],
      help: 'down: its dependencies (default); up: the issues that depend on it',
    },
    type: { kind: 'text', short: 't', value: 'TYPE', help: 'only dependencies of this type' },
    ...SCOPE,
  },
  examples: [{ line: 'lode dep list ld-3k9q --direction up', does: 'the issues that depend on it' }],
  keepsTodosInFile: true,
  async run(context, { args: [id = ''], options }) {
    const { issues, scope } = await openTracker(context, options)
    const { issue, dependencies, dependents, notices } = await issues.get(id, scope)
    const all = options.direction === 'up' ? dependents : dependencies
    const links = all.filter(({ type }) => options.type === undefined || type === options.type)
    const answer = { id: issue.id, direction: options.direction ?? 'down', links, notices }
    context.answer(answer, () => linkTable(links, { now: context.io.now(), columns: context.io.columns }))
    printNotices(context, notices)
    if (links.length === 0 && !context.globals.isJson) context.note('no dependencies.')
  },
})
