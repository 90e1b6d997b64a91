import { ISSUE_ARG, openTracker, printNotices, SCOPE } from '../../issues/issue-call'
import { defineCommand } from '../../kit/command'
import { table } from '../../print/table'

interface LabelCount {
  label: string
  count: number
}

export const command = defineCommand({
  summary: 'List the labels of an issue, or all labels in use',
  args: [{ ...ISSUE_ARG, isOptional: true }],
  options: SCOPE,
  examples: [
    { line: 'lode label list', does: 'all labels with their issue counts' },
    { line: 'lode label list ld-3k9q', does: "the issue's labels" },
  ],
  keepsTodosInFile: true,
  async run(context, { args: [id], options }) {
    const { issues, scope } = await openTracker(context, options)
    const found = id === undefined ? await issues.labels(scope) : await ofIssue(issues.get(id, scope))
    context.answer(found, () =>
      table(
        found.labels,
        [
          { title: 'LABEL', cell: ({ label }: LabelCount) => label, max: 60 },
          ...(id === undefined
            ? [{ title: 'ISSUES', cell: ({ count }: LabelCount) => String(count), align: 'right' as const }]
            : []),
        ],
        context.io.columns,
      ),
    )
    printNotices(context, found.notices)
    if (found.labels.length === 0 && !context.globals.isJson) context.note('no labels.')
  },
})

async function ofIssue(asked: Promise<{ issue: { labels: string[] }; notices: string[] }>) {
  const { issue, notices } = await asked
  return { labels: issue.labels.map((label) => ({ label, count: 1 })), notices }
}
