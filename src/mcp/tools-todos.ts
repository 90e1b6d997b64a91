import * as z from 'zod/mini'
import { CALLER_KINDS } from '../api/contract/callers'
import { AppError } from '../domain/errors'
import type { ToolCall } from './host'
import { defineTool, optional, text } from './tool'

export const updateTodos = defineTool({
  name: 'update-todos',
  description: 'Keeps your to-do list for people and later sessions.',
  callers: CALLER_KINDS,
  input: {
    todos: z
      .array(
        z.object({
          content: z.string().check(z.minLength(1)),
          status: z.enum(['pending', 'in_progress', 'completed']),
          activeForm: optional(z.string()),
        }),
      )
      .check(z.describe('All of them, in order')),
    sessionId: optional(text('Yours; not needed in runs and Claude Code')),
  },
  async run({ todos, sessionId }, call) {
    const session = await sessionOf(sessionId, call)
    const payload = {
      tool_name: 'update-todos',
      tool_input: { todos },
      ...(call.toolUseId !== null && { tool_use_id: call.toolUseId }),
    }
    const synced = await call.client.todos.sync(session, new TextEncoder().encode(JSON.stringify(payload)))
    const { progress } = await call.client.todos.ofSession(session)
    return [
      `Kept: ${progress.completed} of ${progress.total} completed, ${progress.inProgress} in progress.`,
      synced.changed ? '' : 'Nothing changed.',
    ]
      .filter((line) => line !== '')
      .join(' ')
  },
})

/** A run's own conversation, the one that started this process, or the one that is named. */
async function sessionOf(named: string | undefined, { host, client }: ToolCall): Promise<string> {
  if (host.taskId !== null) {
    const { task } = await client.tasks.get(host.taskId)
    if (task.claudeSessionId !== null) return task.claudeSessionId
  }
  const session = host.sessionId ?? named
  if (session !== undefined) return session
  throw new AppError('invalid', 'Whose list this is, is not known.', {
    hint: 'Pass `sessionId`: the ID of your session.',
  })
}
