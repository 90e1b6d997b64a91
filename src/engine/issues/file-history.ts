import type { FullIssue } from '../../domain/issue/issue'
import type { IssueHistoryRow, StoredIssue } from '../../domain/issue/issue-store'

/** Comments or dependencies of one issue that get a history row each; if there are more, the newest. */
const MAX_PER_KIND = 5
/** Characters of a comment. */
const COMMENT_CHARACTERS = 500
/** The author of a change is in the file's own history; this names its source. */
const FILE = 'the issue file'

/**
 * The history rows of a change that came with the issue's file, from a pull or another tool: sessions on the issue are notified
 * of it like of any other.
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

/** Another tool may give comments new ids. */
const wordsOf = ({ author, text }: FullIssue['comments'][number]): string => JSON.stringify([author, text])
