import { eachOf, ISSUE_ARG, openTracker, SCOPE } from '../../issues/issue-call'
import { answerChanged } from '../../issues/issue-changed'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'

export const command = defineCommand({
  summary: 'Claim an issue, claim the first ready one, or release a claim',
  args: [{ ...ISSUE_ARG, isRepeated: true, isOptional: true }],
  options: {
    next: { kind: 'flag', help: 'claim the first ready issue' },
    release: { kind: 'flag', help: 'release the claim: the issue is open again for others' },
    force: { kind: 'flag', short: 'f', help: 'take over the claim of another; use only if its holder is gone' },
    ...SCOPE,
  },
  examples: [
    { line: 'lode issue claim ld-3k9q', does: 'set it in progress and assign it to the caller' },
    { line: 'lode issue claim --next --json', does: 'claim the first ready issue, if there is one' },
    { line: 'lode issue claim ld-3k9q --release', does: 'release the claim' },
  ],
  keepsTodosInFile: true,
  async run(context, { args, options }) {
    if (options.next === args.length > 0 || (options.next && options.release))
      throw usageError(context.path)('Pass issue IDs, or --next without IDs.')
    const { issues, scope } = await openTracker(context, options)
    if (options.next) {
      const { issue, notices } = await issues.claimNext(scope)
      if (issue === null) context.note('no ready issues.')
      return answerChanged(context, { done: issue === null ? [] : [{ issue, notices }], failures: [], code: undefined })
    }
    const input = { ...scope, ...(options.force && { force: true }) }
    const work = (id: string) => (options.release ? issues.release(id, input) : issues.claim(id, input))
    return answerChanged(context, await eachOf(context, args, work))
  },
})
