import { defineCommand } from '../command'
import { sessionTree } from '../views/session-tree'

export const command = defineCommand({
  summary: 'Draw a session as a tree: sub-agents at any depth, running tools, to-dos, tokens, age',
  details: [
    'Each agent is one line: what it is, its id and status, [done/all to-dos and the one in progress], its',
    "own tokens, and the age of its newest event. '&' marks work in the background, '>' a tool that runs now.",
  ].join('\n'),
  args: [{ name: 'ID', help: "the session's id, or a unique beginning of it" }],
  examples: [
    { line: 'lode session tree 3f2a9c1e', does: 'who is doing what in this session' },
    { line: 'lode session tree 3f2a9c1e --json', does: 'the same as {session, tree}' },
  ],
  async run(context, { args: [id = ''] }) {
    const client = await context.client()
    const answer = await client.sessions.tree(id)
    context.answer(answer, () =>
      sessionTree(answer.session, answer.tree, { now: context.io.now(), columns: context.io.columns }),
    )
  },
})
