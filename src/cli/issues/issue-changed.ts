import type { Answers } from '../../api/contract/operations'
import type { Context } from '../kit/context'
import { issueLine } from '../views/issue-views'
import { type Failure, printNotices } from './issue-call'

type Changed = Answers['issues']['update']

/** Answers with issues after they were changed; the exit code is that of the first that could not be. */
export function answerChanged(
  context: Context,
  { done, failures, code }: { done: Changed[]; failures: Failure[]; code: number | undefined },
): number | undefined {
  const issues = done.map(({ issue }) => issue)
  const notices = [...new Set(done.flatMap((each) => each.notices))]
  context.answer({ issues, failures, notices }, () => issues.map((issue) => `${issueLine(issue)}\n`).join(''))
  printNotices(context, notices)
  return code
}
