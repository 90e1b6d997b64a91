import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { plural } from '../../print/measures'
import { oneLine } from '../../print/text'
import { needCallingSession } from '../../sessions/calling-session'
import { openTodos, SESSION_OPTION } from '../../todos/todo-call'
import { keepTodosInFile } from '../../todos/todos-in-file'

export const command = defineCommand({
  summary: 'Take over to-dos left open by another session',
  args: [
    { name: 'ID', help: 'to-do IDs, or unique prefixes of them', complete: 'todo', isOptional: true, isRepeated: true },
  ],
  options: {
    from: {
      kind: 'text',
      value: 'SESSION',
      complete: 'session',
      help: 'all to-dos that this session left open and nobody has taken',
    },
    ...SESSION_OPTION,
  },
  examples: [
    { line: 'lode todo take --from 3f2a9c1e', does: 'take every to-do it left open' },
    { line: 'lode todo take cct-a1b2c3d4 cct-b2c3d4e5', does: 'take some to-dos; --json prints {sessionId, taken}' },
  ],
  async run(context, { args, options }) {
    if ((options.from === undefined) === (args.length === 0))
      throw usageError(context.path)('Pass to-do IDs, or a session with --from.')
    const { client } = await openTodos(context)
    const { id: sessionId } = await needCallingSession(context, options.session)
    const ids = options.from === undefined ? args : await leftBy(options.from)
    const { taken } = ids.length === 0 ? { taken: [] } : await client.todos.take(sessionId, { todoIds: ids })
    await keepTodosInFile(context, {}, sessionId)
    context.answer({ sessionId, taken }, () =>
      taken.length === 0
        ? 'no to-dos were left open.\n'
        : oneLine(`Took ${plural(taken.length, 'to-do')} over for session ${sessionId}: ${taken.join(', ')}`).concat(
            '\n',
          ),
    )

    async function leftBy(session: string): Promise<string[]> {
      const { todos } = await client.todos.ofSession(session)
      return todos.flatMap(({ id, leftOpen, takenBy }) => (leftOpen && takenBy === null ? [id] : []))
    }
  },
})
