import { defineCommand } from '../command'
import { ISSUE_ARG, openTracker, SCOPE, sayNotices } from '../issue-call'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: 'Take a dependency between two issues away',
  args: [ISSUE_ARG, { name: 'OTHER', help: 'what it needs no longer' }],
  options: SCOPE,
  examples: [{ line: 'lode dep remove ld-7f2a ld-3k9q', does: 'ld-7f2a waits for it no longer' }],
  async run(context, { args: [id = '', other = ''], options }) {
    const { issues, scope } = await openTracker(context, options)
    const before = await issues.get(id, scope)
    const { issue, notices } = await issues.removeDependency(before.issue.id, other, scope)
    const left = new Set(issue.dependencies.map(({ dependsOnId }) => dependsOnId))
    const gone = before.issue.dependencies.find(({ dependsOnId }) => !left.has(dependsOnId)) ?? null
    context.answer(
      { issue, dependency: gone, notices },
      () => `${oneLine(`${issue.id} needs ${gone?.dependsOnId ?? other} no longer`)}\n`,
    )
    sayNotices(context, notices)
  },
})
