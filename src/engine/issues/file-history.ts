import type { FullIssue } from '../../domain/issue/issue'
import type { IssueHistoryRow, StoredIssue } from '../../domain/issue/issue-store'

/** Comments or dependencies of one issue that are told one by one; of more the newest. */
const MAX_PER_KIND = 5
/** Characters of a comment. */
const COMMENT_CHARACTERS = 500
/** Who made a change in the file is in its own history; this says where it came from. */
const FILE = 'the issue file'

/**
 * What the history says of a change that came with the issue's file, by a pull or another tool: those who work on it are to hear
 * of it as of any other.
 */
export function fileHistory(before: StoredIssue, after: FullIssue, at: number): IssueHistoryRow[] {
  const row = (
    event: string,
    by: string,
    old: IssueHistoryRow['old'],
    now: IssueHistoryRow['new'],
  ): IssueHistoryRow => ({
    issueKey: before.key,
    at,
    by,
    event,
    old,
    new: now,
    sessionId: null,
  })
  const known = new Set(before.comments.map(wordsOf))
  const newComments = after.comments.filter((comment) => !known.has(wordsOf(comment)))
  const edges = new Set(before.dependencies.map(({ dependsOnId }) => dependsOnId))
  const added = after.dependencies.filter(({ dependsOnId }) => !edges.has(dependsOnId))
  return [
    ...(before.status === after.status
      ? []
      : [row('updated', FILE, { status: before.status }, { status: after.status })]),
    ...added
      .slice(-MAX_PER_KIND)
      .map(({ dependsOnId, type }) => row('dependency_added', FILE, null, { dependsOnId, type })),
    ...newComments
      .slice(-MAX_PER_KIND)
      .map(({ author, text }) =>
        row('commented', author || FILE, null, { author, text: text.slice(0, COMMENT_CHARACTERS) }),
      ),
  ]
}

/** Ids of comments may be given anew by another tool. */
const wordsOf = ({ author, text }: FullIssue['comments'][number]): string => JSON.stringify([author, text])
