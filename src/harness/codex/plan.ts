import { KEPT, MOST_TODOS } from '../../domain/record/kept-text'
import type { TodoChange } from '../../domain/record/observation'
import { isRecord, listOf, recordOf, textOf } from '../json-lines/json-value'
import { clip } from '../json-lines/text'

/** The tool by which the agent keeps its to-dos. */
export const PLAN_TOOL = 'update_plan'

/** The whole plan, as a call of the tool gives it; `undefined` = it gives none. */
export function planOf(input: unknown): TodoChange | undefined {
  const plan = recordOf(input)?.plan
  if (!Array.isArray(plan)) return undefined
  const steps = listOf(plan).flatMap((item) => {
    const content = isRecord(item) ? textOf(item.step) : undefined
    return isRecord(item) && content !== undefined
      ? [{ content: clip(content, KEPT.todo), status: statusOf(item.status) }]
      : []
  })
  const leftOut = Math.max(0, steps.length - MOST_TODOS)
  return { op: 'snapshot', items: steps.slice(0, MOST_TODOS), ...(leftOut > 0 && { leftOut }) }
}

/** A status that the tool does not have is a mistake of the model's: the step is there, so it is open. */
function statusOf(status: unknown): 'pending' | 'in_progress' | 'completed' {
  return status === 'in_progress' || status === 'completed' ? status : 'pending'
}
