import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ResponseOf } from '../../../src/api/contract/responses'
import { MAX_TASK_COSTS } from '../../../src/api/contract/task-routes'
import type { TaskId } from '../../../src/domain/ids'
import { client } from './api'

/** What the recorded messages of a task's conversations come to. */
export type RecordedCost = NonNullable<ResponseOf<'tasks.get'>['recorded']>
/** Of tasks of which no message is recorded nothing is told. */
export type TaskCosts = ReadonlyMap<TaskId, RecordedCost>

/** What is recorded of these tasks, of the first 200 of them; `undefined` until it is known. */
export function useTaskCosts(tasks: readonly TaskId[]): TaskCosts | undefined {
  const ids = tasks.slice(0, MAX_TASK_COSTS)
  const { data } = useQuery({
    queryKey: ['task-costs', ids.join(' ')],
    queryFn: ({ signal }) => client.tasks.costs(ids, { signal }),
    enabled: ids.length > 0,
    // Rows that stay where others come keep theirs.
    placeholderData: keepPreviousData,
  })
  // Not by `select`: another map each time would be another answer each time, of which the page is drawn anew without an end.
  return useMemo(() => data && new Map(data.costs.map(({ taskId, ...cost }) => [taskId, cost])), [data])
}
