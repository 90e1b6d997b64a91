import { defineCommand } from '../command'
import { openTracker, SCOPE, sayNotices } from '../issue-call'
import { defined, listOf } from '../issue-options'
import { plural } from '../measures'
import { table } from '../table'

export const command = defineCommand({
  summary: 'Find open issues whose description lacks what one of their type needs',
  details:
    'A bug: steps to reproduce and acceptance criteria; a task, feature or story: acceptance criteria; an epic: success criteria.',
  options: {
    type: { kind: 'text', short: 't', value: 'TYPE', isRepeated: true, help: 'only these types' },
    ...SCOPE,
  },
  examples: [{ line: 'lode issue lint -t bug', does: 'bugs that say too little' }],
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
      context.note(`${plural(lint.findings.length, 'issue')} of ${lint.checked} could say more.`)
  },
})
