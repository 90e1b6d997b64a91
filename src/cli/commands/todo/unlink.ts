import { ISSUE_ARG } from '../../issues/issue-call'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { needCallingSession } from '../../sessions/calling-session'
import { openTodos, TODO_SCOPE } from '../../todos/todo-call'
import { keepTodosInFile } from '../../todos/todos-in-file'

export const command = defineCommand({
  summary: 'Unlink a session from an issue, or from all issues',
  details: 'Earlier mentions of the issue (in a prompt or branch name) no longer link it; later mentions do.',
  args: [{ ...ISSUE_ARG, isOptional: true }],
  options: TODO_SCOPE,
  examples: [
    { line: 'lode todo unlink ld-3k9q', does: 'unlink from one issue' },
    { line: 'lode todo unlink --session 3f2a9c1e', does: 'unlink from all issues' },
  ],
  async run(context, { args: [issue], options }) {
    const { client, scope } = await openTodos(context, options)
    const { id: sessionId } = await needCallingSession(context, options.session)
    const { issueIds } =
      issue === undefined
        ? await client.links.unlinkAll(sessionId, scope)
        : await client.links.unlink(sessionId, issue, scope)
    await keepTodosInFile(context, options, sessionId)
    context.answer({ sessionId, issueIds }, () =>
      issueIds.length === 0
        ? oneLine(`Session ${sessionId} was not linked to an issue`).concat('\n')
        : oneLine(`Unlinked session ${sessionId} from ${issueIds.join(', ')}`).concat('\n'),
    )
  },
})
