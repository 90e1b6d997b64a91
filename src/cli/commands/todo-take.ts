import { needCallingSession } from '../calling-session'
import { defineCommand } from '../command'
import { plural } from '../measures'
import { usageError } from '../parse-args'
import { oneLine } from '../text'
import { openTodos, SESSION_OPTION } from '../todo-call'
import { keepTodosInFile } from '../todos-in-file'

export const command = defineCommand({
  summary: 'Take over to-dos that another session left open',
  args: [{ name: 'ID', help: 'to-dos, or unique beginnings of their ids', isOptional: true, isRepeated: true }],
  options: {
    from: { kind: 'text', value: 'SESSION', help: 'all that this session left open and nobody took' },
    ...SESSION_OPTION,
  },
  examples: [
    { line: 'lode todo take --from 3f2a9c1e', does: 'everything that it left' },
    { line: 'lode todo take cct-a1b2c3d4 cct-b2c3d4e5', does: 'some items; as {sessionId, taken} with --json' },
  ],
  async run(context, { args, options }) {
    if ((options.from === undefined) === (args.length === 0))
      throw usageError(context.path)('Name to-dos, or a session with --from.')
    const { client } = await openTodos(context)
    const { id: sessionId } = await needCallingSession(context, options.session)
    const ids = options.from === undefined ? args : await leftBy(options.from)
    const { taken } = ids.length === 0 ? { taken: [] } : await client.todos.take(sessionId, ids)
    await keepTodosInFile(context, {}, sessionId)
    context.answer({ sessionId, taken }, () =>
      taken.length === 0
        ? 'nothing was left open.\n'
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
