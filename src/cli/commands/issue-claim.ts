import { defineCommand } from '../command'
import { eachOf, ISSUE_ARG, openTracker, SCOPE } from '../issue-call'
import { answerChanged } from '../issue-changed'
import { usageError } from '../parse-args'

export const command = defineCommand({
  summary: 'Work on an issue, or on the first that is ready, or give it up',
  args: [{ ...ISSUE_ARG, isRepeated: true, isOptional: true }],
  options: {
    next: { kind: 'flag', help: 'the first that is ready' },
    release: { kind: 'flag', help: 'give it up: open again, for others to take' },
    force: { kind: 'flag', short: 'f', help: 'though another holds it: when you know that they are gone' },
    ...SCOPE,
  },
  examples: [
    { line: 'lode issue claim ld-3k9q', does: 'in progress, assigned to the caller' },
    { line: 'lode issue claim --next --json', does: 'the first that is ready, if there is one' },
    { line: 'lode issue claim ld-3k9q --release', does: 'open again' },
  ],
  async run(context, { args, options }) {
    if (options.next === args.length > 0 || (options.next && options.release))
      throw usageError(context.path)('Name issues, or say --next alone.')
    const { issues, scope } = await openTracker(context, options)
    if (options.next) {
      const { issue, notices } = await issues.claimNext(scope)
      if (issue === null) context.note('nothing is ready.')
      return answerChanged(context, { done: issue === null ? [] : [{ issue, notices }], failures: [], code: undefined })
    }
    const input = { ...scope, ...(options.force && { force: true }) }
    const work = (id: string) => (options.release ? issues.release(id, input) : issues.claim(id, input))
    return answerChanged(context, await eachOf(context, args, work))
  },
})
