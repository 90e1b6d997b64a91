import { ISSUE_ARG, openTracker, printNotices, SCOPE } from '../../issues/issue-call'
import { defineCommand } from '../../kit/command'
import { issueTree } from '../../views/issue-graph'

export const command = defineCommand({
  summary: "Show an issue's dependencies as a tree",
  details: "'...' marks an issue that is already shown elsewhere, or whose dependencies lie below --max-depth.",
  args: [ISSUE_ARG],
  options: {
    direction: {
      kind: 'text',
      value: 'WAY',
      choices: ['down', 'up', 'both'],
      help: 'down: its dependencies (default); up: the issues that depend on it; both',
    },
    'max-depth': {
      kind: 'number',
      short: 'd',
      value: 'N',
      min: 1,
      max: 200,
      fallback: 50,
      help: 'show at most N levels',
    },
    ...SCOPE,
  },
  examples: [{ line: 'lode dep tree ld-3k9q', does: 'print one indented line per issue' }],
  keepsTodosInFile: true,
  async run(context, { args: [id = ''], options }) {
    const { issues, scope } = await openTracker(context, options)
    const { direction = 'down', 'max-depth': maxDepth } = options
    const treeOf = (way: 'down' | 'up') => issues.tree(id, { ...scope, maxDepth, direction: way })
    const tree = await treeOf(direction === 'up' ? 'up' : 'down')
    const above = direction === 'both' ? (await treeOf('up')).nodes : []
    // The issue itself begins both.
    const answer = { ...tree, nodes: [...tree.nodes, ...above.slice(1)] }
    const isNeeded = above.length > 1
    context.answer(answer, () => issueTree(tree.nodes) + (isNeeded ? `\nneeded by\n${issueTree(above)}` : ''))
    printNotices(context, tree.notices)
  },
})
