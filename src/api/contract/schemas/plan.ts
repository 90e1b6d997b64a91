import * as z from 'zod/mini'
import { TASK_STATUSES } from '../../../domain/task'
import { planIdSchema } from './ids'
import { Task } from './task'
import { Instant } from './usage'

/** Several tasks that were made together. `creator`: `operator`, or the id of an agent or attempt. */
export const Plan = z.object({ id: planIdSchema, title: z.string(), creator: z.string(), createdAt: Instant })

const progress = {
  plan: Plan,
  tasks: z.array(Task),
  counts: z.partialRecord(z.enum(TASK_STATUSES), z.int()),
  isDone: z.boolean(),
}

/** `tasks` come after what they depend on; `planKey` names each. `counts` are by status. */
export const PlanProgress = z.object(progress)
/** `isRepeat`: the same was made before, by the same key or by the same agent, and is given again. */
export const CreatedPlan = z.object({ ...progress, isRepeat: z.boolean() })
