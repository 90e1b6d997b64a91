import type { PlanId } from '../ids'
import type { Task, TaskStatus } from './task'

/** Bounds of a plan; the message of `too_large` names them. */
export const PLAN_LIMITS = Object.freeze({
  /** Tasks. */
  tasks: 500,
  /** Characters. */
  title: 300,
  key: 100,
})

/** Several tasks that were made together: all or none. Times are ISO 8601. */
export interface Plan {
  id: PlanId
  title: string
  /** `operator`, or the id of the agent or attempt that made it. */
  creator: string
  createdAt: string
}

/** How far a plan is. */
export interface PlanProgress {
  plan: Plan
  /** In the order in which they were given; `planKey` is each one's name within the plan. */
  tasks: Task[]
  /** Tasks by status; a status without any is left out. */
  counts: Partial<Record<TaskStatus, number>>
  /** Every task is final. */
  isDone: boolean
}
