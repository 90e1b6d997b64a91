import { promptText } from '../../../engine/recall/prompt'
import { recallText } from '../../../engine/recall/recall'
import { mayReadPrompt } from '../../../engine/tasks/reading-rights'
import { catchUp } from '../find-session'
import { getTask } from '../find-task'
import type { Handler } from '../handler'

const TEXT_TYPE = 'text/plain; charset=utf-8'

/** Gives the text of an attempt's first prompt. */
export const taskPrompt: Handler<'tasks.prompt'> = async ({ caller, params, query, headers }, context) => {
  const task = await getTask(params.id, context)
  await mayReadPrompt(context.store.tasks, caller, task.id)
  if (task.claudeSessionId !== null) await catchUp(task.claudeSessionId, context)
  const text = await promptText(context.store, task, query.rung)
  return new Response(text, { headers: { ...headers, 'content-type': TEXT_TYPE } })
}

/** Gives what an agent is told of its task at a moment; an empty text when there is nothing to say. */
export const taskRecall: Handler<'tasks.recall'> = async ({ caller, params, query, headers }, context) => {
  const task = await getTask(params.id, context)
  await mayReadPrompt(context.store.tasks, caller, task.id)
  const { linkFrom, hidesTodos } = context.services.recalls
  const text = await recallText(context.store, task, query.moment, { linkFrom, hidesTodos })
  return new Response(text, { headers: { ...headers, 'content-type': TEXT_TYPE } })
}
