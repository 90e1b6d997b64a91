import type { Session, Subagent, TreeNode } from '../../../domain/session/session'
import { age, count } from '../../print/measures'
import { cut, oneLine, width } from '../../print/text'
import { tokensText, totalTokens, type ViewSettings } from './session-views'

/**
 * A session as a tree in plain ASCII: the main thread, its sub-agents at any depth, and below each what it is doing now.
 *
 *     3f2a9c1e  running  fix the login bug  [2/5 Write tests]  41k tokens  now
 *     |- Explore  a1b2c3d  completed  find the callers  12k tokens  5m
 *     `- general-purpose &  a9d8e7f  running  write tests  3.1k tokens  2s
 *        > Bash 12s
 *
 * Drawn with a stack of our own: sub-agents may be nested deeper than the engine's call stack would bear.
 */
export function sessionTree(
  session: Session,
  tree: TreeNode,
  { now, columns, namesClis = false }: ViewSettings,
): string {
  const lines: string[] = []
  const draw = (prefix: string, parts: readonly Part[], last: string) => {
    lines.push(fit(prefix, parts, last, columns))
  }
  const stack: { node: TreeNode; first: string; rest: string }[] = [{ node: tree, first: '', rest: '' }]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, first, rest } = next
    const name = node.subagent === null ? sessionName(session, namesClis) : agentName(node.subagent)
    const isLive = node.subagent === null || node.subagent.status === 'running'
    draw(
      first,
      [...name, progress(node)],
      `${[tokens(node), age(node.lastEventAt, now)].filter((text) => text !== null).join('  ')}`,
    )
    const below = node.children.length > 0 ? `${rest}|  ` : `${rest}   `
    for (const tool of isLive ? node.runningTools : []) draw(`${below}> `, [{ text: tool.name }], age(tool.since, now))
    for (const [i, child] of [...node.children.entries()].reverse()) {
      const isLast = i === node.children.length - 1
      stack.push({ node: child, first: `${rest}${isLast ? '`- ' : '|- '}`, rest: `${rest}${isLast ? '   ' : '|  '}` })
    }
  }
  return `${lines.join('\n')}\n`
}

/** A piece of a line; `null` and empty texts are left out. */
interface Part {
  text: string | null
  /** Whether it may be cut when the line is too long, and in which order: 1 before 2 before 3. */
  cutRank?: 1 | 2 | 3
  /** What it becomes where even its least does not fit. */
  short?: string
}

function sessionName(session: Session, namesClis: boolean): Part[] {
  return [
    { text: session.id },
    { text: namesClis ? session.agent : null },
    { text: session.status },
    { text: session.title, cutRank: 1 },
  ]
}

function agentName(agent: Subagent): Part[] {
  const type = agent.kind === 'agent' ? oneLine(agent.type ?? 'agent') : agent.kind
  return [
    { text: agent.background ? `${type} &` : type, cutRank: 3 },
    { text: agent.id },
    { text: agent.status },
    {
      text:
        agent.toolUseId === null
          ? 'launch not recorded'
          : agent.isContradicted
            ? 'sources name several launches'
            : null,
    },
    { text: agent.description, cutRank: 1 },
  ]
}

/** `[2/5 Write tests]`: done, all, and the item in progress. */
function progress({ todos }: TreeNode): Part {
  if (todos.total === 0) return { text: null }
  const current = todos.current === null ? '' : ` ${cut(oneLine(todos.current), 40)}`
  const done = `${todos.completed}/${todos.total}`
  return { text: `[${done}${current}]`, cutRank: 2, short: `[${done}]` }
}

/** This node alone, not those below it. */
function tokens({ subagent, usage }: TreeNode): string | null {
  if (subagent !== null) return tokensText(subagent)
  return usage === null ? 'unknown tokens' : `${count(totalTokens(usage))} tokens`
}

/** Cells that a part keeps when it is cut: a session with to-dos, thousands of tokens and an age fits into 80. */
const LEAST = 8
const atLeast = (room: number, text: string): number => Math.max(Math.min(LEAST, width(text)), room)

/** Cuts what may be cut, in its order, until the line fits; ids, statuses, tokens and age always stay whole. */
function fit(prefix: string, parts: readonly Part[], last: string, columns: number): string {
  const shown = parts.flatMap((part) => {
    const safe = oneLine(part.text ?? '')
    return safe === '' ? [] : [{ ...part, text: safe }]
  })
  const full = () => `${prefix}${[...shown.map((part) => part.text), last].join('  ')}`
  for (const rank of columns > 0 ? [1, 2, 3] : []) {
    for (const part of shown.filter((each) => each.cutRank === rank)) {
      const over = width(full()) - columns
      if (over <= 0) continue
      const room = width(part.text) - over
      part.text = room < LEAST && part.short !== undefined ? part.short : cut(part.text, atLeast(room, part.text))
    }
  }
  return full()
}
