import type { TaskFilter } from '../../../domain/task/task-store'
import type { Caller } from '../../../domain/task/worker-protocol'

/** What lists of tasks show a caller: a run its own tree, whatever it asks for, as `READ_TASK` says. */
export const kinOnly = (caller: Caller): Pick<TaskFilter, 'familyOf'> =>
  caller.kind === 'attempt' ? { familyOf: caller.taskId } : {}
