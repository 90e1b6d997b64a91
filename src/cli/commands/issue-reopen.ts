import { defineCommand } from '../command'
import { eachOf, ISSUE_ARG, openTracker, SCOPE } from '../issue-call'
import { answerChanged } from '../issue-changed'

export const command = defineCommand({
  summary: 'Open closed issues again',
  args: [{ ...ISSUE_ARG, isRepeated: true }],
  options: { reason: { kind: 'text', short: 'r', value: 'TEXT', help: 'why: kept in its history' }, ...SCOPE },
  examples: [{ line: "lode issue reopen ld-3k9q -r 'Seen again'", does: 'open as before' }],
  async run(context, { args, options }) {
    const { issues, scope } = await openTracker(context, options)
    const { reason } = options
    const input = { ...scope, ...(reason !== undefined && { reason }) }
    return answerChanged(context, await eachOf(context, args, (id) => issues.reopen(id, input)))
  },
})
