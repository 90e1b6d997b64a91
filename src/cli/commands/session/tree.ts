import { namesClis } from '../../kit/arguments/agent-cli'
import { defineCommand } from '../../kit/command'
import { sessionTree } from '../../views/session/session-tree'

export const command = defineCommand({
  summary: 'Draw a session as a tree of sub-agents, running tools, to-dos and tokens',
  details: [
    'Each agent is one line: its description, ID and status, [completed/total to-dos and the one in progress], its',
    "own tokens, and the age of its newest event. '&' marks background work, '>' a running tool.",
  ].join('\n'),
  args: [{ name: 'ID', help: "the session's ID, or a unique prefix of it", complete: 'session' }],
  examples: [
    { line: 'lode session tree 3f2a9c1e', does: 'show what each agent in the session is doing' },
    { line: 'lode session tree 3f2a9c1e --json', does: 'print JSON: {session, tree}' },
  ],
  async run(context, { args: [id = ''] }) {
    const client = await context.client()
    const answer = await client.sessions.tree(id)
    const view = { now: context.io.now(), columns: context.io.columns, namesClis: await namesClis(context) }
    context.answer(answer, () => sessionTree(answer.session, answer.tree, view))
  },
})
