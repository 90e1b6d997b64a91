import { needCallingSession } from '../calling-session'
import { defineCommand } from '../command'
import { oneLine } from '../text'
import { openTodos, SESSION_OPTION } from '../todo-call'
import { keepTodosInFile } from '../todos-in-file'

export const command = defineCommand({
  summary: 'End a session with its lists: what is open is left open, for the next session on that work',
  details: [
    'The same happens by itself when a session is found ended. A session that goes on later lives again, and a to-do that',
    'changes then begins the list again.',
  ].join('\n'),
  options: SESSION_OPTION,
  examples: [
    { line: 'lode todo finalize', does: 'the calling session' },
    { line: 'lode todo finalize --session 3f2a9c1e --json', does: 'as {sessionId, leftOpen, completed}' },
  ],
  async run(context, { options }) {
    const { client } = await openTodos(context)
    const { id: sessionId } = await needCallingSession(context, options.session)
    const ended = await client.todos.finalize(sessionId)
    await keepTodosInFile(context, {}, sessionId)
    context.answer({ sessionId, ...ended }, () =>
      oneLine(
        `Ended the to-dos of session ${sessionId}: ${ended.completed} completed, ${ended.leftOpen} left open`,
      ).concat('\n'),
    )
  },
})
