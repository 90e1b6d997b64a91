import type { Session, Subagent, TreeNode } from '../domain/session/session'

/**
 * Makes a function that tells, in one line each, what is new in a session's tree since the last call: for where a tree can't
 * be redrawn in place.
 */
export function createChanges(): (session: Session, tree: TreeNode) => string[] {
  const printed = new Map<string, string>()
  return (session, tree) => {
    const lines: string[] = []
    const print = (key: string, state: string, line: string) => {
      if (printed.get(key) === state) return
      printed.set(key, state)
      lines.push(line)
    }
    const short = session.id.slice(0, 8)
    print(session.id, session.status, `session ${short}: ${session.status}`)
    const { completed, total, current } = tree.todos
    if (total > 0) {
      const now = current === null ? '' : `, now: ${current}`
      print(
        `${session.id}/todos`,
        `${completed}/${total}${now}`,
        `to-dos of ${short}: ${completed} of ${total} done${now}`,
      )
    }
    for (const { agent, depth } of agentsBelow(tree)) {
      const kind = agent.background ? 'background sub-agent' : 'sub-agent'
      const name = agent.description ?? agent.id
      print(`${session.id}/${agent.id}`, agent.status, `${'  '.repeat(depth - 1)}${kind} "${name}": ${agent.status}`)
    }
    return lines
  }
}

/** Every sub-agent of a tree with its depth, parents first. */
function agentsBelow(root: TreeNode): { agent: Subagent; depth: number }[] {
  const found: { agent: Subagent; depth: number }[] = []
  const stack = root.children.map((node) => ({ node, depth: 1 })).reverse()
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, depth } = next
    if (node.subagent) found.push({ agent: node.subagent, depth })
    for (const child of [...node.children].reverse()) stack.push({ node: child, depth: depth + 1 })
  }
  return found
}
