import { openTracker, printNotices, SCOPE } from '../../issues/issue-call'
import { defineCommand } from '../../kit/command'
import { statsText } from '../../views/issue-graph'

export const command = defineCommand({
  summary: 'Count issues by status, type and priority',
  options: SCOPE,
  examples: [{ line: 'lode issue stats', does: 'how many issues are ready, blocked or in progress' }],
  keepsTodosInFile: true,
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    const stats = await issues.stats(scope)
    context.answer(stats, () => statsText(stats))
    printNotices(context, stats.notices)
  },
})
