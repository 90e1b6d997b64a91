import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { needCallingSession } from '../../sessions/calling-session'
import { openTodos, SESSION_OPTION } from '../../todos/todo-call'
import { keepTodosInFile } from '../../todos/todos-in-file'

export const command = defineCommand({
  summary: "End a session's to-do lists; the next session can take what is left open",
  details: [
    'This happens automatically when Lodeline detects that a session has ended. If the session continues later, it is live again,',
    'and its next to-do change reopens the list.',
  ].join('\n'),
  options: SESSION_OPTION,
  examples: [
    { line: 'lode todo finalize', does: 'end the lists of the calling session' },
    { line: 'lode todo finalize --session 3f2a9c1e --json', does: 'print JSON: {sessionId, leftOpen, completed}' },
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
