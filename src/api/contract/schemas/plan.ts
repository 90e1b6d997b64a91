import * as z from 'zod/mini'
import { TASK_STATUSES } from '../../../domain/task/task'
import { Message } from './message'
import { Instant, MaybeText, planIdSchema, taskIdSchema } from './scalars'
import { Task } from './task'

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

/**
 * How the tasks stand and what came for the caller. `isComplete`: what was waited for is there; else ask again. `count`: messages that
 * still wait, `more`: open tasks that were not looked at. `isCut`: the output is longer.
 */
export const Awaited = z.object({
  tasks: z.array(
    z.object({
      taskId: taskIdSchema,
      title: z.string(),
      status: z.enum(TASK_STATUSES),
      parentTaskId: z.nullable(taskIdSchema),
      planKey: MaybeText,
      progress: MaybeText,
      output: MaybeText,
      isCut: z.boolean(),
      failureReason: MaybeText,
    }),
  ),
  messages: z.array(Message),
  count: z.int(),
  more: z.int(),
  isComplete: z.boolean(),
})
