import { openTracker, printNotices, SCOPE } from '../../issues/issue-call'
import { defineCommand } from '../../kit/command'
import { epicProgressTable } from '../../views/issue-graph'

export const command = defineCommand({
  summary: 'Show the progress of open epics by their child issues',
  options: { 'eligible-only': { kind: 'flag', help: 'only epics whose children are all closed' }, ...SCOPE },
  examples: [{ line: 'lode epic status', does: 'closed and total children of each epic' }],
  keepsTodosInFile: true,
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    const { epics: all, notices } = await issues.epics(scope)
    const epics = all.filter(({ isEligibleForClose }) => isEligibleForClose || !options['eligible-only'])
    context.answer({ epics, notices }, () =>
      epicProgressTable(epics, { now: context.io.now(), columns: context.io.columns }),
    )
    printNotices(context, notices)
    if (epics.length === 0 && !context.globals.isJson) context.note('no matching epics.')
  },
})
