import { client } from '../../lib/api'
import { hold } from '../../lib/live/held-moves'
import { scopeOf } from './issue-query'
import type { IssueGroup } from './use-issue-dialogs'

interface Put {
  /** How it is announced: `Priority high`. */
  said: string
  /** A field that has one value, or a label: a later change of the same takes the place of an earlier one. */
  what: string
  change: Parameters<typeof client.issues.update>[1]
}

/** Changes a field of each issue. It can be undone for a moment, for all of them at once. */
export function putIssues(issues: IssueGroup, project: string | undefined, { said, what, change }: Put): void {
  const batch = crypto.randomUUID()
  for (const { id } of issues)
    hold({
      key: `issue:${id}:${what}`,
      said,
      about: aboutOf(issues),
      batch,
      isReplacing: true,
      send: () => client.issues.update(id, { ...scopeOf(project), ...change }),
    })
}

/** The title of one issue, or how many there are. */
export const aboutOf = (issues: IssueGroup): string =>
  issues.length === 1 ? issues[0].title : `${issues.length} issues`
