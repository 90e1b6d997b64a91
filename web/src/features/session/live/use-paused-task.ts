import { useQuery } from '@tanstack/react-query'
import { client } from '../../../lib/api'
import type { SessionDetail } from '../page/use-session-data'

/**
 * The task whose last run this was, if it is paused: whoever stopped it, here or elsewhere, resumes it here.
 *
 * @param stopped  the task that was stopped here just now, until the answer is there
 */
export function usePausedTask(
  session: string | null,
  worker: SessionDetail['worker'],
  stopped: string | null = null,
): string | null {
  const id = worker === null || worker.isLive ? null : worker.taskId
  const { data } = useQuery({
    queryKey: ['task', id ?? '', 'paused', session],
    queryFn: async ({ signal }) => {
      const { task } = await client.tasks.get(id ?? '', { signal })
      return task.status === 'paused' && task.claudeSessionId === session
    },
    enabled: id !== null && session !== null,
  })
  if (data === undefined) return stopped
  return data ? id : null
}
