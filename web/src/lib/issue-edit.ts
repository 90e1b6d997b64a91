import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { RequestInput } from '../../../src/api/contract/requests'
import { client } from './api'
import { detailKey, type IssueDetail, scopeOf } from './issue-query'

export type IssueChange = Omit<RequestInput<'issues.update'>, 'id' | 'dir'>

/** An issue that is shown on its page. */
export interface ShownIssue {
  detail: IssueDetail
  /** Its project's folder, for requests. */
  dir: string | undefined
  /** The project as the address names it, for links and for the key of what was asked. */
  project: string | undefined
}

/** Changes fields of an issue; what the server answers is shown at once. */
export function useIssueChange({ detail, dir, project }: ShownIssue) {
  const queries = useQueryClient()
  const { id } = detail.issue
  return useMutation({
    mutationFn: (change: IssueChange) => client.issues.update(id, { ...scopeOf(dir), ...change }),
    onSuccess: ({ issue }) =>
      queries.setQueryData<IssueDetail>(detailKey(id, project), (before) => before && { ...before, issue }),
  })
}
