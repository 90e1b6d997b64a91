import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Answers } from '#api/contract/operations/index'
import { MAX_TASK_COSTS } from '#api/contract/protocol'
import type { TaskId } from '#domain/ids'
import { client } from '../../lib/api'

/** The cost of the recorded messages of a task's conversations. */
export type RecordedCost = NonNullable<Answers['tasks']['get']['recorded']>
/** Recorded costs by task; tasks without recorded messages are missing. */
export type TaskCosts = ReadonlyMap<TaskId, RecordedCost>

/** Recorded costs of the first `MAX_TASK_COSTS` of these tasks; `undefined` until they are loaded. */
export function useTaskCosts(tasks: readonly TaskId[]): TaskCosts | undefined {
  const ids = tasks.slice(0, MAX_TASK_COSTS)
  const { data } = useQuery({
    queryKey: ['task-costs', ids.join(' ')],
    queryFn: ({ signal }) => client.tasks.costs({ id: ids }, { signal }),
    enabled: ids.length > 0,
    // Rows that stay visible keep their costs while others load.
    placeholderData: keepPreviousData,
  })
  // Not by `select`: a new map for each call would cause endless rendering.
  return useMemo(() => data && new Map(data.costs.map(({ taskId, ...cost }) => [taskId, cost])), [data])
}
