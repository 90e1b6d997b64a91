import { ISSUE_ARG, openTracker, printNotices, SCOPE } from '../../issues/issue-call'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Remove a dependency between two issues',
  args: [ISSUE_ARG, { name: 'OTHER', help: 'the issue it no longer depends on' }],
  options: SCOPE,
  examples: [{ line: 'lode dep remove ld-7f2a ld-3k9q', does: 'ld-7f2a no longer waits for ld-3k9q' }],
  keepsTodosInFile: true,
  async run(context, { args: [id = '', other = ''], options }) {
    const { issues, scope } = await openTracker(context, options)
    const before = await issues.get(id, scope)
    const { issue, notices } = await issues.removeDependency(before.issue.id, other, scope)
    const left = new Set(issue.dependencies.map(({ dependsOnId }) => dependsOnId))
    const gone = before.issue.dependencies.find(({ dependsOnId }) => !left.has(dependsOnId)) ?? null
    context.answer(
      { issue, dependency: gone, notices },
      () => `${oneLine(`${issue.id} no longer depends on ${gone?.dependsOnId ?? other}`)}\n`,
    )
    printNotices(context, notices)
  },
})
