import { eachOf, ISSUE_ARG, openTracker, SCOPE } from '../../issues/issue-call'
import { answerChanged } from '../../issues/issue-changed'
import { defineCommand } from '../../kit/command'

export const command = defineCommand({
  summary: 'Reopen closed issues',
  args: [{ ...ISSUE_ARG, isRepeated: true }],
  options: {
    reason: { kind: 'text', short: 'r', value: 'TEXT', help: "the reason, stored in the issue's history" },
    ...SCOPE,
  },
  examples: [{ line: "lode issue reopen ld-3k9q -r 'Seen again'", does: 'reopen with a reason' }],
  keepsTodosInFile: true,
  async run(context, { args, options }) {
    const { issues, scope } = await openTracker(context, options)
    const { reason } = options
    const input = { ...scope, ...(reason !== undefined && { reason }) }
    return answerChanged(context, await eachOf(context, args, (id) => issues.reopen(id, input)))
  },
})
