import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import type { Task } from '../../../../src/domain/task'
import { client } from '../../lib/api'
import type { TaskMove } from '../../lib/task-actions'
import { tellTask } from '../../lib/task-queries'

interface WantedMove {
  move: TaskMove
  reason?: string
}

/** Moves a task as the person wants, and shows it as the server then says it is. */
export async function moveTask(queries: QueryClient, id: string, { move, reason }: WantedMove): Promise<void> {
  const why = reason === undefined || reason.trim() === '' ? {} : { reason: reason.trim() }
  const ask = (): Promise<{ task: Task }> => {
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
  }
  tellTask(queries, (await ask()).task)
}

/** Moves it at once: for what ends work, or was asked for in a dialog. */
export function useTaskMoves(id: string) {
  const queries = useQueryClient()
  return useMutation({ mutationFn: (wanted: WantedMove) => moveTask(queries, id, wanted) })
}
