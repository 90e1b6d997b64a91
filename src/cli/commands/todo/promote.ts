import { sessionId } from '../../../domain/ids'
import { printNotices } from '../../issues/issue-call'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { surelyCalling } from '../../sessions/calling-session'
import { openTodos, TODO_SCOPE } from '../../todos/todo-call'
import { keepTodosInFile } from '../../todos/todos-in-file'

export const command = defineCommand({
  summary: "Turn a to-do into a child issue of its session's issue",
  details: 'The two stay in sync: completing one completes the other (todos.closePromoted).',
  args: [
    {
      name: 'ID',
      help: "the to-do's ID, or a unique prefix of it; 'lode todo list --json' shows it",
      complete: 'todo',
    },
  ],
  options: {
    parent: { kind: 'text', value: 'ISSUE', complete: 'issue', help: 'create it under this issue instead' },
    ...TODO_SCOPE,
  },
  examples: [
    {
      line: 'lode todo promote cct-a1b2c3d4',
      does: 'create a child issue; if it was promoted before, show that issue',
    },
    { line: 'lode todo promote cct-a1b2c3d4 --parent ld-3k9q --json', does: 'print JSON: {issue, isNew, notices}' },
  ],
  async run(context, { args: [id = ''], options }) {
    const { client, scope } = await openTodos(context, options)
    const calling = await surelyCalling(context, options.session)
    const made = await client.todos.promote(id, {
      ...scope,
      ...(calling !== null && { sessionId: sessionId(calling.id) }),
      ...(options.parent !== undefined && { parent: options.parent }),
    })
    const { issue, isNew } = made
    context.answer(made, () => {
      const below = issue.parentId === null ? '' : ` as child of ${issue.parentId}`
      return oneLine(`${isNew ? 'Created' : 'Already'} ${issue.id} "${issue.title}"${below}`).concat('\n')
    })
    printNotices(context, made.notices)
    await keepTodosInFile(context, options)
  },
})
