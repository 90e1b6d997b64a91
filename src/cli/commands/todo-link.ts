import { needCallingSession } from '../calling-session'
import { defineCommand } from '../command'
import { ISSUE_ARG, sayNotices } from '../issue-call'
import { oneLine } from '../text'
import { openTodos, TODO_SCOPE } from '../todo-call'
import { keepTodosInFile } from '../todos-in-file'

export const command = defineCommand({
  summary: 'Say which issue a session works on',
  details: 'A session that claimed the issue, or whose prompt or branch names it, is linked without this.',
  args: [ISSUE_ARG],
  options: TODO_SCOPE,
  examples: [
    { line: 'lode todo link ld-3k9q', does: 'the calling session, or the only one that lives here' },
    { line: 'lode todo link ld-3k9q --session 3f2a9c1e --json', does: 'as {sessionId, issue, isNew, notices}' },
  ],
  async run(context, { args: [issue = ''], options }) {
    const { client, scope } = await openTodos(context, options)
    const { id: sessionId } = await needCallingSession(context, options.session)
    const linked = await client.links.link(sessionId, issue, scope)
    const { id, title } = linked.issue
    context.answer({ sessionId, ...linked }, () =>
      oneLine(`${linked.isNew ? 'Linked' : 'Already linked:'} session ${sessionId} to ${id} ("${title}")`).concat('\n'),
    )
    sayNotices(context, linked.notices)
    await keepTodosInFile(context, options, sessionId)
  },
})
