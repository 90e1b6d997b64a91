import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import type { OperationName } from '#api/contract/operations/index'
import type { Task } from '#domain/task/task'
import { client } from '../../../lib/api'
import type { TaskMove } from '../task-actions'
import { tellTask } from '../task-queries'

interface WantedMove {
  move: TaskMove
  reason?: string
}

/** What each move is on the server. */
export const MOVE_ACTS = {
  pause: 'tasks.pause',
  resume: 'tasks.resume',
  retry: 'tasks.retry',
  queue: 'tasks.deploy',
  cancel: 'tasks.cancel',
} as const satisfies Readonly<Record<TaskMove, OperationName>>

/** Makes a move, and shows the task from the server's response. */
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
        return client.tasks.deploy(id)
      case 'cancel':
        return client.tasks.cancel(id, why)
    }
  }
  tellTask(queries, (await ask()).task)
}

/** Makes moves at once: those that stop work or were confirmed in a dialog. */
export function useTaskMoves(id: string) {
  const queries = useQueryClient()
  return useMutation({ mutationFn: (wanted: WantedMove) => moveTask(queries, id, wanted) })
}
