import { needCallingSession } from '../calling-session'
import { defineCommand } from '../command'
import { ISSUE_ARG } from '../issue-call'
import { oneLine } from '../text'
import { openTodos, TODO_SCOPE } from '../todo-call'
import { keepTodosInFile } from '../todos-in-file'

export const command = defineCommand({
  summary: 'Say that a session does not work on an issue, or on any',
  details: 'What named the issue so far (a prompt, the branch) links it no more; what names it later does.',
  args: [{ ...ISSUE_ARG, isOptional: true }],
  options: TODO_SCOPE,
  examples: [
    { line: 'lode todo unlink ld-3k9q', does: 'from one issue' },
    { line: 'lode todo unlink --session 3f2a9c1e', does: 'from all issues' },
  ],
  async run(context, { args: [issue], options }) {
    const { client, scope } = await openTodos(context, options)
    const { id: sessionId } = await needCallingSession(context, options.session)
    const { issueIds } = await client.links.unlink(sessionId, issue ?? null, scope)
    await keepTodosInFile(context, options, sessionId)
    context.answer({ sessionId, issueIds }, () =>
      issueIds.length === 0
        ? oneLine(`Session ${sessionId} was not linked`).concat('\n')
        : oneLine(`Unlinked session ${sessionId} from ${issueIds.join(', ')}`).concat('\n'),
    )
  },
})
