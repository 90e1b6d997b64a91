import { eachOf, ISSUE_ARG, openTracker, SCOPE } from '../../issues/issue-call'
import { answerChanged } from '../../issues/issue-changed'
import { defineCommand } from '../../kit/command'

export const command = defineCommand({
  summary: 'Close issues',
  details:
    'Refuses while a blocker is open, or a child if it is an epic; use --force to override. Records the calling session as the closer.',
  args: [{ ...ISSUE_ARG, isRepeated: true }],
  options: {
    reason: {
      kind: 'text',
      short: 'r',
      value: 'TEXT',
      isRepeated: true,
      help: 'the reason: one for all issues, or one for each',
    },
    force: { kind: 'flag', short: 'f', help: 'close even if blockers or children are open' },
    ...SCOPE,
  },
  examples: [
    { line: "lode issue close ld-3k9q -r 'Fixed in 4f2a'", does: 'close it with a reason' },
    { line: 'lode issue close ld-3k9q ld-7f2a', does: 'close both issues' },
  ],
  keepsTodosInFile: true,
  async run(context, { args, options }) {
    const { issues, scope } = await openTracker(context, options)
    const result = await eachOf(context, args, (id, index) => {
      const reason = options.reason[index] ?? options.reason.at(-1)
      return issues.close(id, {
        ...scope,
        ...(reason !== undefined && { reason }),
        ...(options.force && { force: true }),
      })
    })
    return answerChanged(context, result)
  },
})
