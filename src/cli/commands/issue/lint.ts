import { openTracker, SCOPE, sayNotices } from '../../issues/issue-call'
import { defined, listOf } from '../../issues/issue-options'
import { defineCommand } from '../../kit/command'
import { plural } from '../../print/measures'
import { table } from '../../print/table'

export const command = defineCommand({
  summary: 'Find open issues whose description lacks sections their type requires',
  details: [
    'Bugs need steps to reproduce and acceptance criteria. Tasks, features and stories need acceptance criteria. Epics need',
    'success criteria.',
  ].join('\n'),
  options: {
    type: { kind: 'text', short: 't', value: 'TYPE', isRepeated: true, help: 'only issues of this type' },
    ...SCOPE,
  },
  examples: [{ line: 'lode issue lint -t bug', does: 'bugs with incomplete descriptions' }],
  keepsTodosInFile: true,
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    const lint = await issues.lint({ ...scope, ...defined({ types: listOf(options.type) }) })
    context.answer(lint, () =>
      table(
        lint.findings,
        [
          { title: 'ID', cell: (f) => f.id, max: 40 },
          { title: 'TYPE', cell: (f) => f.issueType, max: 14 },
          { title: 'LACKS', cell: (f) => f.missing.join(', ') },
          { title: 'TITLE', cell: (f) => f.title, max: 200, flexible: 16 },
        ],
        context.io.columns,
      ),
    )
    sayNotices(context, lint.notices)
    if (!context.globals.isJson)
      context.note(`${plural(lint.findings.length, 'issue')} of ${lint.checked} with an incomplete description.`)
  },
})
