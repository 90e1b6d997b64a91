import { useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from '../../../lib/api'
import { type ListedIssue, scopeOf } from '../issue-query'

/** An issue and its new status. */
export interface StatusMove {
  issue: ListedIssue
  to: string
}

/** Changes the status of an issue. The card stays in place, marked, until the server has answered and the lists are refetched. */
export function useMoveStatus(project: string | undefined) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ issue, to }: StatusMove) =>
      to === 'closed'
        ? client.issues.close(issue.id, scopeOf(project))
        : client.issues.update(issue.id, { ...scopeOf(project), status: to }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['issues'] }),
  })
}

export type MoveStatus = ReturnType<typeof useMoveStatus>
