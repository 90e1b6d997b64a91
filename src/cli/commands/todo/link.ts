import { ISSUE_ARG, printNotices } from '../../issues/issue-call'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { needCallingSession } from '../../sessions/calling-session'
import { openTodos, TODO_SCOPE } from '../../todos/todo-call'
import { keepTodosInFile } from '../../todos/todos-in-file'

export const command = defineCommand({
  summary: 'Link a session to the issue it works on',
  details: 'A session is linked automatically if it claims the issue, or if its prompt or branch names the issue.',
  args: [ISSUE_ARG],
  options: TODO_SCOPE,
  examples: [
    { line: 'lode todo link ld-3k9q', does: 'link the calling session, or the only live session here' },
    {
      line: 'lode todo link ld-3k9q --session 3f2a9c1e --json',
      does: 'print JSON: {sessionId, issue, isNew, notices}',
    },
  ],
  async run(context, { args: [issue = ''], options }) {
    const { client, scope } = await openTodos(context, options)
    const { id: sessionId } = await needCallingSession(context, options.session)
    const linked = await client.links.link(sessionId, issue, scope)
    const { id, title } = linked.issue
    context.answer({ sessionId, ...linked }, () =>
      oneLine(`${linked.isNew ? 'Linked' : 'Already linked:'} session ${sessionId} to ${id} ("${title}")`).concat('\n'),
    )
    printNotices(context, linked.notices)
    await keepTodosInFile(context, options, sessionId)
  },
})
