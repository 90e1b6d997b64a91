import { defineCommand } from '../command'
import { eachOf, ISSUE_ARG, openTracker, SCOPE } from '../issue-call'
import { answerChanged } from '../issue-changed'

export const command = defineCommand({
  summary: 'Close issues',
  details:
    'Refused while a blocker, or of an epic a child, is open, unless --force. The calling session is kept as who closed it.',
  args: [{ ...ISSUE_ARG, isRepeated: true }],
  options: {
    reason: { kind: 'text', short: 'r', value: 'TEXT', isRepeated: true, help: 'why: one for all, or one for each' },
    force: { kind: 'flag', short: 'f', help: 'in spite of open blockers or children' },
    ...SCOPE,
  },
  examples: [
    { line: "lode issue close ld-3k9q -r 'Fixed in 4f2a'", does: 'closed, with its reason' },
    { line: 'lode issue close ld-3k9q ld-7f2a', does: 'both of them' },
  ],
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
