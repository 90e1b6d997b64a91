import { AppError } from '../../../domain/errors'
import type { Task } from '../../../domain/task'
import type { Caller } from '../../../domain/worker-protocol'
import { promptText } from '../../../engine/recall/prompt'
import { recallText } from '../../../engine/recall/recall'
import { catchUp } from '../find-session'
import { getTask } from '../find-task'
import type { Handler } from '../handler'

const TEXT_TYPE = 'text/plain; charset=utf-8'

/** Gives the text of an attempt's first prompt. */
export const taskPrompt: Handler<'tasks.prompt'> = async ({ caller, params, query, headers }, context) => {
  const task = await getTask(params.id, context)
  refuseOthers(caller, task)
  if (task.claudeSessionId !== null) await catchUp(task.claudeSessionId, context)
  const text = await promptText(context.store, task, query.rung)
  return new Response(text, { headers: { ...headers, 'content-type': TEXT_TYPE } })
}

/** Gives what an agent is told of its task at a moment; an empty text when there is nothing to say. */
export const taskRecall: Handler<'tasks.recall'> = async ({ caller, params, query, headers }, context) => {
  const task = await getTask(params.id, context)
  refuseOthers(caller, task)
  const { linkFrom, hidesTodos } = context.services.recalls
  const text = await recallText(context.store, task, query.moment, { linkFrom, hidesTodos })
  return new Response(text, { headers: { ...headers, 'content-type': TEXT_TYPE } })
}

/** Both texts quote a conversation, and a run looks into no other's. */
function refuseOthers(caller: Caller, task: Task): void {
  if (caller.kind !== 'attempt' || caller.taskId === task.id) return
  throw new AppError('forbidden', `task ${task.id} is not the task of this run`, {
    hint: `a run is told of its own, ${caller.taskId}`,
  })
}
