import { sessionId } from '../../domain/ids'
import { surelyCalling } from '../calling-session'
import { defineCommand } from '../command'
import { sayNotices } from '../issue-call'
import { oneLine } from '../text'
import { openTodos, TODO_SCOPE } from '../todo-call'
import { keepTodosInFile } from '../todos-in-file'

export const command = defineCommand({
  summary: 'Make an issue of a to-do, below the one that its session works on',
  details: 'The two follow each other: what completes one completes the other (todos.closePromoted).',
  args: [{ name: 'ID', help: "the to-do's id, or a unique beginning of it: lode todo list --json shows it" }],
  options: {
    parent: { kind: 'text', value: 'ISSUE', help: 'below this issue instead' },
    ...TODO_SCOPE,
  },
  examples: [
    { line: 'lode todo promote cct-a1b2c3d4', does: 'a child issue; done before, it shows that one' },
    { line: 'lode todo promote cct-a1b2c3d4 --parent ld-3k9q --json', does: 'as {issue, isNew, notices}' },
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
    sayNotices(context, made.notices)
    await keepTodosInFile(context, options)
  },
})
