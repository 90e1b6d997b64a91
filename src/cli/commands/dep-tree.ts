import { defineCommand } from '../command'
import { ISSUE_ARG, openTracker, SCOPE, sayNotices } from '../issue-call'
import { issueTree } from '../views/issue-graph'

export const command = defineCommand({
  summary: 'Show what an issue needs, and what that needs, as a tree',
  details: "'...' marks what is shown at another place already, or lies deeper than --max-depth.",
  args: [ISSUE_ARG],
  options: {
    direction: {
      kind: 'text',
      value: 'WAY',
      choices: ['down', 'up'],
      help: 'down: what it needs (default); up: what needs it',
    },
    'max-depth': {
      kind: 'number',
      short: 'd',
      value: 'N',
      min: 1,
      max: 200,
      fallback: 50,
      help: 'not deeper than this',
    },
    ...SCOPE,
  },
  examples: [{ line: 'lode dep tree ld-3k9q', does: 'one line for each, indented' }],
  async run(context, { args: [id = ''], options }) {
    const { issues, scope } = await openTracker(context, options)
    const { direction } = options
    const tree = await issues.tree(id, {
      ...scope,
      maxDepth: options['max-depth'],
      ...(direction !== undefined && { direction }),
    })
    context.answer(tree, () => issueTree(tree.nodes))
    sayNotices(context, tree.notices)
  },
})
