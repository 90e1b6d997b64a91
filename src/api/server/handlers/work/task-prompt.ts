import { promptText } from '../../../../engine/recall/prompt'
import { recallText } from '../../../../engine/recall/recall'
import { tasks } from '../../../contract/operations/tasks'
import { requireFor } from '../../callers/authorize'
import { catchUp } from '../../find/find-session'
import { getTask } from '../../find/find-task'
import { handle } from '../../handler'

const TEXT_TYPE = 'text/plain; charset=utf-8'

/** Gives the text of an attempt's first prompt. */
export const taskPrompt = handle(tasks.prompt, async ({ caller, params, query, headers }, context) => {
  const task = await getTask(params.id, context)
  await requireFor(tasks.prompt, caller, task.id, context)
  if (task.claudeSessionId !== null) await catchUp(task.claudeSessionId, context)
  const text = await promptText(context.store, task, query.rung)
  return new Response(text, { headers: { ...headers, 'content-type': TEXT_TYPE } })
})

/** Gives what an agent is told of its task at a moment; an empty text when there is nothing to say. */
export const taskRecall = handle(tasks.recall, async ({ caller, params, query, headers }, context) => {
  const task = await getTask(params.id, context)
  await requireFor(tasks.recall, caller, task.id, context)
  const { linkFrom, hidesTodos } = context.services.recalls
  const text = await recallText(context.store, task, query.moment, { linkFrom, hidesTodos })
  return new Response(text, { headers: { ...headers, 'content-type': TEXT_TYPE } })
})
