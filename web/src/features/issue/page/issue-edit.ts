import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Inputs } from '#api/contract/operations/index'
import { client } from '../../../lib/api'
import { detailKey, type IssueDetail, scopeOf } from '../issue-query'

/** Changed fields of an issue. */
export type IssueChange = Omit<Inputs['issues']['update'], 'id' | 'dir'>

/** The issue of a page. */
export interface ShownIssue {
  detail: IssueDetail
  /** Folder of its project, for requests. */
  dir: string | undefined
  /** The project as the address names it, for links and query keys. */
  project: string | undefined
}

/** Changes fields of an issue, and shows the server's response at once. */
export function useIssueChange({ detail, dir, project }: ShownIssue) {
  const queries = useQueryClient()
  const { id } = detail.issue
  return useMutation({
    mutationFn: (change: IssueChange) => client.issues.update(id, { ...scopeOf(dir), ...change }),
    onSuccess: ({ issue }) =>
      queries.setQueryData<IssueDetail>(detailKey(id, project), (before) => before && { ...before, issue }),
  })
}
