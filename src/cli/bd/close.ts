import { resolve } from 'node:path'
import type { Answers } from '../../api/contract/operations'
import { command as own } from '../commands/issue/close'
import { openTracker } from '../issues/issue-call'
import { fileText } from '../issues/issue-options'
import { usageError } from '../kit/arguments/parse-args'
import { type Command, defineCommand } from '../kit/command'
import type { Context } from '../kit/context'
import { issueLine } from '../views/issue-views'
import { bdIssue } from './shapes'
import { asBd } from './verb'

type Issue = Answers['issues']['list']['issues'][number]
interface Closed {
  issues: Issue[]
  /** What came free by it, with `--suggest-next`. */
  unblocked?: Issue[]
  /** With `--claim-next`; `null` = nothing is ready. */
  claimed?: Issue | null
}

/** `bd close`, which can say what came free by it and claim the next issue. */
export const closeVerb = (path: string): Command =>
  asBd(
    path,
    defineCommand({
      ...own,
      options: {
        ...own.options,
        'reason-file': { kind: 'text', value: 'FILE', complete: 'file', help: 'read the reason from FILE' },
        'suggest-next': { kind: 'flag', help: 'list the issues that this unblocks' },
        'claim-next': { kind: 'flag', help: 'then claim the first ready issue' },
      },
      keepsTodosInFile: true,
      async run(context, input) {
        const { options, args } = input
        const file = options['reason-file'] as string | undefined
        const given = options.reason as unknown as string[]
        if (file !== undefined && given.length > 0)
          throw usageError(context.path)('Use either --reason or --reason-file, not both.')
        const reason = file === undefined ? given : [fileText(resolve(context.io.cwd, file))]
        const scope = options as unknown as Parameters<typeof openTracker>[1]
        const before = options['suggest-next'] === true ? await waiting(context, scope) : []
        let closed: Closed | undefined
        let text = () => ''
        const holding: Context = {
          ...context,
          answer(value, words) {
            closed = value as Closed
            text = words
          },
        }
        const code = await own.run(holding, { args, options: { ...options, reason } } as never)
        if (closed === undefined) return code
        const answer: Closed = closed
        const lines = [text()]
        if (options['suggest-next'] === true) {
          const still = new Set((await waiting(context, scope)).map(({ id }) => id))
          const over = new Set(answer.issues.map(({ id }) => id))
          answer.unblocked = before.filter(({ id }) => !still.has(id) && !over.has(id))
          lines.push(...answer.unblocked.map((issue) => `Unblocked: ${issueLine(issue)}\n`))
        }
        if (options['claim-next'] === true) {
          const tracker = await openTracker(context, scope)
          answer.claimed = (await tracker.issues.claimNext(tracker.scope)).issue
          lines.push(answer.claimed === null ? 'No issue is ready.\n' : `Claimed: ${issueLine(answer.claimed)}\n`)
        }
        context.answer(answer, () => lines.join(''))
        return code
      },
    }),
    ({ issues, unblocked, claimed }: Closed) => {
      const closed = issues.map(bdIssue)
      if (unblocked === undefined && claimed === undefined) return closed
      return {
        closed,
        ...(unblocked !== undefined && { unblocked: unblocked.map(bdIssue) }),
        ...(claimed !== undefined && { claimed: claimed === null ? null : bdIssue(claimed) }),
      }
    },
  )

/** Issues that something holds up. */
async function waiting(context: Context, options: Parameters<typeof openTracker>[1]): Promise<Issue[]> {
  const { issues, scope } = await openTracker(context, options)
  return (await issues.blocked({ ...scope, limit: 100_000 })).issues
}
