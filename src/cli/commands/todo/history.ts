import { defineCommand } from '../../kit/command'
import { localTime, plural } from '../../print/measures'
import { table } from '../../print/table'
import { oneLine } from '../../print/text'
import { openTodos } from '../../todos/todo-call'

export const command = defineCommand({
  summary: 'Show the changes of a to-do, oldest first',
  args: [{ name: 'ID', help: "the to-do's ID, or a unique prefix of it", complete: 'todo' }],
  examples: [
    {
      line: 'lode todo history cct-a1b2c3d4',
      does: 'who created, started, reworded and completed it, and when',
    },
    { line: 'lode todo history cct-a1b2c3d4 --json', does: 'print JSON: {todo, history, droppedCount}' },
  ],
  async run(context, { args: [id = ''] }) {
    const { client } = await openTodos(context)
    const found = await client.todos.history(id)
    const { todo, history, droppedCount } = found
    context.answer(found, () => {
      const lines = table(
        history,
        [
          { title: 'TIME', cell: (h) => localTime(h.at) },
          { title: 'CHANGE', cell: (h) => h.change },
          { title: 'FROM', cell: (h) => h.from, max: 60 },
          { title: 'TO', cell: (h) => h.to, max: 60 },
          { title: 'BY', cell: (h) => h.by.subagentId ?? h.by.sessionId.slice(0, 8), max: 17, spare: 1 },
        ],
        context.io.columns,
      )
      const earlier = droppedCount === 0 ? '' : `${plural(droppedCount, 'earlier change')} not stored\n`
      return `${oneLine(`${todo.id} ${todo.status}: ${todo.content}`)}\n${earlier}${lines}`
    })
  },
})
