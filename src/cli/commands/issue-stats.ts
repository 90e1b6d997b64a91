import { defineCommand } from '../command'
import { openTracker, SCOPE, sayNotices } from '../issue-call'
import { statsText } from '../views/issue-graph'

export const command = defineCommand({
  summary: 'Count issues by status, type and priority',
  options: SCOPE,
  examples: [{ line: 'lode issue stats', does: 'how many are ready, blocked, worked on' }],
  async run(context, { options }) {
    const { issues, scope } = await openTracker(context, options)
    const stats = await issues.stats(scope)
    context.answer(stats, () => statsText(stats))
    sayNotices(context, stats.notices)
  },
})
