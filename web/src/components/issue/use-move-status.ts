import { useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from '../../lib/api'
import { type ListedIssue, scopeOf } from '../../lib/issue-query'

export interface StatusMove {
  issue: ListedIssue
  to: string
}

/** Gives an issue another status. It stays where it is, marked, until the server has done it and the lists were read again. */
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
