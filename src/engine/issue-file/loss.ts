import type { FullIssue } from '../../domain/issue/issue'
import type { IssueLoss } from '../../domain/issue/issue-file'

/** What putting `after` in the place of `before` would lose. Changed texts are no loss; the older copies of an issue neither. */
export function lossOf(before: readonly FullIssue[], after: readonly FullIssue[]): IssueLoss {
  const left = new Map(after.map((issue) => [issue.id as string, issue]))
  const loss: IssueLoss = { issues: [], edgeCount: 0, commentCount: 0 }
  for (const issue of before) {
    const now = left.get(issue.id)
    if (now === issue) continue
    if (now === undefined) {
      loss.issues.push(issue.id)
      continue
    }
    loss.edgeCount += missing(issue.dependencies, now.dependencies, (edge) => `${edge.type}\n${edge.dependsOnId}`)
    loss.commentCount += missing(issue.comments, now.comments, (one) => `${one.createdAt}\n${one.author}\n${one.text}`)
  }
  return loss
}

/** More than `limit` issues, or more than ten times as many edges or comments. */
export function isGreatLoss({ issues, edgeCount, commentCount }: IssueLoss, limit: number): boolean {
  return issues.length > limit || edgeCount > 10 * limit || commentCount > 10 * limit
}

function missing<T>(before: readonly T[], after: readonly T[], key: (one: T) => string): number {
  if (before.length === 0) return 0
  const remaining = new Set(after.map(key))
  return before.filter((one) => !remaining.has(key(one))).length
}
