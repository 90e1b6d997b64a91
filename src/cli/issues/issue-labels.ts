import { usageError } from '../kit/arguments/parse-args'
import type { ArgSpec } from '../kit/arguments/specs'
import type { Context } from '../kit/context'
import { eachOf, ISSUE_ARG } from './issue-call'

/** Issues, then the label. */
export const LABEL_ARGS: readonly ArgSpec[] = [
  ISSUE_ARG,
  { name: 'LABEL', help: 'more issue IDs, followed by the label', isRepeated: true },
]

export function labelled<T>(
  context: Context,
  args: readonly string[],
  work: (id: string, label: string) => Promise<T>,
) {
  const label = args.at(-1)?.trim() ?? ''
  if (label === '') throw usageError(context.path)('LABEL is empty.')
  return eachOf(context, args.slice(0, -1), (id) => work(id, label))
}
