import type { ArgSpec } from './command'
import type { Context } from './context'
import { eachOf, ISSUE_ARG } from './issue-call'
import { usageError } from './parse-args'

/** Issues, then the label. */
export const LABEL_ARGS: readonly ArgSpec[] = [
  ISSUE_ARG,
  { name: 'LABEL', help: 'more ids, then the label', isRepeated: true },
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
