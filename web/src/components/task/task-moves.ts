import { useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from '../../lib/api'
import type { TaskMove } from '../../lib/task-actions'
import { tellTask } from '../../lib/task-queries'

interface WantedMove {
  move: TaskMove
  reason?: string
}

/** Moves a task as the person wants, and shows it as the server then says it is. */
export function useTaskMoves(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ move, reason }: WantedMove) => {
      const why = reason === undefined || reason.trim() === '' ? {} : { reason: reason.trim() }
      switch (move) {
        case 'pause':
          return client.tasks.pause(id, why)
        case 'resume':
          return client.tasks.resume(id)
        case 'retry':
          return client.tasks.retry(id, why)
        case 'queue':
          return client.tasks.patch(id, { status: 'unassigned' })
        case 'cancel':
          return client.tasks.cancel(id, why)
      }
    },
    onSuccess: ({ task }) => tellTask(queries, task),
  })
}

export type TaskMoves = ReturnType<typeof useTaskMoves>
