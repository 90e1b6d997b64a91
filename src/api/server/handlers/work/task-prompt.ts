import { AppError } from '../../../../domain/errors'
import { promptText } from '../../../../engine/recall/prompt'
import { recallText } from '../../../../engine/recall/recall'
import { tasks } from '../../../contract/operations/tasks'
import { COMMIT_HEADER } from '../../../contract/protocol'
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

/** The newest copy of a task's work, with the attempt that made it. */
export const taskWorkCopy = handle(tasks.workCopy, async ({ caller, params }, context) => {
  const task = await getTask(params.id, context)
  await requireFor(tasks.workCopy, caller, task.id, context)
  return { workCopy: (await context.store.workCopies.newest(task.id)) ?? null }
})

export const taskWorkCopyPart = handle(tasks.workCopyPart, async ({ caller, params, query, headers }, context) => {
  const task = await getTask(params.id, context)
  await requireFor(tasks.workCopyPart, caller, task.id, context)
  const copy = await context.store.workCopies.newest(task.id)
  const bytes = copy && (await context.store.workCopies.part(copy, query.offset))
  if (copy === undefined || bytes === undefined)
    throw new AppError('not_found', `Task ${task.id} has no copy of a worktree with a part at ${query.offset}.`, {
      hint: 'Another copy may have taken its place: ask anew what the newest one is.',
    })
  return new Response(bytes as Uint8Array<ArrayBuffer>, {
    headers: { ...headers, 'content-type': 'application/octet-stream', [COMMIT_HEADER]: copy.commit },
  })
})

/** Gives the reminder for a task's agent at a moment; an empty text when there is none. */
export const taskRecall = handle(tasks.recall, async ({ caller, params, query, headers }, context) => {
  const task = await getTask(params.id, context)
  await requireFor(tasks.recall, caller, task.id, context)
  const { linkFrom, hidesTodos } = context.services.recalls
  const text = await recallText(context.store, task, query.moment, { linkFrom, hidesTodos })
  return new Response(text, { headers: { ...headers, 'content-type': TEXT_TYPE } })
})
